// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderCaching
import TestSupport
import Testing

/// Which responses may be stored, and for which users.
@Suite(.serialized, .opensFiles, .timeLimit) struct ConditionalStorageTests {
    typealias Fields = [[String]]

    static let kinds: [(Fields, isStored: Bool)] = [
        ([], true),
        ([["Cache-Control", "max-age=0, must-revalidate"]], true),
        ([["Cache-Control", "no-cache"]], true),
        ([["Cache-Control", "no-store"]], false),
        ([["Cache-Control", "No-STORE"]], false),
        ([["cache-control", "public,no-store,max-age=3"]], false),
        ([["Cache-Control", "max-age=3"], ["Cache-Control", "no-store"]], false),
        ([["Cache-Control", "  max-age=3 ,\tno-store "]], false),
        ([["Cache-Control", "no-store=1"]], false),
        ([["Cache-Control", "a=\"no-store\""]], true),
        ([["Cache-Control", "a=\"x, no-store, y\", public"]], true),
        ([["Cache-Control", "a=\"x\\\", no-store\""]], true),
        ([["Cache-Control", "a=\"x\\\\\", no-store"]], false),
        ([["Cache-Control", "a=\"unclosed, max-age=3"]], false),
        ([["Cache-Control", "a=\", no-store, b=\"x\""]], false),
        ([["Cache-Control", "no-storeX, xno-store, store"]], true),
        ([["Cache-Control", ", ,"]], true),
        ([["Cache-Control", "private"]], true),
        ([["Cache-Control", "PRIVATE=\"set-cookie\""]], true),
        ([["X-Cache-Control", "no-store"]], true),
        ([["Vary", "*"]], false),
        ([["Vary", "Accept, *"]], false),
        ([["Vary", "Accept"]], true),
    ]

    @Test(arguments: kinds)
    func headersDecideIfAResponseIsStored(
        _ fields: Fields, _ isStored: Bool
    ) async throws {
        let headers = fields.map { ($0[0], $0[1]) }
        let server = try Resource(.init(headers: headers)).server()
        let provider = ServiceProvider<TestService>(interceptors: [ServiceCache()])
        #expect(try await provider.texts(of: server.service()) == ["one", "one"])
        #expect(server.tags == [nil, isStored ? "\"1\"" : nil])
    }

    @Test func aRequestWithNoStoreIsNotStored() async throws {
        let server = try Resource().server()
        let provider = ServiceProvider<TestService>(interceptors: [ServiceCache()])
        var service = server.service()
        service.headers = ["cache-control": "No-Store"]
        _ = try await provider.texts(of: service)
        _ = try await provider.texts(of: server.service())
        #expect(server.tags == [nil, nil, nil, "\"1\""])
    }

    /// The headers of a 304 count too.
    @Test func noStoreInA304RemovesTheStoredResponse() async throws {
        let resource = Resource()
        let server = try resource.server()
        let provider = ServiceProvider<TestService>(interceptors: [ServiceCache()])
        _ = try await provider.texts(of: server.service(), 1)
        resource.change { $0.headers = [("Cache-Control", "no-store")] }
        #expect(try await provider.texts(of: server.service()) == ["one", "one"])
        #expect(server.tags == [nil, "\"1\"", nil])
    }

    /// `Vary`, the headers of two requests, and whether the second request is conditional.
    static let variants: [(String, [String: String], [String: String], Bool)] = [
        ("", ["Accept": "a"], ["Accept": "b"], true),
        ("Accept", ["Accept": "a"], ["Accept": "a"], true),
        ("Accept", ["Accept": "a"], ["accept": "a"], true),
        ("accept", ["Accept": "a"], ["Accept": "b"], false),
        ("X-One,\tACCEPT ", ["Accept": "a"], ["Accept": "b"], false),
        ("X-One", ["X-One": "1"], [:], false),
        ("X-One", [:], ["X-One": "1"], false),
        ("X-One", [:], ["X-One": ""], false),
        ("X-One", [:], ["X-Two": "2"], true),
        // They look the same, but have other bytes.
        ("X-One", ["X-One": "\u{E9}"], ["X-One": "e\u{301}"], false),
        // Headers with secrets count even if `Vary` doesn't name them.
        ("", ["Authorization": "Bearer a"], ["Authorization": "Bearer b"], false),
        ("", ["Authorization": "Bearer a"], [:], false),
        ("", [:], ["Authorization": "Bearer a"], false),
        ("", ["Cookie": "id=1"], ["Cookie": "id=2"], false),
        ("", ["X-Api-Key": "1"], ["X-Api-Key": "2"], false),
        ("", ["X-Api-Key": "1"], ["x-api-key": "1"], true),
        ("Accept", ["Authorization": "a"], ["Authorization": "b"], false),
    ]

    @Test(arguments: variants)
    func requestsShareAResponseIfTheirHeadersMatch(
        _ vary: String, _ first: [String: String], _ second: [String: String], _ isSame: Bool
    ) async throws {
        let resource = Resource(.init(headers: vary.isEmpty ? [] : [("Vary", vary)]))
        let server = try resource.server()
        let provider = ServiceProvider<TestService>(interceptors: [ServiceCache()])
        var service = server.service()
        service.headers = first
        _ = try await provider.texts(of: service, 1)
        service.headers = second
        #expect(try await provider.texts(of: service, 1) == ["one"])
        #expect(server.tags == [nil, isSame ? "\"1\"" : nil])
    }

    /// Even with the credentials added by an inner interceptor (the wrong order), no user gets
    /// another user's response.
    @Test(.row("R20")) func credentialsOfAnInnerInterceptorAreNotMixedUp() async throws {
        let users = Locked(["a", "b", "b", "a"][...])
        let server = try LoopbackServer { request in
            let user = request.header("Authorization") ?? ""
            // A faulty server: it accepts one user's tag from the other user.
            return request.header("If-None-Match") == nil
                ? .text(user).header("ETag", "\"1\"") : .statusCode(304)
        }
        let signing = Intercept.changing { request in
            try? request.setHeader("Authorization", to: users { $0.popFirst() ?? "c" })
        }
        let provider = ServiceProvider<TestService>(
            interceptors: [ServiceCache(), signing])
        #expect(try await provider.texts(of: server.service(), 4) == ["a", "b", "b", "a"])
    }

    /// The response was stored before there was a credential.
    @Test func aResponseStoredWithoutACredentialIsNotUsedWithOne() async throws {
        let user = Locked<String?>(nil)
        let server = try LoopbackServer { request in
            request.header("If-None-Match") == nil
                ? .text(request.header("Authorization") ?? "nobody").header("ETag", "\"1\"")
                : .statusCode(304)
        }
        let signing = Intercept.changing { request in
            if let user = user({ $0 }) { try? request.setHeader("Authorization", to: user) }
        }
        let provider = ServiceProvider<TestService>(
            interceptors: [ServiceCache(), signing])
        #expect(try await provider.texts(of: server.service(), 1) == ["nobody"])
        user { $0 = "a" }
        #expect(try await provider.texts(of: server.service(), 1) == ["a"])
    }
}
