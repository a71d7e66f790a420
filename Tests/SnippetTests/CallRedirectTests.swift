// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import TestTraits
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Redirects within an origin are followed.
@Suite(.serialized, .opensFiles, .timeLimit) struct CallRedirectTests {
    private let server: LoopbackServer

    init() throws { server = try LoopbackServer() }

    private func endpoint(_ method: ServiceMethod = .get) -> Endpoint {
        var endpoint = Endpoint(baseURL: server.baseURL, path: "/start", method: method)
        endpoint.headers = ["Authorization": "Bearer secret"]
        if ![.get, .head].contains(method) {
            endpoint.body = .data(Data("body".utf8), contentType: "text/plain")
        }
        return endpoint
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func headersAreKept(_ status: Int) async throws {
        server.enqueue(.redirect(to: "/there?a=1", statusCode: status), .text("there"))
        let response = try await ServiceProvider<Endpoint>().response(service: endpoint())
        #expect(response.data == Data("there".utf8))
        #expect(server.requests.map(\.target) == ["/start", "/there?a=1"])
        let sent = server.requests.map { $0.header("Authorization") }
        #expect(sent == ["Bearer secret", "Bearer secret"])
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func methodsFollowTheRFC(_ status: Int) async throws {
        for method in [ServiceMethod.post, .put, .delete] {
            server.enqueue(.redirect(to: "/there", statusCode: status), .text("there"))
            try await ServiceProvider<Endpoint>().load(service: endpoint(method))
            let becomesGet = status == 303 || (status < 303 && method == .post)
            let request = try #require(server.requests.last)
            #expect(request.method == (becomesGet ? "GET" : method.rawValue))
            #expect(request.body == (becomesGet ? Data() : Data("body".utf8)))
            #expect(request.header("Content-Type") == (becomesGet ? nil : "text/plain"))
        }
    }

    @Test func relativeLocationsAreResolved() async throws {
        let locations: KeyValuePairs = [
            "d": "/a/d", "?x=1": "/a/b?x=1", "../c": "/c", "/e/./f": "/e/f",
        ]
        for (location, target) in locations {
            var endpoint = endpoint()
            endpoint.path = "/a/b"
            server.enqueue(.redirect(to: location), .text("there"))
            try await ServiceProvider<Endpoint>().load(service: endpoint)
            #expect(server.requests.last?.target == target)
        }
    }

    /// Foundation escapes a URL again if one of its characters isn't allowed.
    @Test func escapesOfALocationAreKept() async throws {
        let locations: KeyValuePairs = [
            "/there?sig=a%252Fb&filter[x]=1": "/there?sig=a%252Fb&filter%5Bx%5D=1",
            "/a%2Fb/%5B?c=a b%20": "/a%2Fb/%5B?c=a%20b%20",
            "/there?a=100%&b=%2F&c=%2": "/there?a=100%25&b=%2F&c=%252",
            "/report%20[1].pdf?a=[2]": "/report%20%5B1%5D.pdf?a=%5B2%5D",
        ]
        for (location, target) in locations {
            for start in ["", server.baseURL] {
                server.enqueue(.redirect(to: start + location), .text("there"))
                try await ServiceProvider<Endpoint>().load(service: endpoint())
                #expect(server.requests.last?.target == target)
            }
        }
    }

    @Test func aServerDoesNotChooseCredentials() async throws {
        let location = "http://evil:chosen@127.0.0.1:\(server.port)/there"
        for (user, sent) in [("", nil), ("joe:pass@", "Basic am9lOnBhc3M=")] {
            server.enqueue(.redirect(to: location), .text("there"))
            let base = "http://\(user)127.0.0.1:\(server.port)"
            try await ServiceProvider<Endpoint>().load(service: Endpoint(baseURL: base))
            let request = try #require(server.requests.last)
            #expect(request.path == "/there")
            #expect(request.header("Authorization") == sent)
        }
    }

    @Test func aHeadStaysAHead() async throws {
        for status in [301, 302, 303, 307, 308] {
            server.enqueue(.redirect(to: "/there", statusCode: status), .statusCode(200))
            try await ServiceProvider<Endpoint>().load(service: endpoint(.head))
            #expect(server.requests.last?.path == "/there")
            #expect(server.requests.last?.method == "HEAD")
        }
    }

    @Test func anOriginMayBeWrittenInOtherWays() async throws {
        let base = "http://localhost:\(server.port)"
        for start in ["HTTP://localhost", "http://LocalHost", "//LOCALHOST", "//joe@localhost"] {
            server.enqueue(.redirect(to: "\(start):\(server.port)/there"), .text("there"))
            let data = try await ServiceProvider<Endpoint>().load(service: Endpoint(baseURL: base))
            #expect(data == Data("there".utf8))
        }
    }

    /// A server has chosen the path.
    @Test func textsDoNotQuoteALocation() async throws {
        server.enqueue(.redirect(to: "/canary/1"), .redirect(to: "/canary/2"), .statusCode(404))
        let error = try #require(await endpoint().failure(ServiceProvider<Endpoint>()))
        #expect(server.requests.last?.path == "/canary/2")
        var dumped = ""
        dump(error.response?.request, to: &dumped)
        for text in [error.description, error.localizedDescription, "\(error)", dumped] {
            #expect(!text.contains("canary"))
            #expect(!text.contains("secret"))
        }
        #expect(error.description.contains("GET /start"))
    }

    @Test func noFieldOfABodyIsSentWithoutIt() async throws {
        server.enqueue(.redirect(to: "/there", statusCode: 303), .text("there"))
        var endpoint = endpoint(.post)
        endpoint.headers["Content-Encoding"] = "gzip"
        try await ServiceProvider<Endpoint>().load(service: endpoint)
        #expect(server.requests.map { $0.header("Content-Encoding") } == ["gzip", nil])
    }

    /// A stream can be read once.
    @Test(arguments: [307, 308]) func aStreamIsNotSentAgain(_ status: Int) async throws {
        server.enqueue(.redirect(to: "/there", statusCode: status), .text("there"))
        var endpoint = endpoint(.post)
        endpoint.body = nil
        endpoint.change = { request in
            request.urlRequest.httpBodyStream = InputStream(data: Data("body".utf8))
        }
        let error = await endpoint.failure(ServiceProvider<Endpoint>())
        #expect(error?.statusCode == status)
        #expect(server.requests.count == 1)
    }

    /// Comparing characters of many combining marks takes quadratic time.
    @Test func aLocationOfMarksIsReadFast() async throws {
        let marks = String(repeating: "\u{301}\u{323}", count: 12_000)
        server.enqueue(.redirect(to: "/" + marks), .text("there"))
        let start = ContinuousClock.now
        _ = try? await ServiceProvider<Endpoint>().load(service: endpoint())
        #expect(ContinuousClock.now - start < .seconds(20))
    }

    @Test func anEndlessRedirectEnds() async throws {
        let server = try LoopbackServer { .redirect(to: $0.target) }
        let endpoint = Endpoint(baseURL: server.baseURL)
        #expect(await endpoint.failure(.init())?.statusCode == 302)
        #expect(server.requests.count == 21)
    }

    @Test(arguments: ["", "ftp://127.0.0.1/a", "http://", "//", "http://[", "mailto:a@b", "\u{7F}"])
    func otherLocationsAreNotFollowed(_ location: String) async throws {
        let redirect = Stub(statusCode: 302, headers: ["Location": location])
        let provider = ServiceProvider<Endpoint>(interceptors: [redirect])
        #expect(await endpoint().failure(provider)?.statusCode == 302)
    }

    /// Foundation decodes the host of a URL, and some versions cut it at a NUL.
    @Test func anEscapeInAHostIsAnotherOrigin() async throws {
        for escape in ["%00.evil.example", "%2F.evil.example", "%40evil.example"] {
            server.enqueue(.redirect(to: "http://127.0.0.1\(escape):\(server.port)/there"))
            #expect(await endpoint().failure(.init()) != nil)
            #expect(server.requests.last?.path == "/start")
        }
    }

    /// The package follows them without credentials. Nothing sends credentials to another origin.
    @Test func noCredentialsAreSentToAnotherOrigin() async throws {
        let other = try LoopbackServer { _ in .text("other") }
        for host in ["127.0.0.1", "localhost"] {
            server.enqueue(.redirect(to: "http://\(host):\(other.port)/there"))
            _ = try? await ServiceProvider<Endpoint>().load(service: endpoint())
        }
        for request in other.requests {
            #expect(request.header("Authorization") == nil)
        }
        #expect(server.requests.count == 2)
    }
}
