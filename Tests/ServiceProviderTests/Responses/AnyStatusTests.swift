// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import TestSupport
import Testing

/// `ServiceRequest.acceptsAnyStatus` returns responses that would be errors, and doesn't make them successes.
@Suite(.serialized, .opensFiles, .timeLimit) struct AnyStatusTests {
    private let server: LoopbackServer

    init() throws { server = try LoopbackServer() }

    private func service(_ validStatusCodes: Set<Int> = [200]) -> TestService {
        var service = server.service()
        service.validStatusCodes = validStatusCodes
        service.change = { $0.acceptsAnyStatus = true }
        return service
    }

    @Test(arguments: TransportUnderTest.allCases, [201, 304, 404, 500, 599])
    func aResponseOfAnyStatusIsReturned(
        _ transport: TransportUnderTest, _ status: Int
    ) async throws {
        server.enqueue(.text("why", statusCode: status))
        let response = try await transport.provider().response(service: service())
        #expect(response.statusCode == status)
        #expect(response.text == (status == 304 ? "" : "why"))
        #expect(!response.hasValidStatus)
    }

    @Test func aRedirectIsFollowedUnlessItCantBe() async throws {
        server.enqueue(.redirect(to: "/there"), .text("there"), .redirect(to: "ftp://nowhere"))
        let provider = ServiceProvider<TestService>()
        #expect(try await provider.load(service: service()) == Data("there".utf8))
        #expect(try await provider.response(service: service()).statusCode == 302)
    }

    /// A sink gets the bodies of successes only.
    @Test(arguments: TransportUnderTest.allCases)
    func theBodyOfAnotherStatusIsInMemory(_ transport: TransportUnderTest) async throws {
        final class Sink: ServiceBodySink {
            let received = Locked(Data())
            var destination: ServiceBodyDestination { .sink }
            func didSend(_ sent: Int64) {}
            func begin(_ response: ServiceResponse, control: ServiceTransferControl) throws {}
            func receive(_ chunk: Data) throws { received { $0 += chunk } }
            func end(_ error: (any Error)?) {}
        }
        server.enqueue(.text("no", statusCode: 404), .text("yes"))
        let sink = Sink()
        var service = server.service()
        service.change = {
            $0.acceptsAnyStatus = true
            $0.bodySink = sink
        }
        let provider = transport.provider()
        #expect(try await provider.load(service: service) == Data("no".utf8))
        #expect(sink.received { $0 }.isEmpty)
        #expect(try await provider.load(service: service).isEmpty)
        #expect(sink.received { $0 } == Data("yes".utf8))
    }
}
