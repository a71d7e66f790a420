// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import CurlTransport
import Foundation
import FoundationNetworking
import LoopbackServer
import ServiceProvider
import Testing

struct Endpoint: Service, Sendable {
    var baseURL: String
    var path = "/"
    var method = ServiceMethod.get
    var headers: [String: String] = [:]
    var content: Data?
    var timeout: TimeInterval?
    var isRepeatable: Bool?

    var body: ServiceBody? { content.map { .data($0) } }
}

extension LoopbackServer {
    func endpoint(_ method: ServiceMethod = .get, _ content: String? = nil) -> Endpoint {
        Endpoint(baseURL: baseURL, method: method, content: content.map { Data($0.utf8) })
    }
}

/// A provider of its own transport, without what the environment says of proxies. `LIBCURL` names another
/// file of libcurl than the system's.
func provider(
    _ change: (inout CurlTransport.Configuration) -> Void = { _ in }
) throws -> ServiceProvider<Endpoint> {
    var configuration = CurlTransport.Configuration()
    configuration.proxy = .none
    let file = ProcessInfo.processInfo.environment["LIBCURL"]
    configuration.library = file ?? configuration.library
    // A busy machine may take longer from one request to the next.
    configuration.idleTime = 604_800
    change(&configuration)
    return ServiceProvider(transport: try CurlTransport(configuration))
}

extension ServiceProvider where T == Endpoint {
    /// The code of the error that a call ends with; nil when it does not.
    func code(of service: Endpoint) async -> URLError.Code? {
        do throws(ServiceError) {
            _ = try await response(for: service)
            return nil
        } catch {
            guard case .transport(let error) = error else { return .unknown }
            return error.code
        }
    }

    func text(of service: Endpoint) async throws -> String {
        String(decoding: try await load(service: service), as: UTF8.self)
    }
}

/// Whether AddressSanitizer is on, which keeps freed memory for a while.
let isUnderAddressSanitizer = dlsym(nil, "__asan_init") != nil
#endif
