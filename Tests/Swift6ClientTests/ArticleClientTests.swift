// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import TestTraits
import Testing

enum MarvelService {
    case characters(name: String, server: String)
}

extension MarvelService: Service {
    var baseURL: String {
        switch self {
        case .characters(_, let server): server + "/v1/public"
        }
    }
    var path: String { "/characters" }
    var parameters: [String: Any]? {
        switch self {
        case .characters(let name, _): ["name": name]
        }
    }
    var method: ServiceMethod { .get }
}

struct Character: Decodable {
    let id: Int
    let name: String
}

/// Not `Sendable`, but decoded all the same.
class Team: Decodable {
    var name: String
    var members: [Character]
}

/// The same client compiles in Swift 6 mode, in Swift 6 mode with main-actor isolation by default,
/// and in Swift 5 mode. The other targets have a link to this folder.
@Suite(.serialized, .opensFiles, .timeLimit) struct ArticleClientTests {
    let server: LoopbackServer
    let service: MarvelService

    init() throws {
        server = try LoopbackServer { request in
            request.query == "name=spider-man"
                ? .json(#"{"id": 7, "name": "Spider-Man", "members": []}"#) : .statusCode(404)
        }
        service = .characters(name: "spider-man", server: server.baseURL)
    }

    @Test func completionHandlersRunOnTheMainQueue() async throws {
        let count = await withCheckedContinuation { continuation in
            ServiceProvider<MarvelService>().load(service: service) { result in
                dispatchPrecondition(condition: .onQueue(.main))
                switch result {
                case .success(let data): continuation.resume(returning: data.count)
                case .failure, .empty: continuation.resume(returning: 0)
                }
            }
        }
        #expect(count > 20)
    }

    @Test(.row("C7")) func completionHandlersGetValues() async throws {
        let name = await withCheckedContinuation { continuation in
            ServiceProvider<MarvelService>().load(service: service, decodeType: Character.self) {
                result in
                MainActor.assertIsolated()
                switch result {
                case .success(let character): continuation.resume(returning: character.name)
                case .failure(let error): continuation.resume(returning: error.description)
                case .empty: continuation.resume(returning: "empty")
                }
            }
        }
        #expect(name == "Spider-Man")
    }

    @Test func completionHandlersGetClasses() async throws {
        let name = await withCheckedContinuation { continuation in
            ServiceProvider<MarvelService>().load(service: service, decodeType: Team.self) {
                result in
                if case .success(let team) = result { continuation.resume(returning: team.name) }
            }
        }
        #expect(name == "Spider-Man")
    }

    @Test(.row("C1", "C6")) func asyncCallsReturnValues() async throws {
        let provider = ServiceProvider<MarvelService>()
        let data = try await provider.load(service: service)
        #expect(!data.isEmpty)
        let character = try await provider.load(service: service, decodeType: Character.self)
        #expect(character.name == "Spider-Man")
        let team = try await provider.load(service: service, decodeType: Team.self)
        team.name += "!"
        #expect(team.name == "Spider-Man!")
    }

    @Test(.row("C10")) func everyErrorIsAServiceError() async throws {
        do {
            let wrong = MarvelService.characters(name: "unknown", server: server.baseURL)
            _ = try await ServiceProvider<MarvelService>().load(service: wrong)
            Issue.record("The call succeeded.")
        } catch let error as ServiceError {
            switch error {
            case .unacceptableStatus(let response): #expect(response.statusCode == 404)
            case .invalidRequest, .file, .cancelled, .transport, .emptyResponse, .decoding,
                .interceptor:
                Issue.record(error)
            }
        }
    }
}
