// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

/// Each failed call is reported to the provider's handler once, with the error that its caller
/// gets.
@Suite(.serialized, .opensFiles, .timeLimit) struct FailureHandlerTests {
    let server: LoopbackServer
    private let reported = Locked<[String]>([])
    private let provider: ServiceProvider<TestService>

    init() throws {
        server = try LoopbackServer()
        let plain = ServiceProvider<TestService>()
        provider = plain.onFailure { [reported] error, request in
            reported { $0.append("\(request?.description ?? "no request"): \(error)") }
        }
    }

    /// Runs a call that fails, and expects that its failure has been reported when it returns.
    private func expect(
        _ place: String, sourceLocation: SourceLocation = #_sourceLocation,
        of call: () async throws -> Void
    ) async throws {
        reported { $0 = [] }
        let error = try await failure(sourceLocation: sourceLocation, of: call)
        #expect(reported { $0 } == ["\(place): \(error)"], sourceLocation: sourceLocation)
    }

    @Test func requestsThatCannotBeBuiltAreReported() async throws {
        let service = TestService(baseURL: "nowhere")
        try await expect("no request") { try await provider.load(service: service) }
        try await expect("no request") { _ = try await provider.stream(service: service) }
        try await expect("no request") { _ = try provider.events(service: service) }
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("none")
        try await expect("no request") { try await provider.download(service: service, to: file) }
        let pages = provider.pages(from: service, decodeType: [Hero].self) { _, _ in nil }
        try await expect("no request") { for try await _ in pages {} }
    }

    /// Building a request isn't a call.
    @Test func failingToBuildARequestAloneIsNotReported() {
        #expect(throws: ServiceError.self) {
            try provider.request(for: TestService(baseURL: "nowhere"))
        }
        #expect(reported { $0 } == [])
    }

    @Test func badStatusesAndBodiesAreReported() async throws {
        let service = server.service("/x")
        server.enqueue(.text("no", status: 404))
        try await expect("GET /x") { try await provider.load(service: service) }
        server.enqueue(.text("no JSON"))
        try await expect("GET /x") {
            _ = try await provider.load(service: service, decodeType: Hero.self)
        }
        server.enqueue(.status(204))
        try await expect("GET /x") {
            _ = try await provider.load(service: service, decodeType: Hero.self)
        }
        server.enqueue(.json("{}"))
        try await expect("GET /x") {
            _ = try await provider.decoding(at: "data").load(
                service: service, decodeType: Hero.self)
        }
        server.enqueue(.text("no JSON"))
        try await expect("GET /x") {
            _ = try await provider.accepting("application/json").load(service: service)
        }
        server.enqueue(.json("{}"))
        try await expect("GET /x") {
            _ = try await provider.load(service: service, envelope: Refusing.self)
        }
    }

    struct Refusing: ServiceEnvelope {
        var content: Int { get throws { throw CancellationError() } }
    }

    @Test func failuresOfConnectionsAndInterceptorsAreReported() async throws {
        struct Own: Error {}
        let unreachable = TestService(baseURL: "http://127.0.0.1:1/x")
        try await expect("GET /x") { try await provider.load(service: unreachable) }
        let throwing = provider.adding(Intercept { _, _ in throw Own() })
        try await expect("GET /x") { try await throwing.load(service: unreachable) }
    }

    @Test func cancelledCallsAreReported() async throws {
        server.enqueue(.never)
        let (provider, service) = (provider, server.service("/x"))
        let task = Task { try await provider.load(service: service) }
        _ = try await server.arrival()
        try await expect("GET /x") {
            task.cancel()
            _ = try await task.value
        }
    }

    /// A failed attempt isn't reported if the call goes on and succeeds.
    @Test func callsThatSucceedInTheEndAreNotReported() async throws {
        let folder = try TemporaryFolder()
        try folder.write("0123", to: "file.part")
        let url = server.baseURL + "/x"
        try folder.write("\"1\"\n\(url)\n\(url)", to: "file.part.etag")
        server.enqueue(.text("out of range", status: 416))
        server.enqueue(.text("0123456789").header("ETag", "\"1\""))
        try await provider.download(
            service: server.service("/x"), to: folder.file("file"), options: .resume)
        #expect(folder.text(of: "file") == "0123456789")
        #expect(reported { $0 } == [])
    }

    @Test func failuresOfDownloadsAndStreamsAreReported() async throws {
        let folder = try TemporaryFolder()
        let service = server.service("/x")
        try folder.write("", to: "file")
        try await expect("GET /x") {
            try await provider.download(service: service, to: folder.file("file"))
        }
        server.enqueue(.text("no", status: 404))
        try await expect("GET /x") {
            try await provider.download(service: service, to: folder.file("other"))
        }
        server.enqueue(.text("no", status: 404))
        try await expect("GET /x") { _ = try await provider.stream(service: service) }
        server.enqueue(.text("no events"))
        try await expect("GET /x") {
            for try await _ in try provider.events(service: service) {}
        }
        server.enqueue(.text("0123456789").cut(.close, afterBodyBytes: 4))
        try await expect("GET /x") {
            for try await _ in try await provider.stream(service: service) {}
        }
    }

    /// Leaving a stream early isn't a failure.
    @Test func leavingAStreamIsNotReported() async throws {
        let feed = Feed()
        let provider = ServiceProvider<TestService>(transport: feed).onFailure {
            [reported] error, _ in
            reported { $0.append("\(error)") }
        }
        do {
            let service = TestService(baseURL: "http://feed.invalid")
            let stream = try await provider.stream(service: service)
            try feed.receive("a")
            for try await _ in stream { break }
        }
        feed.end(URLError(.cancelled))
        #expect(reported { $0 } == [])
    }

    @Test func pagesThatLeadBackAreReported() async throws {
        let service = server.service("/x")
        server.enqueue(.json("[]"))
        let pages = provider.pages(from: service, decodeType: [Hero].self) { _, _ in service }
        try await expect("GET /x") { for try await _ in pages {} }
    }

    @Test func failuresOfCallsWithHandlersAreReported() async throws {
        for service in [TestService(baseURL: "nowhere"), server.service("/x")] {
            reported { $0 = [] }
            server.enqueue(.text("no", status: 500))
            guard case .failure(let error) = await provider.result(of: service) else {
                Issue.record("no failure")
                continue
            }
            let place = service.path.isEmpty ? "no request" : "GET /x"
            #expect(reported { $0 } == ["\(place): \(error)"])
        }
    }

    @Test func theLastAddedHandlerIsCalledFirst() async throws {
        let order = Locked<[Int]>([])
        let both = ServiceProvider<TestService>()
            .onFailure { _, _ in order { $0.append(1) } }
            .adding(Intercept { try await $1($0) })
            .onFailure { _, _ in order { $0.append(2) } }
        _ = try await both.failure(of: TestService(baseURL: "nowhere"))
        #expect(order { $0 } == [2, 1])
    }

    @Test func successIsNotReported() async throws {
        server.enqueue(.json(#"{"id": 1}"#))
        _ = try await provider.load(service: server.service("/x"), decodeType: Hero.self)
        #expect(reported { $0 } == [])
    }

    /// The response has arrived, but the handler gets `.cancelled`.
    @MainActor @Test func aCallThatIsCancelledBeforeItsHandlerIsReported() async throws {
        for status in [200, 204, 500] {
            let answered = DispatchSemaphore(value: 0)
            let transport = StubTransport {
                defer { answered.signal() }
                return try $0.answer(status, data: Data(count: status == 200 ? 1 : 0))
            }
            let provider = ServiceProvider<TestService>(transport: transport)
                .onFailure { [reported] error, request in
                    reported { $0.append("\(request?.description ?? "no request"): \(error)") }
                }
            let isCancelled = await withCheckedContinuation { continuation in
                let task = provider.load(service: TestService()) { result in
                    guard case .failure(.cancelled) = result else {
                        return continuation.resume(returning: false)
                    }
                    continuation.resume(returning: true)
                }
                // Blocks the main actor, so that the handler can't run.
                Self.wait(for: answered)
                task.cancel()
            }
            #expect(isCancelled && reported { $0.count } == 1)
            reported { $0 = [] }
        }
    }

    private nonisolated static func wait(for answered: DispatchSemaphore) {
        answered.waitForAMinute()
        Thread.sleep(forTimeInterval: 0.2)
    }
}
