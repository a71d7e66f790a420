// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import TestTraits
import Testing

private enum HeroService: Service {
    case hero(server: String)

    var baseURL: String {
        switch self {
        case .hero(let server): server
        }
    }
    var path: String { "/hero" }
}

/// Isolated to the main actor.
private struct MainHero: Decodable {
    let name: String
}

/// Nonisolated.
nonisolated private struct FreeHero: Decodable {
    let name: String
}

private final class HeroClient {
    let provider = ServiceProvider<HeroService>()

    func get<T: Decodable>(_ endpoint: HeroService, as type: T.Type) async throws -> T {
        try await provider.response(service: endpoint).decode(type)
    }

    func get<T: Decodable>(
        _ endpoint: HeroService, as type: T.Type,
        completion: @escaping (ServiceResult<T>) -> Void
    ) {
        Task {
            do {
                let response = try await provider.response(service: endpoint)
                completion(.success(try response.decode(type)))
            } catch {
                completion(.failure(ServiceError(error)))
            }
        }
    }
}

/// Generic functions of an app decode models of either isolation.
@Suite(.serialized, .opensFiles, .timeLimit) struct GenericClientTests {
    let server: LoopbackServer

    init() throws {
        server = try LoopbackServer { _ in .json(#"{"name": "Hulk"}"#) }
    }

    @Test func valuesAreReturned() async throws {
        let client = HeroClient()
        let service = HeroService.hero(server: server.baseURL)
        #expect(try await client.get(service, as: MainHero.self).name == "Hulk")
        #expect(try await client.get(service, as: FreeHero.self).name == "Hulk")
    }

    @Test func handlersGetValues() async {
        let service = HeroService.hero(server: server.baseURL)
        let name: String? = await withCheckedContinuation { continuation in
            HeroClient().get(service, as: MainHero.self) { result in
                guard case .success(let hero) = result else {
                    return continuation.resume(returning: nil)
                }
                continuation.resume(returning: hero.name)
            }
        }
        #expect(name == "Hulk")
    }

    @Test func errorsAreTheSameAsThoseOfLoad() async throws {
        let empty = try LoopbackServer { _ in .statusCode(204) }
        let error = await #expect(throws: ServiceError.self) {
            try await HeroClient().get(.hero(server: empty.baseURL), as: MainHero.self)
        }
        #expect(error?.description.hasSuffix("without a body.") == true)
        let wrong = await #expect(throws: ServiceError.self) {
            try await HeroClient().get(.hero(server: server.baseURL), as: Int.self)
        }
        #expect(wrong?.description.contains("Decoding 'Int' failed: ") == true)
    }
}
