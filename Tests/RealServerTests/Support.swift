// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import CurlTransport
import Foundation
import ServiceProvider
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
@Suite(.enabled(if: Servers.areThere, Servers.reason)) struct RealServerTests {}

/// The transports that are tested.
enum Way: CaseIterable, Sendable {
    case urlSession
    case curl

    #if os(Linux)
    static let all = allCases
    #else
    static let all = [urlSession]
    #endif

    func provider(_ interceptors: any ServiceInterceptor...) throws -> ServiceProvider<Call> {
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

/// Whatever is asked of a server.
struct Call: Service {
    var path: String
    var baseURL = Servers.httpbin
    var method = ServiceMethod.get
    var parameters: [String: Any]?
    var parameterEncoding = ServiceParameterEncoding()
    var headers: [String: String] = [:]
    var body: ServiceBody?
    var timeout: TimeInterval?
    var validStatusCodes = Set(200...299)
    var isRepeatable: Bool?

    init(_ path: String) { self.path = path }

    func with(_ change: (inout Call) -> Void) -> Call {
        var call = self
        change(&call)
        return call
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

extension ServiceProvider<Call> {
    func echo(_ call: Call) async throws -> Echo {
        try await load(service: call, decodeType: Echo.self)
    }

    /// How a call fails.
    func failure(of call: Call) async throws -> ServiceError {
        try #require(
            await #expect(throws: ServiceError.self) { try await response(for: call) })
    }
}

/// A folder that goes with its owner.
final class Folder {
    let url = FileManager.default.temporaryDirectory
        .appendingPathComponent("RealServerTests-\(UUID().uuidString)")

    init() throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// A file of bytes that are nowhere the same.
    func file(_ name: String, size: Int) throws -> URL {
        let file = url.appendingPathComponent(name)
        var state = UInt64(size)
        let words = (0..<(size + 7) / 8).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state
        }
        try words.withUnsafeBytes { Data($0.prefix(size)) }.write(to: file)
        return file
    }
}

/// The statuses that came from the wire, in order, or what else is noted.
final class Seen: ServiceInterceptor, @unchecked Sendable {
    private let lock = NSLock()
    // Safe because it is touched under the lock alone.
    private var noted: [Int] = []

    var all: [Int] { lock.withLock { noted } }

    func add(_ number: Int) { lock.withLock { noted.append(number) } }

    func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        let response = try await next(request)
        add(response.statusCode)
        return response
    }
}
