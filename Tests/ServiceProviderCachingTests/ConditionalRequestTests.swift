// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderCaching
import ServiceProviderExtras
import ServiceProviderTransfers
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite(.serialized, .opensFiles, .timeLimit) struct ConditionalRequestTests {
    private func provider(
        _ inner: any ServiceInterceptor...
    ) -> ServiceProvider<TestService> {
        ServiceProvider(interceptors: [ServiceCache()] + inner)
    }

    /// On Apple platforms, URLSession's own cache would respond without contacting the server.
    @Test func urlSessionsCacheIsBypassed() async throws {
        let policies = Locked<[NSURLRequest.CachePolicy]>([])
        let inner = Intercept { request, _ in
            policies { $0.append(request.urlRequest.cachePolicy) }
            return try request.respond(200)
        }
        _ = try await provider(inner).load(service: TestService())
        _ = try await provider(inner).load(service: TestService(method: .post))
        #expect(
            policies { $0 }
                == [.reloadIgnoringLocalCacheData, .useProtocolCachePolicy])
    }

    @Test func a304ReturnsTheStoredResponse() async throws {
        let resource = Resource(
            .init(headers: [("X-Version", "a")]),
            extra: [("X-Version", "b"), ("X-Extra", "c"), ("Content-Encoding", "gzip")])
        let server = try resource.server()
        let provider = provider()
        var service = server.service()
        service.headers = ["Accept": "text/plain"]
        _ = try await provider.load(service: service)
        let response = try await provider.response(service: service)
        #expect(response.statusCode == 200)
        #expect(response.data == Data("one".utf8))
        #expect(response.http?.mimeType == "text/plain")
        #expect(response.http?.expectedContentLength == 3)
        #expect(response.header("X-Version") == "b")
        #expect(response.header("X-Extra") == "c")
        #expect(response.header("Content-Encoding") == nil)
        #expect(response.header("ETag") == "\"1\"")
        #expect(response.http?.url?.path == "/start")
        #expect(response.request.urlRequest.allHTTPHeaderFields == ["Accept": "text/plain"])
        #expect(server.tags == [nil, "\"1\""])

        // The headers of the 304 are stored too, and later calls are still validated.
        resource.change { $0.headers = [] }
        let third = try await provider.response(service: service)
        #expect(third.header("X-Version") == "b")
        #expect(server.requests.count == 3)
    }

    @Test(arguments: [
        ("\"1\"", nil), ("W/\"1\"", nil), ("unquoted", nil), (nil, "Mon, 06 Jul 2026 10:00:00 GMT"),
        ("\"1\"", "Mon, 06 Jul 2026 10:00:00 GMT"), (nil, nil),
    ])
    func validatorsAreSentBackUnchanged(_ tag: String?, _ date: String?) async throws {
        let server = try Resource(.init(tag: tag, date: date)).server()
        #expect(try await provider().texts(of: server.service()) == ["one", "one"])
        #expect(server.tags == [nil, tag])
        #expect(server.requests.map { $0.header("If-Modified-Since") } == [nil, date])
    }

    @Test func aNewVersionReplacesTheOldOne() async throws {
        let resource = Resource()
        let (server, provider) = (try resource.server(), provider())
        _ = try await provider.load(service: server.service())
        resource.change { $0 = .init(tag: "\"2\"", text: "two") }
        #expect(try await provider.texts(of: server.service()) == ["two", "two"])
        #expect(server.tags == [nil, "\"1\"", "\"2\""])
        // A version without a validator replaces the old one too.
        resource.change { $0 = .init(tag: nil, text: "three") }
        #expect(try await provider.texts(of: server.service()) == ["three", "three"])
        #expect(server.tags.suffix(2) == ["\"2\"", nil])
    }

    @Test func theStoredResponseIsUsedIfTheNewVersionCannotBeLoaded() async throws {
        let server = try LoopbackServer(responses: [
            .text("one").header("ETag", "\"1\"").header("Cache-Control", "stale-if-error=60"),
            .statusCode(304).header("ETag", "\"2\""), .text("two").cut(.close, afterBodyBytes: 1),
        ])
        #expect(try await provider().texts(of: server.service(), 2) == ["one", "one"])
        #expect(server.requests.count == 3)
    }

    /// The 304 names a different version, or the request had no condition.
    @Test func a304ForAnotherVersionIsNotUsed() async throws {
        let server = try LoopbackServer(responses: [
            .text("one").header("ETag", "\"1\""), .statusCode(304).header("ETag", "\"2\""),
            .text("two").header("ETag", "\"2\""), .statusCode(304).header("ETag", "W/\"2\""),
        ])
        let texts = try await provider().texts(of: server.service(), 3)
        #expect(texts == ["one", "two", "two"])
        #expect(server.tags == [nil, "\"1\"", nil, "\"2\""])

        let lost = try LoopbackServer(responses: [.statusCode(304)])
        #expect(try await provider().failure(of: lost.service()).unacceptableStatus == 304)
    }

    /// The redirect passes the condition on to a target that has the same tag for other content.
    @Test func a304FromARedirectTargetIsNotUsed() async throws {
        let other = Resource(.init(text: "other"))
        let server = try LoopbackServer { request in
            request.path == "/there" ? other.response(to: request) : .redirect(to: "/there")
        }
        server.enqueue(.text("one").header("ETag", "\"1\""))
        #expect(try await provider().texts(of: server.service()) == ["one", "other"])
        #expect(server.tags == [nil, "\"1\"", "\"1\"", nil, nil])
    }

    @Test(arguments: ["If-None-Match", "If-Modified-Since", "if-match", "Range", "If-Range"])
    func aConditionSetByTheCallerIsKept(_ name: String) async throws {
        let server = try Resource().server()
        let provider = provider()
        _ = try await provider.load(service: server.service())
        var service = server.service()
        service.headers = [name: "\"1\""]
        let outcome = await provider.outcome(of: service)
        #expect(server.requests.last?.header(name) == "\"1\"")
        if name == "If-None-Match" {
            guard case .failure(let error) = outcome else {
                Issue.record("no error")
                return
            }
            #expect(error.unacceptableStatus == 304)
        } else {
            #expect(outcome.isSuccess)
            #expect(server.tags == [nil, nil])
        }
    }

    @Test func downloadsAndStreamsAreNotConditional() async throws {
        let (server, provider) = (try Resource().server(), provider())
        let folder = try TemporaryFolder()
        _ = try await provider.load(service: server.service())
        try await provider.download(service: server.service(), to: folder.file("a"))
        #expect(folder.text(of: "a") == "one")
        for try await chunk in try await provider.stream(service: server.service()) {
            #expect(chunk == Data("one".utf8))
        }
        #expect(server.tags == [nil, nil, nil])
    }

    @Test func headRequestsAndFailuresDoNotChangeTheStore() async throws {
        let (server, provider) = (try Resource().server(), provider())
        _ = try await provider.load(service: server.service())
        server.enqueue(.statusCode(200), .statusCode(500), .statusCode(404))
        _ = try await provider.load(service: server.service(method: .head))
        for status in [500, 404] {
            #expect(
                try await provider.failure(of: server.service()).unacceptableStatus == status)
        }
        #expect(try await provider.load(service: server.service()) == Data("one".utf8))
        #expect(server.tags == [nil, nil, "\"1\"", "\"1\"", "\"1\""])
    }

    @Test(arguments: [
        ("PUT", 204, true), ("POST", 201, true), ("PATCH", 200, true), ("DELETE", 204, true),
        ("PURGE", 200, true), ("POST", 304, true), ("PUT", 409, false), ("DELETE", 500, false),
        ("OPTIONS", 204, false), ("HEAD", 200, false),
    ])
    func aChangeRemovesTheStoredResponse(
        _ method: String, _ status: Int, _ forgets: Bool
    ) async throws {
        let (server, provider) = (try Resource().server(), provider())
        _ = try await provider.texts(of: server.service(), 1)
        server.enqueue(.statusCode(status))
        let change = server.service(method: ServiceMethod(rawValue: method))
        _ = await provider.outcome(of: change)
        #expect(try await provider.texts(of: server.service(), 1) == ["one"])
        #expect(server.tags == [nil, nil, forgets ? nil : "\"1\""])
    }
}
