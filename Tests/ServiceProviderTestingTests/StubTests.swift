// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import ServiceProviderTesting
import TestSupport
import Testing

@Suite(.serialized, .opensFiles, .timeLimit) struct StubTests {
    let hulk = #"{"id": 1, "name": "Hulk"}"#

    private func provider(_ stubs: ServiceStub...) -> ServiceProvider<TestService> {
        let queue = Locked(stubs[...])
        return ServiceProvider(stubs: ServiceStubs { _ in queue { $0.popFirst() } })
    }

    @Test func sampleDataComesFromTheService() async throws {
        let provider = ServiceProvider<TestService>(stubs: .sampleData)
        let hero = try await provider.load(
            service: TestService(sampleData: Data(hulk.utf8)), decodeType: Hero.self)
        #expect(hero == Hero(id: 1, name: "Hulk"))
        let response = try await provider.response(
            service: TestService(sampleData: Data("text".utf8)))
        #expect(response.statusCode == 200)
        #expect(response.data == Data("text".utf8))
        let error = try await failure {
            _ = try await provider.load(service: TestService(), decodeType: Hero.self)
        }
        guard case .emptyResponse = error else {
            Issue.record(error)
            return
        }
    }

    /// Foundation would take minutes to parse them.
    @Test(.row("Z13"), arguments: ["Content-Type", "content-disposition"])
    func longContentTypesAreRefused(_ name: String) async throws {
        for (size, isRefused) in [(8_192, false), (8_193, true), (1 << 20, true)] {
            let headers = [name: String(repeating: "a", count: size)]
            let outcome = await provider(.statusCode(204, headers: headers)).end(of: TestService())
            #expect((outcome == "204") != isRefused, "\(outcome)")
        }
    }

    @Test(.row("C22")) func stubsAreUsedOnceAndInOrder() async throws {
        let stubs = ServiceStubs(responses: [
            .json(hulk), .statusCode(204), .data(Data("c".utf8), statusCode: 201),
        ])
        let provider = ServiceProvider<TestService>(stubs: stubs)
        var outcomes: [String] = []
        for _ in 0..<3 {
            let response = try await provider.response(service: TestService())
            outcomes.append(
                "\(response.statusCode) \(String(decoding: response.data, as: UTF8.self))")
        }
        #expect(outcomes == ["200 \(hulk)", "204 ", "201 c"])
        let secret = canary("stub query")
        let error = try await failure {
            try await provider.load(service: TestService(parameters: ["api_key": secret]))
        }
        guard case .transport(let cause) = error else {
            Issue.record(error)
            return
        }
        #expect(cause.code == .resourceUnavailable)
        let text = transcribed(error.description, as: .error)
        #expect(text.contains("https://example.com"))
        #expect(text.contains("no stub is left for 'GET /api'"))
        #expect(!text.contains(secret))
        #expect(stubs.requests.count == 4)
    }

    @Test func aClosureSeesTheRequest() async throws {
        let stubs = ServiceStubs { request in
            .data(Data((request.urlRequest.url?.path ?? "").utf8))
        }
        let provider = ServiceProvider<TestService>(stubs: stubs)
        #expect(try await provider.load(service: TestService()) == Data("/api".utf8))
        #expect(
            try await provider.load(
                service: TestService(baseURL: "https://example.com", path: "/a")) == Data("/a".utf8)
        )
        #expect(stubs.requests.map(\.description) == ["GET /api", "GET /a"])
    }

    /// The first of the recorded requests gets the first stub, even if calls run at the same time.
    @Test func manyCallsShareTheStubs() async throws {
        let (tasks, count) = (8, sanitized(5_000))
        let stubs = ServiceStubs(
            responses: (0..<tasks * count).map { .data(Data("\($0)".utf8)) })
        let texts = Locked<[String: String]>([:])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<tasks {
                group.addTask {
                    var request = try TestService().request()
                    for number in 0..<count {
                        try request.setHeader("X-Number", to: "\(task) \(number)")
                        let response = try await stubs.intercept(request) {
                            ServiceResponse(request: $0, statusCode: 500)
                        }
                        texts { $0["\(task) \(number)"] = response.text }
                    }
                }
            }
            try await group.waitForAll()
        }
        let inOrder = stubs.requests.map { request in
            texts { $0[request.header("X-Number") ?? ""] }
        }
        #expect(inOrder == (0..<tasks * count).map { "\($0)" })
    }

    @Test func requestsWithoutAStubAreSentToTheTransport() async throws {
        let server = try LoopbackServer(responses: [.text("real")])
        let stubs = ServiceStubs { $0.urlRequest.url?.path == "/stubbed" ? .statusCode(204) : nil }
        let provider = ServiceProvider<TestService>(interceptors: [stubs])
        #expect(try await provider.load(service: server.service("/stubbed")) == Data())
        #expect(server.isUntouched)
        #expect(try await provider.load(service: server.service("/real")) == Data("real".utf8))
        #expect(stubs.requests.count == 2)

        let stubbed = ServiceProvider<TestService>(stubs: stubs)
        let error = try await stubbed.failure(of: server.service("/real"))
        #expect(error.urlErrorCode == .resourceUnavailable)
        #expect(error.description.contains("no stub is left for 'GET /real'"))
        #expect(server.requests.count == 1)
    }

    @Test func theStatusOfAStubIsChecked() async throws {
        let provider = provider(
            .json(#"{"message": "gone"}"#, statusCode: 404, headers: ["X-Why": "because"]),
            .statusCode(302, headers: ["Location": "http://elsewhere.invalid/"]))
        let error = try await failure { try await provider.load(service: TestService()) }
        #expect(error.unacceptableStatus == 404)
        #expect(error.response?.header("x-why") == "because")
        #expect(error.response?.header("content-type") == "application/json")
        #expect(error.description.contains("404 for 'GET /api'"))
        #expect(error.serverMessage == "gone")
        let redirect = try await failure { try await provider.load(service: TestService()) }
        #expect(redirect.unacceptableStatus == 302)
    }

    @Test func aStubCanFail() async throws {
        struct Own: Error {}
        let provider = provider(
            .error(URLError(.cannotFindHost)), .error(Own()), .error(CancellationError()))
        let lost = try await failure { try await provider.load(service: TestService()) }
        #expect(lost.urlErrorCode == .cannotFindHost)
        #expect(lost.description.contains("https://example.com"))
        let own = try await failure { try await provider.load(service: TestService()) }
        guard case .interceptor(let cause) = own, cause is Own else {
            Issue.record(own)
            return
        }
        let cancelled = try await failure { try await provider.load(service: TestService()) }
        #expect(cancelled.isCancelled)
    }

    @Test(arguments: [
        ([:], "2"), (["content-length": "7"], "7"), (["Content-Length": "0"], "0"),
    ])
    func theHeadersOfAStubAreKept(_ headers: [String: String], _ length: String) async throws {
        let provider = provider(
            .json("{}", headers: headers), .json("{}", headers: ["content-TYPE": "text/x"]))
        let response = try await provider.response(service: TestService())
        #expect(response.header("Content-Length") == length)
        let other = try await provider.response(service: TestService())
        #expect(other.header("Content-Type") == "text/x")
    }

    @Test func interceptorsRunAroundStubs() async throws {
        let stubs = ServiceStubs(responses: [.statusCode(503), .json("{}")])
        let retrying = Intercept { request, next in
            let response = try await next(request)
            return response.statusCode == 503 ? try await next(request) : response
        }
        let signing = Intercept.changing { try? $0.setHeader("X-Signature", to: "signed") }
        let provider = ServiceProvider<TestService>(
            stubs: stubs, interceptors: [retrying, signing])
        #expect(try await provider.load(service: TestService()) == Data("{}".utf8))
        let signatures = stubs.requests.map {
            $0.urlRequest.value(forHTTPHeaderField: "X-Signature")
        }
        #expect(signatures == ["signed", "signed"])
    }

    /// A request that a transport would refuse is refused in tests too.
    @Test func invalidRequestsAreRefusedBeforeTheStub() async throws {
        let stubs = ServiceStubs.sampleData
        let provider = ServiceProvider<TestService>(
            stubs: stubs,
            interceptors: [Intercept.changing { $0.urlRequest.httpBody = Data("body".utf8) }])
        let error = try await failure { try await provider.load(service: TestService()) }
        #expect(error.invalidPart == .body)
        #expect(stubs.requests.isEmpty)
    }
}
