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

/// Responses of a wrong content type, such as the page of a proxy, aren't in the file or the stream.
@Suite(.serialized, .opensFiles, .timeLimit) struct RefusedTypeTests {
    private let server: LoopbackServer
    private let folder: TemporaryFolder

    init() throws {
        server = try LoopbackServer()
        folder = try TemporaryFolder()
    }

    enum Call: CaseIterable {
        case events, reconnectingEvents, download, resumedDownload, stream
    }

    private func error(
        of call: Call, _ transport: TransportUnderTest, interceptors: any ServiceInterceptor...
    ) async throws -> ServiceError {
        let provider = ServiceProvider<TestService>(
            transport: transport.make(), interceptors: interceptors)
        let service = server.service().patient
        let accepting = provider.accepting("image/*")
        return try await failure {
            switch call {
            case .events: for try await _ in try provider.events(service: service) {}
            case .reconnectingEvents:
                let reconnection = Waits().reconnection
                let events = try provider.events(service: service, reconnecting: reconnection)
                for try await _ in events {}
            case .download:
                _ = try await accepting.download(service: service, to: folder.file("a"))
            case .resumedDownload:
                _ = try await accepting.download(
                    service: service, to: folder.file("a"), options: .resume)
            case .stream: _ = try await accepting.stream(service: service)
            }
        }
    }

    private func expectRefusal(_ error: ServiceError, _ body: Data) {
        guard case .decoding(is ServiceContentTypeError, let response, as: _) = error else {
            Issue.record(error)
            return
        }
        #expect(response.data == body)
        #expect(response.request.upload == nil)
    }

    @Test(.row("D16"), arguments: TransportUnderTest.allCases, Call.allCases)
    func theCallFails(_ transport: TransportUnderTest, _ call: Call) async throws {
        let text = LoopbackResponse.text("Please log in.")
        for response in [text, text.chunked(), text.untilClose()] {
            server.enqueue(response)
            expectRefusal(try await error(of: call, transport), Data("Please log in.".utf8))
            #expect(folder.names == [])
        }
        #expect(server.requests.count == 3)
    }

    /// A server's message is in the error, unless it is large.
    @Test(.row("D16"), arguments: TransportUnderTest.allCases, Call.allCases)
    func theErrorHasTheFirst64KB(_ transport: TransportUnderTest, _ call: Call) async throws {
        let body = noise(1 << 20)
        server.enqueue(.data(body, contentType: "text/html"))
        expectRefusal(try await error(of: call, transport), body.prefix(64 << 10))
        #expect(folder.names == [])
    }

    /// The bytes of an earlier attempt are kept.
    @Test(arguments: TransportUnderTest.allCases)
    func aRefusedTypeDoesNotEndAResumedDownload(_ transport: TransportUnderTest) async throws {
        let whole = noise(1_000)
        let film = LoopbackResponse.data(whole, contentType: "image/png").header("ETag", #""v1""#)
        let rest = LoopbackResponse.data(
            whole.dropFirst(400), contentType: "image/png", statusCode: 206)
        server.enqueue(
            film.cut(.close, afterBodyBytes: 400), .text("Please log in."),
            rest.header("ETag", #""v1""#).header("Content-Range", "bytes 400-999/1000"))
        _ = try await error(of: .resumedDownload, transport)
        expectRefusal(
            try await error(of: .resumedDownload, transport), Data("Please log in.".utf8))
        try await transport.provider().download(
            service: server.service().patient, to: folder.file("a"), options: .resume)
        #expect(try Data(contentsOf: folder.file("a")) == whole)
        #expect(folder.names == ["a"])
    }

    /// A stream may be silent for hours.
    @Test(
        .row("E12"),
        arguments: TransportUnderTest.allCases,
        [Call.events, .reconnectingEvents, .stream])
    func aSilentBodyIsNotAwaited(_ transport: TransportUnderTest, _ call: Call) async throws {
        server.enqueue(.text("abcdef").cut(.stall, afterBodyBytes: 3))
        let error = try await error(of: call, transport, interceptors: ServiceRetry())
        expectRefusal(error, Data("abc".utf8))
        #expect(server.requests.count == 1)
    }

    /// An attempt with the right type follows one with a wrong type.
    // MARK: - Several attempts

    private func retrying(
        _ transport: TransportUnderTest, _ server: LoopbackServer
    ) -> ServiceProvider<TestService> {
        // The first attempt gets a body of a wrong type that is cut off.
        server.enqueue(.text("Please log in, and wait.").cut(.close, afterBodyBytes: 5))
        return transport.provider(ServiceRetry(attempts: 2, clock: ServiceClock(sleep: { _ in })))
    }

    @Test(arguments: TransportUnderTest.allCases)
    func theLastAttemptDecides(_ transport: TransportUnderTest) async throws {
        let server = try LoopbackServer()
        let provider = retrying(transport, server)
        server.enqueue(.statusCode(503))
        let error = try await failure {
            for try await _ in try provider.events(service: server.service().patient) {}
        }
        #expect(server.requests.count == 2)
        #expect(error.unacceptableStatus == 503, "\(error)")
    }

    @Test(arguments: TransportUnderTest.allCases)
    func eventsReconnectAfterALostConnection(_ transport: TransportUnderTest) async throws {
        let server = try LoopbackServer()
        let provider = retrying(transport, server)
        for _ in 0..<2 {
            server.enqueue(LoopbackResponse.statusCode(200).cut(.close, afterHeaderBytes: 0))
        }
        server.enqueue(.data(Data("data: a\n\n".utf8), contentType: "text/event-stream"))
        let reconnection = ServiceReconnection(clock: ServiceClock(sleep: { _ in }))
        let events = try provider.events(
            service: server.service().patient, reconnecting: reconnection)
        var first: ServiceEvent?
        for try await event in events {
            first = event
            break
        }
        #expect(first?.data == "a")
    }

    @Test(.row("D16"), arguments: TransportUnderTest.allCases)
    func anotherAttemptMayHaveTheRightType(_ transport: TransportUnderTest) async throws {
        server.enqueue(.text("wait"), .data(noise(1_000), contentType: "image/png"))
        let again = Intercept { request, next in
            _ = try await next(request)
            return try await next(request)
        }
        let provider = transport.provider(again).accepting("image/png")
        try await provider.download(service: server.service(), to: folder.file("a"))
        #expect(try Data(contentsOf: folder.file("a")) == noise(1_000))
    }
}
