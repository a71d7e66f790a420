// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderSupport
import Testing

#if canImport(FoundationNetworking)
import CurlTransport
import FoundationNetworking
#endif

/// The transports that the suites of the core run against. To test another transport, add a case.
public enum TransportUnderTest: CaseIterable, Sendable, CustomTestStringConvertible {
    case ownSession
    case callersSession
    #if os(Linux)
    case curl
    #endif

    public var testDescription: String {
        switch self {
        case .ownSession: "URLSessionTransport()"
        case .callersSession: "URLSessionTransport(session:)"
        #if os(Linux)
        case .curl: "CurlTransport()"
        #endif
        }
    }

    /// Creates a transport. Its session is ephemeral: on Linux, the default sessions of all programs
    /// with the same name share a file of cookies, which outlive the test.
    public func make() -> any ServiceTransport {
        switch self {
        case .ownSession: URLSessionTransport(configuration: .ephemeral)
        case .callersSession:
            URLSessionTransport(session: URLSession(configuration: .ephemeral))
        #if os(Linux)
        case .curl: Self.makeCurl()
        #endif
        }
    }

    #if os(Linux)
    /// If libcurl isn't installed, every test of this transport fails.
    private static func makeCurl() -> any ServiceTransport {
        do {
            return try CurlTransport(configuration: .forTests)
        } catch {
            return NoTransport(reason: "\(error)")
        }
    }

    private struct NoTransport: ServiceTransport {
        let reason: String

        func send(_ request: ServiceRequest) async throws -> ServiceResponse {
            Issue.record("\(reason)")
            throw URLError(.unknown)
        }
    }
    #endif

    /// The timeout that this transport applies, in seconds: URLSessionTransport rounds fractions
    /// up.
    public func shortestTimeout(_ timeout: TimeInterval) -> TimeInterval {
        switch self {
        case .ownSession, .callersSession: timeout.rounded(.up)
        #if os(Linux)
        case .curl: timeout
        #endif
        }
    }

    /// Whether the transport stores cookies and sends them again.
    public var keepsCookies: Bool {
        #if os(Linux)
        self != .curl
        #else
        true
        #endif
    }

    /// Whether the transport resends an idempotent request if its connection was lost.
    public var repeatsLostRequests: Bool { !keepsCookies }

    /// Whether the transport measures its requests. On Linux, URLSession doesn't.
    public var measuresRequests: Bool {
        #if os(Linux)
        self == .curl
        #else
        true
        #endif
    }

    /// Creates a transport with a default timeout that is so long that only the request's timeout can
    /// end a call, even on a busy machine.
    public func makePatient() -> any ServiceTransport {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = 3_000
        return switch self {
        case .ownSession: URLSessionTransport(configuration: configuration)
        case .callersSession: URLSessionTransport(session: URLSession(configuration: configuration))
        #if os(Linux)
        case .curl: make()
        #endif
        }
    }

    public func provider(
        _ interceptors: any ServiceInterceptor...
    ) -> ServiceProvider<TestService> {
        ServiceProvider(transport: make(), interceptors: interceptors)
    }
}

#if os(Linux)
extension CurlTransport.Configuration {
    /// The defaults, except that idle connections are kept for a week, because much time may pass
    /// between two requests on a busy machine. The environment variable `LIBCURL` replaces the
    /// system's libcurl.
    public static var forTests: Self {
        var configuration = Self()
        let file = ProcessInfo.processInfo.environment["LIBCURL"]
        configuration.library = file ?? configuration.library
        configuration.maximumIdleTime = 604_800
        return configuration
    }
}
#endif
