// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderExtras
import Testing

#if canImport(FoundationNetworking)
import CurlTransport
import FoundationNetworking
#endif

/// The transports that the suites of this folder run: a further one is a further case here.
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

    public func make() -> any ServiceTransport {
        switch self {
        case .ownSession: URLSessionTransport()
        case .callersSession:
            URLSessionTransport(session: URLSession(configuration: .ephemeral))
        #if os(Linux)
        case .curl: Self.makeCurl()
        #endif
        }
    }

    #if os(Linux)
    /// Where there is no libcurl, each test of it fails. `LIBCURL` names another file than the system's.
    private static func makeCurl() -> any ServiceTransport {
        var configuration = CurlTransport.Configuration()
        let file = ProcessInfo.processInfo.environment["LIBCURL"]
        configuration.library = file ?? configuration.library
        configuration.idleTime = 604_800
        do {
            return try CurlTransport(configuration)
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

    /// The shortest timeout in seconds: URLSessionTransport rounds fractions up.
    public func shortestTimeout(_ timeout: TimeInterval) -> TimeInterval {
        switch self {
        case .ownSession, .callersSession: timeout.rounded(.up)
        #if os(Linux)
        case .curl: timeout
        #endif
        }
    }

    /// Whether it stores cookies, and sends them again.
    public var keepsCookies: Bool {
        #if os(Linux)
        self != .curl
        #else
        true
        #endif
    }

    /// Whether it sends a request once more whose connection has died, where it may be sent twice.
    public var repeatsLostRequests: Bool { !keepsCookies }

    /// Whose own time-out is so late that the request's can be told from it, on a busy machine too.
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

    /// With cookies of its own: the system's are shared by all tests, and outlive them.
    public func makeWithOwnCookies() -> any ServiceTransport {
        switch self {
        case .ownSession: URLSessionTransport(configuration: .ephemeral)
        default: make()
        }
    }

    public func provider(
        _ interceptors: any ServiceInterceptor...
    ) -> ServiceProvider<TestService> {
        ServiceProvider(transport: make(), interceptors: interceptors)
    }
}
