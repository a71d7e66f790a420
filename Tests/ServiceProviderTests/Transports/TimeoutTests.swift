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

/// Sessions on Linux count whole seconds, so tests that wait for a session's timeout use at least
/// one second.
@Suite(.serialized, .opensFiles, .timeLimit) struct TimeoutTests {
    let server: LoopbackServer

    init() throws {
        server = try LoopbackServer { request in
            switch request.path {
            case "/never": .never
            case "/stall": .text("0123456789").cut(.stall, afterBodyBytes: 4)
            case "/late": .text("late").delayed(by: 0.05)
            default: .text("ok")
            }
        }
    }

    private func service(_ path: String, timeout: TimeInterval?) -> TestService {
        var service = server.service(path)
        service.timeout = timeout
        return service
    }

    /// URLSession on Linux cuts off fractions, so URLSessionTransport rounds them up. CurlTransport
    /// keeps them.
    @Test(.row("U11"), arguments: TransportUnderTest.allCases, [0.2, 0.9, 1])
    func fractionsOfASecondAreNotCutOff(
        _ transport: TransportUnderTest, timeout: TimeInterval
    ) async throws {
        let provider = ServiceProvider<TestService>(transport: transport.makePatient())
        let time = try await duration {
            let error = try await provider.failure(of: service("/never", timeout: timeout))
            #expect(error.urlErrorCode == .timedOut)
        }
        #expect(time >= transport.shortestTimeout(timeout) * 0.9 && time < 1_000)
    }

    @Test(
        arguments: [
            (0.001, 1), (0.2, 1), (0.9, 1), (1, 1), (1.1, 2), (59.5, 60), (604_799.5, 604_800),
            (604_801, 604_800), (.infinity, 604_800), (.greatestFiniteMagnitude, 604_800),
            (1e16, 604_800), (1e300, 604_800),
        ] as [(TimeInterval, TimeInterval)])
    func timeoutsAreRoundedUpForTheSession(timeout: TimeInterval, rounded: TimeInterval)
        async throws
    {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [StubProtocol.self]
        let transport = URLSessionTransport(configuration: configuration)
        let byService = ServiceProvider<TestService>(transport: transport)
        var service = TestService(baseURL: "http://stubbed.invalid", timeout: timeout)
        #expect(try await byService.load(service: service) == Data("\(rounded)".utf8))
        service.timeout = nil
        let byInterceptor = ServiceProvider<TestService>(
            transport: transport,
            interceptors: [Intercept.changing { $0.urlRequest.timeoutInterval = timeout }])
        #expect(try await byInterceptor.load(service: service) == Data("\(rounded)".utf8))
    }

    @Test(arguments: TransportUnderTest.allCases)
    func aTimeoutAppliesInTheMiddleOfABody(_ transport: TransportUnderTest) async throws {
        let provider = ServiceProvider<TestService>(transport: transport.makePatient())
        let time = try await duration {
            let error = try await provider.failure(of: service("/stall", timeout: 1))
            #expect(error.urlErrorCode == .timedOut)
        }
        #expect(time >= 0.9 && time < 1_000)
    }

    @Test(
        arguments: TransportUnderTest.allCases,
        [TimeInterval.infinity, .greatestFiniteMagnitude, 1e300])
    func interceptorsMaySetEndlessTimeouts(
        _ transport: TransportUnderTest, timeout: TimeInterval
    ) async throws {
        let provider = transport.provider(
            Intercept.changing { $0.urlRequest.timeoutInterval = timeout })
        #expect(try await provider.load(service: server.service("/late")) == Data("late".utf8))
    }

    @Test(.row("U11"), arguments: TransportUnderTest.allCases, [TimeInterval.nan, 0, -1])
    func interceptorsCannotSetImpossibleTimeouts(
        _ transport: TransportUnderTest, timeout: TimeInterval
    ) async throws {
        let provider = transport.provider(
            Intercept.changing { $0.urlRequest.timeoutInterval = timeout })
        let error = try await provider.failure(of: server.service("/ok"))
        #expect(error.invalidPart == .timeout)
        #expect(server.isUntouched)
    }

    @Test func theSessionsTimeoutIsTheDefault() async throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = 1
        let session = URLSession(configuration: configuration)
        let transports = [
            URLSessionTransport(session: session),
            URLSessionTransport(configuration: configuration),
        ]
        for transport in transports {
            let provider = ServiceProvider<TestService>(transport: transport)
            // Takes the quickest of three calls, since other tests run too. The system's default is
            // 60 seconds.
            var time = TimeInterval.infinity
            for _ in 0..<3 where time >= 59 {
                time = try await duration {
                    let error = try await provider.failure(of: service("/never", timeout: nil))
                    #expect(error.urlErrorCode == .timedOut)
                }
            }
            #expect(time >= 0.9 && time < 59)
        }
    }
}
