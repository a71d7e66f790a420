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

/// The bodies of requests and responses when a request is sent again.
@Suite(.serialized, .opensFiles, .timeLimit) struct RetryBodyTests {
    private let time = TestClock(jumps: true)

    private func provider(
        _ transport: any ServiceTransport = URLSessionTransport.shared,
        outside: any ServiceInterceptor...
    ) -> ServiceProvider<TestService> {
        let retry = ServiceRetry(clock: time.clock)
        return ServiceProvider(transport: transport, interceptors: outside + [retry])
    }

    @Test func aStreamThatHasBeenReadIsNotSentAgain() async throws {
        let sent = Locked(0)
        let transport = StubTransport { request in
            sent { $0 += 1 }
            return try request.respond(503)
        }
        let streaming = Intercept.changing { request in
            request.urlRequest.httpBodyStream = InputStream(data: Data("body".utf8))
        }
        let service = TestService(method: .put)
        #expect(await provider(transport, outside: streaming).end(of: service) == "503")
        #expect(sent { $0 } == 1)
        #expect(await provider(transport).end(of: service) == "503")
        #expect(sent { $0 } == 4)
    }

    /// A stream is retried until its headers arrive. After that, a retry would repeat bytes that
    /// the caller has already got.
    @Test(.row("T11")) func aStreamIsRetriedUntilItsHeadersArrive() async throws {
        let server = try LoopbackServer(responses: [
            .statusCode(503), .text("hello").cut(.close, afterBodyBytes: 3), .text("hello"),
        ])
        let stream = try await provider().stream(service: server.service("/call"))
        let (chunks, error) = await stream.collected()
        #expect(chunks.reduce(Data(), +) == Data("hel".utf8))
        #expect((error as? ServiceError)?.urlErrorCode != nil)
        #expect(server.requests.count == 2)
        #expect(time.waits.count == 1)
    }
}
