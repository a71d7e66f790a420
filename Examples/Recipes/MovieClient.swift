// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// A router: tasks with parameters and bodies, environments, and a session.

import Foundation
import ServiceProvider
import ServiceProviderExtras

enum MovieEnvironment: String, Sendable {
    case qa, staging, production

    var baseURL: String {
        self == .production
            ? "https://api.themoviedb.org/3" : "https://\(rawValue).example.com/3"
    }
}

/// The parameters and the body of an endpoint.
enum MovieTask {
    case plain
    case url([String: Any])
    case json(any Encodable)
    case urlAndJSON([String: Any], any Encodable)
}

enum MovieEndPoint {
    case nowPlaying(page: Int)
    case video(id: Int)
    case session(token: String)
    case rate(id: Int, stars: Double, session: String)

    var path: String {
        switch self {
        case .nowPlaying: "/movie/now_playing"
        case .video(let id): "/movie/\(id)/videos"
        case .session: "/authentication/session/new"
        case .rate(let id, _, _): "/movie/\(id)/rating"
        }
    }

    var task: MovieTask {
        switch self {
        case .nowPlaying(let page): .url(["page": page, "language": "en-US"])
        case .video: .plain
        case .session(let token): .json(["request_token": token])
        case .rate(_, let stars, let session):
            .urlAndJSON(["guest_session_id": session], ["value": stars])
        }
    }

    var additionalHeaders: [String: String] {
        if case .rate = self { ["X-Purpose": "rating"] } else { [:] }
    }
}

struct MovieService: Service {
    var environment: MovieEnvironment
    var endPoint: MovieEndPoint

    var baseURL: String { environment.baseURL }
    var path: String { endPoint.path }
    var method: ServiceMethod { body == nil ? .get : .post }
    var headers: [String: String] { endPoint.additionalHeaders }
    func prepare(_ request: inout ServiceRequest) {
        request.secretNames = ["guest_session_id"]
    }
    var parameters: [String: Any]? {
        switch endPoint.task {
        case .url(let values), .urlAndJSON(let values, _): values
        case .plain, .json: nil
        }
    }
    var body: ServiceBody? {
        switch endPoint.task {
        case .json(let value), .urlAndJSON(_, let value): .json(value)
        case .plain, .url: nil
        }
    }
}

struct MoviePage: Decodable {
    let page: Int
    let totalPages: Int
    let results: [Movie]
}

struct Movie: Decodable {
    let id: Int
    let title: String
    let posterPath: String?
    let backdropPath: String?
    /// `2024-03-01`; sometimes an empty string, or null.
    let releaseDate: String?
    /// Sometimes a whole number.
    let voteAverage: Double
}

extension ServiceError {
    /// The message to show: the server's, or else the meaning of the status.
    var movieMessage: String {
        if case .cancelled = self { return "" }
        struct Refusal: Decodable {
            let statusMessage: String?
            let errors: [String]?
        }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let refusal = response.flatMap { try? decoder.decode(Refusal.self, from: $0.data) }
        if let words = refusal?.statusMessage ?? refusal?.errors?.first { return words }
        guard let statusCode else { return "Please check your network connection." }
        return switch statusCode {
        case 401: "You need to be authenticated first."
        case 402...500: "The request failed."
        case 501...599: "The service has a problem."
        case 600: "This version of the app is outdated."
        default: localizedDescription
        }
    }
}

struct MovieClient: Sendable {
    let environment: MovieEnvironment
    private let provider: ServiceProvider<MovieService>

    init(
        environment: MovieEnvironment = .production, key: String,
        interceptors: [any ServiceInterceptor] = [],
        log: @escaping @Sendable (String) -> Void = { print($0) }
    ) {
        self.environment = environment
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        provider = ServiceProvider(
            interceptors: [
                ServiceAuthorization.query("api_key", key),
                ServiceLog(.headers) { log($0.message) },
            ]
                + interceptors,
            decoder: decoder)
    }

    /// - Returns: The running call, to cancel it.
    @discardableResult
    func nowPlaying(
        page: Int, completion: @escaping @MainActor @Sendable ([Movie], String?) -> Void
    ) -> Task<Void, Never> {
        let service = MovieService(
            environment: environment, endPoint: .nowPlaying(page: page))
        return provider.load(service: service, decodeType: MoviePage.self) { result in
            switch result {
            case .success(let page): completion(page.results, nil)
            case .empty: completion([], "There is nothing here.")
            case .failure(let error): completion([], error.movieMessage)
            }
        }
    }

    func rate(_ id: Int, stars: Double, session: String) async throws {
        let endPoint = MovieEndPoint.rate(id: id, stars: stars, session: session)
        try await provider.load(
            service: MovieService(environment: environment, endPoint: endPoint))
    }
}
