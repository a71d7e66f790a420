// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import ServiceProviderTransfers
import TestSupport
import Testing

/// A call that fails before its response is decoded is reported to the provider's handler once, with the error
/// that its caller gets.
@Suite(.serialized, .opensFiles, .timeLimit) struct FailureHandlerTests {
    let server: LoopbackServer
    private let reported = Locked<[String]>([])
    private let provider: ServiceProvider<TestService>

    init() throws {
        server = try LoopbackServer()
        let plain = ServiceProvider<TestService>()
        provider = plain.onFailure { [reported] error, request in
            reported { $0.append("\(request): \(error)") }
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

    /// Interceptors don't see requests that can't be built, and neither how a response is decoded.
    @Test func failuresOutsideTheInterceptorsAreNotReported() async throws {
        let nowhere = TestService(baseURL: "nowhere")
        _ = try await failure { try await provider.load(service: nowhere) }
        server.enqueue(.text("no JSON"))
        let service = server.service("/x")
        _ = try await failure {
            _ = try await provider.load(service: service, decodeType: Hero.self)
        }
        #expect(reported { $0 } == [])
    }

    @Test func badStatusesAreReported() async throws {
        let service = server.service("/x")
        server.enqueue(.text("no", statusCode: 404))
        try await expect("GET /x") { try await provider.load(service: service) }
    }

    @Test func anAcceptedStatusIsNotReported() async throws {
        var service = server.service("/x")
        service.change = { $0.acceptsAnyStatus = true }
        server.enqueue(.text("no", statusCode: 404))
        #expect(try await provider.response(service: service).statusCode == 404)
        #expect(reported { $0 } == [])
    }

    @Test func failuresOfConnectionsAndInterceptorsAreReported() async throws {
        struct Own: Error {}
        let unreachable = TestService(baseURL: "http://127.0.0.1:1/x")
        try await expect("GET /x") { try await provider.load(service: unreachable) }
        var pipeline = provider.pipeline
        pipeline.interceptors.append(Intercept { _, _ in throw Own() })
        let throwing = ServiceProvider<TestService>(pipeline)
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
        let whole = LoopbackResponse.text("0123456789").header("ETag", "\"1\"")
        server.enqueue(
            whole.cut(.close, afterBodyBytes: 4), .text("out of range", statusCode: 416), whole)
        _ = try? await ServiceProvider<TestService>().download(
            service: server.service("/x"), to: folder.file("file"), options: .resume)
        try await provider.download(
            service: server.service("/x"), to: folder.file("file"), options: .resume)
        #expect(folder.text(of: "file") == "0123456789")
        #expect(reported { $0 } == [])
    }

    @Test func failuresOfDownloadsAndStreamsAreReported() async throws {
        let folder = try TemporaryFolder()
        let service = server.service("/x")
        server.enqueue(.text("no", statusCode: 404))
        try await expect("GET /x") {
            try await provider.download(service: service, to: folder.file("other"))
        }
        server.enqueue(.text("no", statusCode: 404))
        try await expect("GET /x") { _ = try await provider.stream(service: service) }
    }

    @Test func failuresOfCallsWithHandlersAreReported() async throws {
        server.enqueue(.text("no", statusCode: 500))
        guard case .failure(let error) = await provider.result(of: server.service("/x")) else {
            Issue.record("no failure")
            return
        }
        #expect(reported { $0 } == ["GET /x: \(error)"])
    }

    @Test func theFirstAddedHandlerIsCalledFirst() async throws {
        let order = Locked<[Int]>([])
        let both = ServiceProvider<TestService>()
            .onFailure { _, _ in order { $0.append(1) } }
            .wrapped(in: Intercept { try await $1($0) })
            .onFailure { _, _ in order { $0.append(2) } }
        server.enqueue(.text("no", statusCode: 500))
        _ = try await both.failure(of: server.service("/x"))
        #expect(order { $0 } == [1, 2])
    }
}
