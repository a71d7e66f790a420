// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The transports that the suites of this folder run: a further one is a further case here.
enum TransportUnderTest: CaseIterable, CustomTestStringConvertible {
    case ownSession
    case callersSession

    var testDescription: String {
        switch self {
        case .ownSession: "URLSessionTransport()"
        case .callersSession: "URLSessionTransport(session:)"
        }
    }

    func make() -> any ServiceTransport {
        switch self {
        case .ownSession: URLSessionTransport()
        case .callersSession:
            URLSessionTransport(session: URLSession(configuration: .ephemeral))
        }
    }

    /// Whose own time-out is so late that the request's can be told from it, on a busy machine too.
    func makePatient() -> any ServiceTransport {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = 3_000
        return switch self {
        case .ownSession: URLSessionTransport(configuration: configuration)
        case .callersSession: URLSessionTransport(session: URLSession(configuration: configuration))
        }
    }

    /// With cookies of its own: the system's are shared by all tests, and outlive them.
    func makeWithOwnCookies() -> any ServiceTransport {
        switch self {
        case .ownSession: URLSessionTransport(configuration: .ephemeral)
        case .callersSession: make()
        }
    }

    func provider(
        _ interceptors: any ServiceInterceptor...
    ) -> ServiceProvider<WireService> {
        ServiceProvider(transport: make(), interceptors: interceptors)
    }
}
