// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import TestTraits
import Testing

struct GetHero: TypedService {
    typealias Response = Hero
    let baseURL: String
    var path: String { "/hero" }
}

struct FindHero: TypedService {
    typealias Response = Hero?
    let baseURL: String
    let path: String
}

struct GetPicture: TypedService {
    typealias Response = Data
    let baseURL: String
    var path: String { "/hero" }
}

struct DeleteHero: TypedService {
    typealias Response = Void
    let baseURL: String
    var path: String { "/gone" }
    var method: ServiceMethod { .delete }
}

struct GetTeam: TypedService {
    typealias Response = Team
    let baseURL: String
    var path: String { "/hero" }
}

struct Hero: Decodable {
    let id: Int
}

/// A client with typed services. It compiles in each kind of module, like `ArticleClientTests`.
@Suite(.serialized, .opensFiles, .timeLimit) struct TypedClientTests {
    let server: LoopbackServer
    let base: String

    init() throws {
        server = try LoopbackServer { request in
            request.path == "/hero"
                ? .json(#"{"id": 7, "name": "Avengers", "members": []}"#) : .statusCode(204)
        }
        base = server.baseURL
    }

    @Test(.row("C8", "C9")) func asyncCallsReturnTheResponse() async throws {
        let hero = try await ServiceProvider<GetHero>().load(service: GetHero(baseURL: base))
        #expect(hero.id == 7)
        let finder = ServiceProvider<FindHero>()
        let found = try await finder.load(service: FindHero(baseURL: base, path: "/hero"))
        #expect(found?.id == 7)
        let missing = try await finder.load(service: FindHero(baseURL: base, path: "/missing"))
        #expect(missing == nil)
        let picture = try await ServiceProvider<GetPicture>().load(service: .init(baseURL: base))
        #expect(picture.count == 44)
        let team = try await ServiceProvider<GetTeam>().load(service: GetTeam(baseURL: base))
        team.name += "!"
        #expect(team.name == "Avengers!")
    }

    /// Without `decodeType:`, handlers get the service's response as well.
    @Test func handlersGetTheResponse() async {
        let base = base
        let hero = await withCheckedContinuation { continuation in
            ServiceProvider<GetHero>().load(service: GetHero(baseURL: base)) { result in
                guard case .success(let hero) = result else {
                    return continuation.resume(returning: 0)
                }
                continuation.resume(returning: hero.id)
            }
        }
        #expect(hero == 7)
        let found = await withCheckedContinuation { continuation in
            let service = FindHero(baseURL: base, path: "/hero")
            ServiceProvider<FindHero>().load(service: service) { result in
                guard case .success(let hero?) = result else {
                    return continuation.resume(returning: 0)
                }
                continuation.resume(returning: hero.id)
            }
        }
        #expect(found == 7)
        let missing = await withCheckedContinuation { continuation in
            let service = FindHero(baseURL: base, path: "/missing")
            ServiceProvider<FindHero>().load(service: service) { result in
                guard case .empty = result else { return continuation.resume(returning: false) }
                continuation.resume(returning: true)
            }
        }
        #expect(missing)
        let team = await withCheckedContinuation { continuation in
            ServiceProvider<GetTeam>().load(service: GetTeam(baseURL: base)) { result in
                guard case .success(let team) = result else {
                    return continuation.resume(returning: "")
                }
                continuation.resume(returning: team.name)
            }
        }
        #expect(team == "Avengers")
    }

    @Test func handlersGetDataOrNothingIfTheServiceSaysSo() async {
        let base = base
        let size = await withCheckedContinuation { continuation in
            ServiceProvider<GetPicture>().load(service: .init(baseURL: base)) { result in
                guard case .success(let data) = result else {
                    return continuation.resume(returning: 0)
                }
                continuation.resume(returning: data.count)
            }
        }
        #expect(size == 44)
        let isDeleted = await withCheckedContinuation { continuation in
            ServiceProvider<DeleteHero>().load(service: DeleteHero(baseURL: base)) { result in
                guard case .success(()) = result else {
                    return continuation.resume(returning: false)
                }
                continuation.resume(returning: true)
            }
        }
        #expect(isDeleted)
    }

    /// Calls without a result compile without a warning about an unused result.
    @Test func callsWithoutAResultCauseNoWarning() async throws {
        try await ServiceProvider<DeleteHero>().load(service: DeleteHero(baseURL: base))
        try await ServiceProvider<AnyService>().load(service: AnyService(DeleteHero(baseURL: base)))
        #expect(server.requests.map(\.method) == ["DELETE", "DELETE"])
    }

    @Test func optionsWorkForTypedServices() async throws {
        let provider = ServiceProvider<GetHero>().accepting("application/json")
        #expect(try await provider.load(service: GetHero(baseURL: base)).id == 7)
        let id = try await provider.decoding(at: "id")
            .load(service: GetHero(baseURL: base), decodeType: Int.self)
        #expect(id == 7)
        let other = ServiceProvider<AnyService>()
        let any = AnyService(GetTeam(baseURL: base))
        #expect(try await other.load(service: any, decodeType: Hero.self).id == 7)
    }

    @Test(.row("C12")) func valuesComeWithTheirResponse() async throws {
        let provider = ServiceProvider<GetHero>()
        let service = GetHero(baseURL: base)
        let response = try await provider.response(service: service)
        #expect(response.statusCode == 200)
        #expect(try response.decode(Hero.self).id == 7)
        #expect(try response.decode(Team.self).name == "Avengers")
    }

    @Test func aURLNeedsNoService() async throws {
        let provider = ServiceProvider<ServiceEndpoint>()
        let endpoint = ServiceEndpoint(base + "/hero", headers: ["Accept": "application/json"])
        #expect(try await provider.load(service: endpoint, decodeType: Hero.self).id == 7)
        let request = try provider.request(service: endpoint)
        #expect(try await provider.pipeline.send(request).decode(Hero.self).id == 7)
        #expect(try await provider.pipeline.send(request).decode(Team.self).name == "Avengers")
    }
}
