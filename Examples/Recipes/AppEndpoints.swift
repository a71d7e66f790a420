// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// One protocol of your own for all endpoints of an app, with their defaults.

import Foundation
import ServiceProvider
import ServiceProviderExtras

/// The defaults of all endpoints of the app. An endpoint can override them.
///
/// GET, HEAD and DELETE send parameters in the URL, and other methods send JSON.
nonisolated protocol AppEndpoint: Service {}

extension AppEndpoint {
    var baseURL: String { "https://api.example.com/v2" }
    var headers: [String: String] { ["X-Client": "recipes/2.1", "Accept-Language": "en"] }
}

enum UserEndpoint: AppEndpoint {
    case find(name: String)
    case create(name: String, age: Int)
    case remove(id: Int)

    var path: String {
        switch self {
        case .find, .create: "/users"
        case .remove(let id): "/users/\(id)"
        }
    }
    var method: ServiceMethod {
        switch self {
        case .find: .get
        case .create: .post
        case .remove: .delete
        }
    }
    var parameters: [String: Any]? {
        switch self {
        case .find(let name): ["name": name]
        case .create(let name, let age): ["name": name, "age": age]
        case .remove: nil
        }
    }
}

struct PictureEndpoint: AppEndpoint {
    let id: Int
    // Another host, which doesn't need our headers.
    var baseURL: String { "https://images.example.com" }
    var headers: [String: String] { [:] }
    var path: String { "/\(id).png" }
}

/// Handles every failure in one place.
@MainActor final class Failures {
    private(set) var alerts: [String] = []
    private(set) var isSignedOut = false

    func handle(_ error: ServiceError, _ request: ServiceRequest) {
        switch error {
        case .cancelled: break
        case .unacceptableStatus(let response) where response.statusCode == 401:
            isSignedOut = true
        default:
            alerts.append("\(request): \(error.localizedDescription)")
        }
    }
}

extension ServiceProvider<AnyService> {
    /// One provider for all endpoints of the app.
    static func app(
        failures: Failures, interceptors: [any ServiceInterceptor] = []
    ) -> ServiceProvider {
        ServiceProvider(interceptors: interceptors).onFailure { error, request in
            Task { @MainActor in failures.handle(error, request) }
        }
    }

    func load<U: Decodable & SendableMetatype>(
        _ endpoint: some AppEndpoint, as type: U.Type
    ) async throws -> sending U {
        try await load(service: AnyService(endpoint), decodeType: type)
    }
}
