// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import CurlTransport
import Foundation
import ServiceProvider
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The addresses of an httpbin and an nginx. `.ci/check-real-servers` starts both, and passes the
/// addresses in the environment.
enum Servers {
    static let areRunning = ProcessInfo.processInfo.environment["HTTPBIN"] != nil
    static let hint: Comment =
        "Run .ci/check-real-servers, which starts the servers for these tests."

    static var httpbin: String { named("HTTPBIN") }
    static var nginx: String { named("NGINX") }
    /// nginx with TLS. Its certificate is signed by an authority that the system doesn't trust.
    static var nginxTLS: String { named("NGINX_TLS") }
    static var folder: URL { URL(fileURLWithPath: named("NGINX_FOLDER")) }

    private static func named(_ name: String) -> String {
        ProcessInfo.processInfo.environment[name] ?? ""
    }
}

/// All tests with real servers. Nested in one suite, so that they share one condition.
@Suite(.slow, .enabled(if: Servers.areRunning, Servers.hint), .serialized, .opensFiles, .timeLimit)
struct RealServerTests {}

/// The transports to test.
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

    /// A new transport for each provider, without cookies and connections.
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

/// The request as httpbin received it.
struct Echo: Decodable {
    /// A text, or a list of texts.
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

/// Records the status codes of responses in order. Tests can add other numbers.
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
