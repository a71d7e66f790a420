// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderExtras

/// The endpoints of the app.
public enum HeroService {
    /// The heroes with a name that starts with a text. An empty text means all heroes.
    case heroes(name: String)
    /// More about one hero.
    case details(heroID: Int)
    /// Sends a file as the picture of a hero.
    case picture(URL, heroID: Int)
}

extension HeroService: Service {
    /// The URL of the API.
    public var baseURL: String { "https://heroes.example.com/v1" }

    /// The path of the endpoint.
    public var path: String {
        switch self {
        case .heroes: "/heroes"
        case .details(let heroID): "/heroes/\(heroID)"
        case .picture(_, let heroID): "/heroes/\(heroID)/picture"
        }
    }

    /// GET, or PUT for a picture.
    public var method: ServiceMethod {
        switch self {
        case .heroes, .details: .get
        case .picture: .put
        }
    }

    /// The search text, for the list.
    public var parameters: [String: Any]? {
        switch self {
        case .heroes(let name): name.isEmpty ? nil : ["name": name]
        case .details, .picture: nil
        }
    }

    /// The file, for a picture.
    public var body: ServiceBody? {
        switch self {
        case .heroes, .details: nil
        case .picture(let file, _): .file(file)
        }
    }
}

extension ServiceProvider<HeroService> {
    /// Creates the provider of the app, which sends the user's token with each call.
    ///
    /// - Parameters:
    ///   - token: Reads the token, in a real app from the keychain.
    ///   - interceptors: See each request with its token, such as stubs in tests. Default: none.
    public static func heroes(
        token: @escaping ServiceAuthorization.Value, interceptors: [any ServiceInterceptor] = []
    ) -> ServiceProvider {
        ServiceProvider(interceptors: [ServiceAuthorization.bearer(token)] + interceptors)
    }
}

extension Error {
    /// The text on a screen: the server's own words or, if it sent none, those of the app.
    var screenText: String {
        let error = self as? ServiceError
        if let message = error?.serverMessage {
            return message
        }
        if case .transport = error {
            return "The heroes can't be reached. Are you online?"
        }
        return localizedDescription
    }
}
