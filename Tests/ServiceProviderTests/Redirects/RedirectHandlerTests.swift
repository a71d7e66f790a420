// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Closures that decide about each redirect.
@Suite(.serialized, .opensFiles, .timeLimit) struct RedirectHandlerTests {
    private struct Refused: Error {}

    private func service(
        _ server: LoopbackServer, _ decide: @escaping ServiceRequest.RedirectHandler
    ) -> TestService {
        var service = server.service("/0")
        service.change = { $0.onRedirect = decide }
        return service
    }

    /// Creates a server that redirects from /0 to /1 and so on, up to /3.
    private func chain() throws -> LoopbackServer {
        try LoopbackServer { request in
            let step = Int(request.path.dropFirst()) ?? 0
            return step < 3 ? .redirect(to: "/\(step + 1)", statusCode: 307) : .text("there")
        }
    }

    @Test(arguments: TransportUnderTest.allCases)
    func theClosureSeesEachRedirect(_ transport: TransportUnderTest) async throws {
        let server = try chain()
        let seen = Locked<[String]>([])
        let service = service(server) { next, response, count in
            let path = next.urlRequest.url?.path ?? ""
            seen { $0.append("\(count): \(response.statusCode) to \(path)") }
            return next
        }
        #expect(try await transport.provider().text(of: service) == "there")
        #expect(seen { $0 } == ["1: 307 to /1", "2: 307 to /2", "3: 307 to /3"])
    }

    /// A redirect to another origin isn't followed with a body, unless the closure or the service says so.
    private func redirectedUpload(
        _ transport: TransportUnderTest, headers: [String: String] = [:],
        _ change: @escaping @Sendable (inout ServiceRequest) -> Void
    ) async throws -> (sent: [LoopbackRequest], outcome: String) {
        let first = try LoopbackServer()
        let others = [try LoopbackServer(), try LoopbackServer()]
        first.enqueue(.redirect(to: others[0].baseURL + "/1", statusCode: 307))
        others[0].enqueue(.redirect(to: others[1].baseURL + "/2", statusCode: 307))
        others[1].enqueue(.text("there"))
        var service = first.service(method: .put)
        service.headers = headers.merging(["X-Api-Key": "secret"]) { $1 }
        service.body = .data(Data("body".utf8), contentType: "text/plain")
        service.change = { change(&$0) }
        let outcome = await transport.provider().end(of: service)
        return (others.flatMap(\.requests), outcome)
    }

    @Test(.row("R10"), arguments: TransportUnderTest.allCases)
    func theClosureSeesARedirectThatIsNotFollowed(_ transport: TransportUnderTest) async throws {
        let seen = Locked<[String]>([])
        let (sent, outcome) = try await redirectedUpload(transport) { request in
            request.onRedirect = { next, _, _ in
                let body = String(decoding: next.urlRequest.httpBody ?? Data(), as: UTF8.self)
                let key = next.urlRequest.value(forHTTPHeaderField: "X-Api-Key") ?? "no key"
                seen { $0.append("\(next.urlRequest.url?.path ?? "") \(body), \(key)") }
                return next
            }
        }
        #expect(seen { $0 } == ["/1 body, no key"])
        #expect(sent.isEmpty)
        #expect(outcome == "307")
    }

    /// The closure allows one redirect. The next one may lead anywhere, so it isn't allowed.
    @Test(.row("R10"), arguments: TransportUnderTest.allCases)
    func theClosureMaySendTheBodyToAnotherOrigin(_ transport: TransportUnderTest) async throws {
        let (sent, outcome) = try await redirectedUpload(transport) { request in
            request.onRedirect = { next, _, count in
                var next = next
                if count == 1 { next.sendsBodyToOtherOrigins = true }
                return next
            }
        }
        #expect(sent.map(\.path) == ["/1"])
        #expect(sent.map(\.body) == [Data("body".utf8)])
        #expect(sent.map { $0.header("X-Api-Key") } == [nil])
        #expect(outcome == "307")
    }

    @Test(.row("R10"), arguments: TransportUnderTest.allCases)
    func aServiceMaySendItsBodyToOtherOrigins(_ transport: TransportUnderTest) async throws {
        let (sent, outcome) = try await redirectedUpload(transport) { request in
            request.sendsBodyToOtherOrigins = true
        }
        #expect(sent.map(\.path) == ["/1", "/2"])
        #expect(sent.map(\.body) == [Data("body".utf8), Data("body".utf8)])
        #expect(sent.map { $0.header("X-Api-Key") } == [nil, nil])
        #expect(outcome == "200")
    }

    /// A body means something else without its encoding and its range.
    @Test(.row("R10"), arguments: TransportUnderTest.allCases)
    func theFieldsOfABodyGoWithIt(_ transport: TransportUnderTest) async throws {
        let fields = ["Content-Encoding": "gzip", "Content-Range": "bytes 0-3/8"]
        let (sent, _) = try await redirectedUpload(transport, headers: fields) { request in
            request.sendsBodyToOtherOrigins = true
        }
        #expect(sent.count == 2)
        for (name, value) in fields {
            #expect(sent.map { $0.header(name) } == [value, value])
        }
    }

    /// Without its condition, the body could overwrite the wrong version.
    @Test(.row("R10"), arguments: TransportUnderTest.allCases, [false, true])
    func aConditionIsNotLost(_ transport: TransportUnderTest, isSetAgain: Bool) async throws {
        let (sent, outcome) = try await redirectedUpload(
            transport, headers: ["If-None-Match": "*"]
        ) { request in
            request.sendsBodyToOtherOrigins = true
            request.onRedirect = { next, _, _ in
                var next = next
                if isSetAgain { try next.setHeader("If-None-Match", to: "*") }
                return next
            }
        }
        #expect(sent.map { $0.header("If-None-Match") } == (isSetAgain ? ["*", "*"] : []))
        #expect(outcome == (isSetAgain ? "200" : "307"))
    }

    /// The same is true without a body.
    @Test(arguments: TransportUnderTest.allCases, [ServiceMethod.delete, .get])
    func aConditionOfADeletionIsNotLost(
        _ transport: TransportUnderTest, method: ServiceMethod
    ) async throws {
        let (first, other) = (try LoopbackServer(), try LoopbackServer { _ in .text("there") })
        first.enqueue(.redirect(to: other.baseURL + "/1", statusCode: 308))
        var service = first.service(method: method)
        service.headers = ["If-Match": "\"1\""]
        let outcome = await transport.provider().end(of: service)
        #expect(outcome == (method == .get ? "200" : "308"))
        #expect(other.requests.count == (method == .get ? 1 : 0))
    }

    @Test(arguments: TransportUnderTest.allCases)
    func theClosureMayStopAtARedirect(_ transport: TransportUnderTest) async throws {
        let server = try chain()
        let service = service(server) { next, _, count in count < 2 ? next : nil }
        let error = try await transport.provider().failure(of: service)
        #expect(error.unacceptableStatus == 307)
        #expect(error.response?.header("Location") == "/2")
        #expect(server.requests.map(\.path) == ["/0", "/1"])
    }

    @Test(.row("C13"), arguments: TransportUnderTest.allCases)
    func theClosureMayChangeHeaders(_ transport: TransportUnderTest) async throws {
        let server = try chain()
        let service = service(server) { next, _, count in
            var next = next
            try next.setHeader("X-Redirect", to: "\(count)")
            return next
        }
        #expect(try await transport.provider().text(of: service) == "there")
        #expect(server.requests.map { $0.header("X-Redirect") } == [nil, "1", "2", "3"])
    }

    @Test(arguments: TransportUnderTest.allCases)
    func errorsOfTheClosureEndTheCall(_ transport: TransportUnderTest) async throws {
        let server = try chain()
        let service = service(server) { _, _, _ in throw Refused() }
        let error = try await transport.provider().failure(of: service)
        guard case .interceptor(is Refused) = error else {
            Issue.record(error)
            return
        }
        #expect(server.requests.count == 1)
    }

    @Test func aChangedRequestIsChecked() async throws {
        let server = try chain()
        let service = service(server) { next, _, _ in
            var next = next
            next.urlRequest.url = URL(string: "file:///etc/passwd")
            return next
        }
        let error = try await ServiceProvider<TestService>().failure(of: service)
        #expect(error.invalidPart == .baseURL)
    }

    @Test func theClosureIsNotAskedAboutRedirectsThatAreNeverFollowed() async throws {
        let server = try LoopbackServer { _ in .redirect(to: "file:///etc/passwd") }
        let service = service(server) { next, _, _ in
            Issue.record("The closure was asked about \(next).")
            return next
        }
        let error = try await ServiceProvider<TestService>().failure(of: service)
        #expect(error.unacceptableStatus == 302)
    }

    @Test func noClosureFollowsMoreThan20Redirects() async throws {
        let server = try LoopbackServer { _ in .redirect(to: "/0") }
        let error = try await ServiceProvider<TestService>().failure(
            of: service(server) { next, _, _ in next })
        #expect(error.unacceptableStatus == 302)
        #expect(server.requests.count == 21)
    }

    @Test(arguments: TransportUnderTest.allCases)
    func textsShowTheFirstRequest(_ transport: TransportUnderTest) async throws {
        let server = try LoopbackServer { request in
            request.path == "/0" ? .redirect(to: "/chosen-by-the-server") : .statusCode(401)
        }
        let error = try await transport.provider().failure(of: server.service("/0"))
        #expect(error.description.hasPrefix("The server answered 401 for 'GET /0'."))
    }

    @Test func aClosureCannotLeaveHTTPS() async throws {
        let urls = Locked<[String]>([])
        let transport = StubTransport { request in
            urls { $0.append(request.urlRequest.url?.absoluteString ?? "") }
            return try request.respond(302, headers: ["Location": "/b"])
        }
        var service = TestService(headers: ["Authorization": "Bearer secret"])
        service.change = {
            $0.onRedirect = { next, _, _ in
                var next = next
                next.urlRequest.url = URL(string: "http://example.com/b")
                return next
            }
        }
        let error = try await ServiceProvider<TestService>(transport: transport).failure(
            of: service)
        #expect(error.unacceptableStatus == 302 && urls { $0 } == ["https://example.com/api"])
    }
}
