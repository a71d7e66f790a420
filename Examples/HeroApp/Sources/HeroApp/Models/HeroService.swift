// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderCaching
import ServiceProviderExtras

/// The endpoints of the app.
enum HeroService {
    /// The heroes with a name that starts with a text. An empty text means all heroes.
    case heroes(name: String)
    /// More about one hero.
    case details(heroID: Int)
    /// The picture of a hero.
    case picture(heroID: Int)
    /// Sends a file as the picture of a hero.
    case sendPicture(URL, heroID: Int)
}

extension HeroService: Service {
    var baseURL: String { "https://heroes.example.com/v1" }

    var path: String {
        switch self {
        case .heroes: "/heroes"
        case .details(let heroID): "/heroes/\(heroID)"
        case .picture(let heroID), .sendPicture(_, let heroID): "/heroes/\(heroID)/picture"
        }
    }

    var method: ServiceMethod {
        switch self {
        case .heroes, .details, .picture: .get
        case .sendPicture: .put
        }
    }

    var parameters: [String: Any]? {
        switch self {
        case .heroes(let name): name.isEmpty ? nil : ["name": name]
        case .details, .picture, .sendPicture: nil
        }
    }

    var body: ServiceBody? {
        switch self {
        case .heroes, .details, .picture: nil
        case .sendPicture(let file, _): .file(file)
        }
    }
}

extension ServiceProvider<HeroService> {
    /// Creates the provider of the app. It sends the user's token with each call, and stores
    /// pictures for as long as the server allows.
    ///
    /// - Parameters:
    ///   - token: Reads the token, in a real app from the keychain.
    ///   - interceptors: Get each request with its token, before the cache. Default: none.
    static func heroes(
        token: @escaping ServiceAuthorization.Value, interceptors: [any ServiceInterceptor] = []
    ) -> ServiceProvider {
        // The cache comes after the token, so a user never gets the stored responses of another.
        ServiceProvider(
            interceptors: [ServiceAuthorization.bearer(token)] + interceptors + [ServiceCache()])
    }
}
