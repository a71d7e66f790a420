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

/// Responses of a wrong content type, such as the page of a proxy: their text is in the error, and not in the
/// file or the stream.
@Suite(.serialized, .opensFiles, .timeLimit) struct RefusedTypeTests {
    private let server: LoopbackServer
    private let folder: TemporaryFolder

    init() throws {
        server = try LoopbackServer()
        folder = try TemporaryFolder()
    }

    enum Call: CaseIterable {
        case values, events, reconnectingEvents, download, resumedDownload, stream
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
            case .values: _ = try await provider.stream(service: service, decodeType: Int.self)
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

    private func expect(_ data: Data, _ error: ServiceError) {
        guard case .decoding(is ServiceContentTypeError, let response, as: _) = error else {
            Issue.record(error)
            return
        }
        // Compared outside of #expect, which would print both.
        let isSame = response.data == data
        #expect(isSame, "\(response.data.count) bytes")
        #expect(response.request.upload == nil)
    }

    @Test(arguments: TransportUnderTest.allCases, Call.allCases)
    func theErrorHasTheBody(_ transport: TransportUnderTest, _ call: Call) async throws {
        let text = LoopbackResponse.text("Please log in.")
        for response in [text, text.chunked(), text.untilClose()] {
            server.enqueue(response)
            expect(Data("Please log in.".utf8), try await error(of: call, transport))
            #expect(folder.names == [])
        }
        #expect(server.requests.count == 3)
    }

    /// The sink ends the transfer, so a retry doesn't send the request again.
    @Test(arguments: TransportUnderTest.allCases, Call.allCases)
    func aLargeBodyIsCut(_ transport: TransportUnderTest, _ call: Call) async throws {
        let text = String(repeating: "x", count: 3_000_000)
        server.enqueue(.text(text).cut(.stall, afterBodyBytes: 2_000_000))
        let error = try await error(of: call, transport, interceptors: ServiceRetry())
        expect(Data(text.utf8.prefix(1 << 16)), error)
        #expect(server.requests.count == 1)
    }

    /// A stream may be silent for hours.
    @Test(arguments: TransportUnderTest.allCases)
    func aBodyThatDoesNotEndIsCut(_ transport: TransportUnderTest) async throws {
        server.enqueue(.text("abcdef").cut(.stall, afterBodyBytes: 3))
        expect(Data("abc".utf8), try await error(of: .reconnectingEvents, transport))
        #expect(server.requests.count == 1)
    }

    @Test(arguments: TransportUnderTest.allCases)
    func aCancelledCallIsCancelled(_ transport: TransportUnderTest) async throws {
        server.enqueue(.text("abcdef").cut(.stall, afterBodyBytes: 3))
        let call = Task { try await error(of: .values, transport) }
        _ = try await server.arrival()
        call.cancel()
        #expect(ServiceResult<Data>.failure(try await call.value).isCancelled)
    }

    /// The bytes of an earlier download stay.
    @Test(arguments: TransportUnderTest.allCases)
    func aRefusedBodyDoesNotReplaceAPart(_ transport: TransportUnderTest) async throws {
        let image = LoopbackResponse.data(noise(100_000), contentType: "image/png")
            .header("ETag", #""v1""#)
        server.enqueue(image.cut(.close, afterBodyBytes: 40_000), .text("Please log in."))
        _ = try await error(of: .resumedDownload, transport)
        expect(Data("Please log in.".utf8), try await error(of: .resumedDownload, transport))
        #expect(try Data(contentsOf: folder.file("a.part")) == noise(100_000).prefix(40_000))
    }

    /// An attempt with the right type follows one with a wrong type.
    @Test(arguments: TransportUnderTest.allCases)
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
