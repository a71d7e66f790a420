// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import CurlTransport
import Foundation
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// An httpbin and an nginx, which `.ci/check-real-servers` starts and names in the environment.
enum Servers {
    static let areThere = ProcessInfo.processInfo.environment["HTTPBIN"] != nil
    static let reason: Comment = "There are no servers: see .ci/check-real-servers."

    static var httpbin: String { named("HTTPBIN") }
    static var nginx: String { named("NGINX") }
    /// With TLS, by an authority that the system does not know.
    static var nginxTLS: String { named("NGINX_TLS") }
    static var folder: URL { URL(fileURLWithPath: named("NGINX_FOLDER")) }

    private static func named(_ name: String) -> String {
        ProcessInfo.processInfo.environment[name] ?? ""
    }
}

/// All tests with real servers, so that one reason is told where there are none.
@Suite(.slow, .enabled(if: Servers.areThere, Servers.reason)) struct RealServerTests {}

/// The transports that are tested.
enum Way: CaseIterable, Sendable {
    case urlSession
    case curl

    #if os(Linux)
    static let all = allCases
    #else
    static let all = [urlSession]
    #endif

    func provider(_ interceptors: any ServiceInterceptor...) throws -> ServiceProvider<TestService>
    {
        ServiceProvider(transport: try transport, interceptors: interceptors)
    }

    /// Each time a new one, with no cookie and no connection.
    private var transport: any ServiceTransport {
        get throws {
            #if os(Linux)
            if self == .curl { return try CurlTransport() }
            #endif
            return URLSessionTransport(configuration: .ephemeral)
        }
    }
}

extension TestService {
    /// Requests a path of httpbin.
    init(_ path: String) { self.init(baseURL: Servers.httpbin, path: path) }

    func with(_ change: (inout TestService) -> Void) -> TestService {
        var service = self
        change(&service)
        return service
    }
}

/// What httpbin says it was asked.
struct Echo: Decodable {
    /// One text, or several.
    struct Words: Decodable, Equatable, ExpressibleByStringLiteral, ExpressibleByArrayLiteral {
        var all: [String]

        init(stringLiteral value: String) { all = [value] }
        init(arrayLiteral elements: String...) { all = elements }
        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            all = try (try? [container.decode(String.self)]) ?? container.decode([String].self)
        }
    }

    var args: [String: Words]
    var headers: [String: String]
    var url: String
    var method: String?
    var data: String?
    var form: [String: Words]?
    var files: [String: Words]?
}

extension ServiceProvider<TestService> {
    func echo(_ call: TestService) async throws -> Echo {
        try await load(service: call, decodeType: Echo.self)
    }
}

/// The statuses that came from the wire, in order, or what else is noted.
final class Seen: ServiceInterceptor {
    private let noted = Locked<[Int]>([])

    var all: [Int] { noted { $0 } }

    func add(_ number: Int) { noted { $0.append(number) } }

    func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        let response = try await next(request)
        add(response.statusCode)
        return response
    }
}
