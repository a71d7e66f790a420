// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

/// Lists that lead back to one of their pages, and lists that only seem to.
@Suite(.serialized, .opensFiles, .timeLimit) struct PagesLoopTests {
    private let provider = ServiceProvider<TestService>()

    @Test(
        .row("E13"),
        arguments: [
            ([1: 1], [1]), ([1: 2, 2: 1], [1, 2]), ([1: 2, 2: 2], [1, 2]),
            ([1: 2, 2: 3, 3: 4, 4: 2], [1, 2, 3, 4]),
        ])
    func aLoopOfPagesEndsWithAnError(next: [Int: Int], numbers: [Int]) async throws {
        let server = try LoopbackServer.listing(next)
        var iterator = provider.list(server).makeAsyncIterator()
        for number in numbers { #expect(try await iterator.next()?.number == number) }
        let error = await #expect(throws: ServiceError.self) { try await iterator.next() }
        #expect(
            error?.description
                == "Invalid path: the page 'GET /list' was requested twice.")
        #expect(try await iterator.next() == nil)
        #expect(server.pageNumbers == numbers)
    }

    @Test func theErrorOfALoopShowsNoSecrets() async throws {
        let server = try LoopbackServer.listing([1: 1])
        var first = TestService.page(at: "http://user:pass-word@127.0.0.1:\(server.port)?q=hidden")
        first.headers = ["Authorization": "Bearer hidden"]
        let pages = provider.pages(service: first, decodeType: NumberPage.self) { _, _ in first }
        let (delivered, error) = await pages.all()
        #expect(delivered.count == 1)
        let text = try #require(error?.description)
        #expect(text.contains("'GET /list'"))
        for secret in ["page-secret", "pass-word", "user", "hidden", "?"] {
            #expect(!text.contains(secret))
        }
    }

    /// Loads these services as pages. Returns the number of pages that loaded, and the error.
    private func pages(_ services: [TestService]) async throws -> (count: Int, error: ServiceError?)
    {
        let first = try #require(services.first)
        var rest = services.dropFirst()
        let pages = provider.pages(service: first, decodeType: Int.self) { _, _ in rest.popFirst() }
        let (delivered, error) = await pages.all()
        return (delivered.count, error)
    }

    @Test func onlyRepeatedRequestsAreALoop() async throws {
        let server = try LoopbackServer { _ in .json("7") }
        let plain = TestService.page(at: server.baseURL)
        func text(_ text: String) -> ServiceBody { .data(Data(text.utf8)) }
        let long = String(repeating: "l", count: 100_000)
        let changes: [(inout TestService) -> Void] = [
            { $0.parameters = TestService.page(2, at: "").parameters }, { $0.path = "/other" },
            { $0.method = .delete },
            { $0.headers = ["Range": "0-9"] }, { $0.headers = ["Range": "10-19"] },
            // These look the same, but have other bytes.
            { $0.headers = ["X-After": "\u{E9}"] }, { $0.headers = ["X-After": "e\u{301}"] },
            { ($0.method, $0.body) = (.post, text("a")) },
            { ($0.method, $0.body) = (.post, text("b")) },
            { ($0.method, $0.body) = (.put, text("b")) }, { $0.baseURL += "/?x" },
            { ($0.method, $0.body) = (.post, text(long + "a")) },
            { ($0.method, $0.body) = (.post, text(long + "b")) },
        ]
        let services = changes.map { change in
            var service = plain
            change(&service)
            return service
        }
        // All of these requests differ, and repeating any of them is a loop.
        #expect(try await pages([plain] + services).count == services.count + 1)
        for service in [plain] + services {
            let (count, error) = try await pages([plain] + services + [service, plain])
            #expect(count == services.count + 1)
            #expect(error?.invalidPart == .path)
        }
    }

    #if os(Linux)
    /// A body that isn't in memory can't be compared.
    @Test func streamedBodiesAreNoLoop() async throws {
        let server = try LoopbackServer { _ in .json("7") }
        let services = (1...3).map { number in
            var service = TestService(baseURL: server.baseURL, path: "/list", method: .post)
            let parts = AsyncStream { continuation in
                continuation.yield(Data("\(number)".utf8))
                continuation.finish()
            }
            service.body = .stream(parts, contentType: "text/plain")
            return service
        }
        var rest = services.dropFirst()
        let pages = TransportUnderTest.curl.provider()
            .pages(service: services[0], decodeType: Int.self) { _, _ in rest.popFirst() }
        let (delivered, error) = await pages.all()
        #expect(delivered == [7, 7, 7] && error == nil)
        #expect(
            server.requests.map { String(decoding: $0.body, as: UTF8.self) } == ["1", "2", "3"])
    }

    /// The provider detects a page that is requested twice. The data for that takes little memory.
    @Test func theRequestsOfPagesAreNotKept() async {
        await #expect(processExitsWith: .success) {
            let transport = StubTransport { try $0.respond(200, data: Data("7".utf8)) }
            let provider = ServiceProvider<TestService>(transport: transport)
            func page(_ number: Int) -> TestService {
                let body = Data("\(number)".utf8) + Data(count: sanitized(1 << 20))
                return TestService(method: .post, body: .data(body))
            }
            var count = 0
            let pages = provider.pages(service: page(0), decodeType: Int.self) { _, _ in
                count += 1
                return count < 300 ? page(count) : nil
            }
            let before = try #require(ProcessUsage.residentBytes)
            let (delivered, error) = await pages.all()
            #expect(delivered.count == 300 && error == nil)
            let growth = try #require(ProcessUsage.residentBytes) - before
            #expect(growth < 60 << 20)
        }
    }
    #endif

    @Test func bodiesThatAreNotInMemoryAreNotCompared() async throws {
        let server = try LoopbackServer { request in .json("\(request.bodySize)") }
        let provider = ServiceProvider<PagedUploadService>()
        var rest = ["a", "bb"][...]
        let pages = provider.pages(
            service: PagedUploadService(baseURL: server.baseURL, text: "cccc"), decodeType: Int.self
        ) { _, _ in rest.popFirst().map { PagedUploadService(baseURL: server.baseURL, text: $0) } }
        let (sizes, error) = await pages.all()
        #expect(sizes == [4, 1, 2])
        #expect(error == nil)
    }

    @Test func aServiceThatCannotBeBuiltEndsThePages() async throws {
        let server = try LoopbackServer { _ in .json("7") }
        let plain = TestService.page(at: server.baseURL)
        var broken = plain
        broken.path = "/.."
        let (count, error) = try await pages([plain, broken, plain])
        #expect(count == 1)
        #expect(error?.invalidPart == .path)
        #expect(error?.description.contains("a segment '.' or '..'") == true)
    }
}

private struct PagedUploadService: Service {
    let baseURL: String
    let text: String
    let path = "/upload"
    let method = ServiceMethod.post

    var body: ServiceBody? {
        ServiceBody { [text] request in
            let bytes = Data(text.utf8)
            request.upload = { (InputStream(data: bytes), Int64(bytes.count)) }
            return "text/plain"
        }
    }
}
