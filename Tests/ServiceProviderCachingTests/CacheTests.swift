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

@Suite(.serialized, .opensFiles, .timeLimit) struct CacheTests {
    private let clock = TestClock()

    private func provider(
        _ transport: TransportUnderTest = .ownSession, _ inner: any ServiceInterceptor...
    ) -> ServiceProvider<TestService> {
        let cache: any ServiceInterceptor = ServiceCache(clock: clock.clock)
        return ServiceProvider(transport: transport.make(), interceptors: [cache] + inner)
    }

    private func resource(_ control: String) -> Resource {
        Resource(.init(headers: [("Cache-Control", control)]))
    }

    @Test(.row("C19"), arguments: TransportUnderTest.allCases)
    func aResponseIsFetchedThenFreshThenRevalidated(_ transport: TransportUnderTest) async throws {
        let (resource, provider) = (resource("max-age=60"), provider(transport))
        let server = try resource.server()
        let fetched = try await provider.response(service: server.service())
        #expect(fetched.cacheOutcome == .fetched)
        #expect(fetched.header("Age") == nil)
        clock.advance(by: 40.5)
        let fresh = try await provider.response(service: server.service())
        #expect(fresh.cacheOutcome == .fresh)
        #expect(fresh.header("Age") == "40")
        #expect(fresh.header("ETag") == "\"1\"")
        #expect(fresh.http?.mimeType == "text/plain")
        #expect(fresh.text == "one")
        #expect(server.requests.count == 1)
        clock.advance(by: 40)
        let revalidated = try await provider.response(service: server.service())
        #expect(revalidated.cacheOutcome == .revalidated)
        #expect(revalidated.header("Age") == nil)
        #expect(server.tags == [nil, "\"1\""])
        // The 304 starts a new period.
        clock.advance(by: 59)
        #expect(try await provider.texts(of: server.service(), 1) == ["one"])
        #expect(server.requests.count == 2)
        resource.change { $0 = .init(tag: "\"2\"", text: "two") }
        clock.advance(by: 1)
        let new = try await provider.response(service: server.service())
        #expect(new.cacheOutcome == .fetched)
        #expect(new.text == "two")
    }

    /// The age of the first response says nothing about the 304.
    @Test func a304WithoutADateIsAsNewAsItsArrival() async throws {
        let start = "Fri, 15 Jan 2027 08:00:00 GMT"
        let server = try LoopbackServer(responses: [
            .text("one").header("ETag", "\"1\"").header("Age", "50").header("Date", start)
                .header("Cache-Control", "max-age=60"),
            .statusCode(304).header("Cache-Control", "max-age=30"),
        ])
        let provider = provider()
        _ = try await provider.load(service: server.service())
        clock.advance(by: 100)
        _ = try await provider.load(service: server.service())
        clock.advance(by: 29)
        let response = try await provider.response(service: server.service())
        #expect(response.header("Age") == "29")
        #expect(server.requests.count == 2)
    }

    /// The request had no condition, because the stored response has no validator.
    @Test func a304WithoutAConditionIsReturned() async throws {
        let server = try LoopbackServer(responses: [.text("one"), .statusCode(304)])
        let provider = provider()
        _ = try await provider.load(service: server.service())
        #expect(try await provider.failure(of: server.service()).unacceptableStatus == 304)
        let offline = provider.wrapped(in: ServiceCachePolicy.offline)
        #expect(try await offline.texts(of: server.service(), 1) == ["one"])
    }

    /// RFC 9111, section 4.2.3: the response may be as old as its request.
    @Test func theAgeCountsFromTheRequest() async throws {
        let server = try resource("max-age=40").server()
        let slow = Intercept { [clock] request, next in
            clock.advance(by: 30)
            return try await next(request)
        }
        let provider = provider(.ownSession, slow)
        _ = try await provider.load(service: server.service())
        clock.advance(by: 9)
        #expect(try await provider.response(service: server.service()).header("Age") == "39")
        clock.advance(by: 1)
        _ = try await provider.load(service: server.service())
        #expect(server.requests.count == 2)
    }

    @Test(arguments: [201, 203, 204, 206, 300, 404, 410, 500])
    func onlyStatus200IsStored(_ status: Int) async throws {
        let server = try LoopbackServer { _ in
            .text("x", statusCode: status).header("Cache-Control", "max-age=60").header(
                "ETag", "\"1\"")
        }
        var service = server.service()
        service.validStatusCodes = [status]
        let provider = provider()
        for _ in 0..<2 { _ = try await provider.load(service: service) }
        #expect(server.tags == [nil, nil])
    }

    @Test func otherRequestsAreNotAnsweredFromTheCache() async throws {
        let (server, provider) = (try resource("max-age=60").server(), provider())
        let folder = try TemporaryFolder()
        _ = try await provider.load(service: server.service())
        for method in [ServiceMethod.head, .options, .post] {
            _ = try await provider.load(service: server.service(method: method))
        }
        _ = try await provider.load(service: server.service())
        var partial = server.service()
        partial.headers = ["Range": "bytes=0-1"]
        _ = try await provider.load(service: partial)
        try await provider.download(service: server.service(), to: folder.file("a"))
        #expect(folder.text(of: "a") == "one")
        // One after the POST, which removed the first one.
        #expect(server.requests.count == 7)
    }

    /// The server may have sent the response before the change.
    @Test func aResponseFromBeforeAChangeIsNotStored() async throws {
        let gate = Gate()
        let slow = Intercept { request, next in
            let response = try await next(request)
            if request.urlRequest.httpMethod == "GET" { await gate.pass() }
            return response
        }
        let (server, provider) = (
            try resource("max-age=60").server(), provider(.ownSession, slow)
        )
        async let old = provider.texts(of: server.service(), 1)
        await gate.arrivals(reach: 1)
        _ = try await provider.load(service: server.service(method: .put))
        gate.open()
        #expect(try await old == ["one"])
        _ = try await provider.texts(of: server.service(), 1)
        #expect(server.requests.map(\.method) == ["GET", "PUT", "GET"])
    }

    @Test func aRedirectIsFollowedToAFreshResponse() async throws {
        let resource = resource("max-age=60")
        let server = try LoopbackServer { request in
            request.path == "/there" ? resource.response(to: request) : .redirect(to: "/there")
        }
        let provider = provider()
        #expect(try await provider.texts(of: server.service("/moved")) == ["one", "one"])
        #expect(try await provider.texts(of: server.service("/there"), 1) == ["one"])
        #expect(server.requests.map(\.path) == ["/moved", "/there", "/moved", "/there"])
    }

    /// A redirect isn't an error (RFC 9111, section 4.4). Each URL up to the last redirect is outdated,
    /// whether the call has a policy or not.
    @Test(.row("R21"), arguments: [nil, 5, 1])
    func aRedirectedChangeRemovesTheResponsesEvenIfTheCallFails(
        _ limit: Int?
    ) async throws {
        let resource = resource("max-age=60")
        let server = try LoopbackServer { request in
            switch (request.method, request.path) {
            case ("POST", "/a"): .redirect(to: "/b", statusCode: 307)
            case ("POST", "/b"): .redirect(to: "/lost", statusCode: 303)
            case (_, "/lost"): .statusCode(200).cut(.close, afterHeaderBytes: 0)
            default: resource.response(to: request)
            }
        }
        let provider = provider()
        let pages = ["/a", "/b", "/c"].map { server.service($0) }
        for page in pages { #expect(try await provider.texts(of: page) == ["one", "one"]) }
        var change = server.service("/a", method: .post)
        change.change = { request in
            if let limit { request.limitRedirects(to: limit) }
        }
        let error = try await provider.failure(of: change)
        resource.change { $0 = .init(tag: "\"2\"", text: "two") }
        let stops = error.unacceptableStatus == 303
        #expect(stops || error.urlErrorCode != nil)
        var texts: [String] = []
        for page in pages { texts += try await provider.texts(of: page, 1) }
        #expect(texts == ["two", "two", "one"])
    }

    @Test func aRedirectedChangeKeepsItsHandler() async throws {
        let server = try LoopbackServer { request in
            request.path == "/there" ? .text("there") : .redirect(to: "/there", statusCode: 307)
        }
        let seen = Locked<[String]>([])
        var change = server.service(method: .post)
        change.change = {
            $0.onRedirect = { next, redirect, count in
                seen { $0.append("\(count): \(redirect.request)") }
                return next
            }
        }
        #expect(try await provider().response(service: change).text == "there")
        #expect(seen { $0 } == ["1: POST /start"])
    }

    /// A policy may return a request that it has made. An interceptor inside may send it again.
    @Test func allRedirectsOfAChangeRemoveResponses() async throws {
        let resource = resource("max-age=60")
        let refused = Locked(false)
        let server = try LoopbackServer { request in
            switch (request.method, request.path) {
            case ("POST", "/a"):
                refused { $0 } ? .statusCode(409) : .redirect(to: "/b", statusCode: 307)
            case ("POST", "/b"): .redirect(to: "/lost", statusCode: 303)
            case (_, "/lost"): .statusCode(200).cut(.close, afterHeaderBytes: 0)
            default: resource.response(to: request)
            }
        }
        let again = Intercept { request, next in
            do { return try await next(request) } catch {
                refused { $0 = true }
                return try await next(request)
            }
        }
        let provider = provider(.ownSession, again)
        let pages = ["/a", "/b"].map { server.service($0) }
        for page in pages { #expect(try await provider.texts(of: page) == ["one", "one"]) }
        var change = server.service("/a", method: .post)
        change.change = {
            $0.onRedirect = { next, _, _ in
                next.urlRequest.url.map { url in
                    var request = URLRequest(url: url)
                    request.httpMethod = next.urlRequest.httpMethod
                    return ServiceRequest(request)
                }
            }
        }
        #expect(try await provider.failure(of: change).unacceptableStatus == 409)
        resource.change { $0 = .init(tag: "\"2\"", text: "two") }
        for page in pages { #expect(try await provider.texts(of: page, 1) == ["two"]) }
    }

    /// The server may not have received it.
    @Test func aChangeThatIsNotAnsweredRemovesNothing() async throws {
        let resource = resource("max-age=60")
        let server = try LoopbackServer { request in
            request.method == "POST"
                ? .statusCode(200).cut(.close, afterHeaderBytes: 0) : resource.response(to: request)
        }
        let provider = provider()
        #expect(try await provider.texts(of: server.service(), 1) == ["one"])
        _ = try await provider.failure(of: server.service(method: .post))
        #expect(try await provider.texts(of: server.service(), 1) == ["one"])
        #expect(server.requests.filter { $0.method == "GET" }.count == 1)
    }

    // MARK: - Credentials

    /// Even with the credentials added by an inner interceptor (the wrong order), no user gets
    /// another user's response.
    @Test(arguments: ["Authorization", "X-Api-Key", "Cookie"])
    func aFreshResponseIsForOneUser(_ name: String) async throws {
        let server = try LoopbackServer { request in
            .text(request.header(name) ?? "no one").header("Cache-Control", "max-age=60")
        }
        let users = Locked(["a", "b"][...])
        let signing = Intercept.changing { request in
            try? request.setHeader(name, to: users { $0.popFirst() ?? "c" })
        }
        let inner = provider(.ownSession, signing)
        #expect(try await inner.texts(of: server.service(), 3) == ["a", "b", "c"])
        let provider = provider()
        var service = server.service()
        for user in ["a", "b", "b", "no one"] {
            service.headers = user == "no one" ? [:] : [name: user]
            #expect(try await provider.texts(of: service, 1) == [user])
        }
        #expect(server.requests.count == 6)
    }

    @Test func storedResponsesAreNotPrinted() {
        let secret = canary("stored")
        let stored = ServiceStoredResponse(
            headers: ["a": secret], data: Data(secret.utf8), varyHeaders: ["b": secret],
            created: Date())
        var text = "\(stored) \(String(reflecting: stored))"
        dump(stored, to: &text)
        #expect(!transcribed(text, as: .text).contains(secret))
    }

    /// RFC 9110, section 7.1: the target of a request has no fragment.
    @Test func aChangeRemovesTheResponseOfAURLWithAFragment() async throws {
        let (server, provider) = (try resource("max-age=600").server(), provider())
        var service = server.service()
        service.change = { $0.urlRequest.url = $0.urlRequest.url?.withFragment }
        #expect(try await provider.texts(of: service, 2) == ["one", "one"])
        #expect(try await provider.texts(of: server.service(), 1) == ["one"])
        #expect(server.requests.count == 1)
        server.enqueue(.statusCode(200), .text("two"))
        _ = try await provider.response(service: server.service(method: .post))
        #expect(try await provider.texts(of: service, 1) == ["two"])
    }

    /// A redirect from a secret URL isn't stored in the store, but may make the older one outdated.
    @Test func aRedirectFromASecretURLRemovesTheStoredResponse() async throws {
        let folder = try TemporaryFolder()
        let count = Locked(0)
        let server = try LoopbackServer { request in
            if request.path == "/start" { return .redirect(to: "/target") }
            let number = count {
                $0 += 1
                return $0
            }
            let control = number == 1 ? "max-age=600" : "no-store"
            return .text("\(number)").header("Cache-Control", control)
        }
        let cache = ServiceCache(store: ServiceDirectoryStore(folder.url), clock: clock.clock)
        let provider = ServiceProvider<TestService>(interceptors: [cache])
        let target = server.service("/target")
        #expect(try await provider.texts(of: target, 2) == ["1", "1"])
        var secret = server.service("/start")
        secret.parameters = ["token": "abcdefgh"]
        #expect(try await provider.texts(of: secret, 1) == ["2"])
        #expect(try await provider.texts(of: target, 1) == ["3"])
    }
}

extension URL {
    fileprivate var withFragment: URL? { URL(string: absoluteString + "#part") }
}
