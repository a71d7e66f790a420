// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Responds to requests with a function. Sends in-memory bodies, and supports every body sink.
struct InMemoryTransport: ServiceTransport {
    struct Canned {
        var status = 200
        var headers: [String: String] = [:]
        var chunks: [String] = []
    }

    let canned: @Sendable (URLRequest) -> Canned

    func send(_ request: ServiceRequest) async throws -> ServiceResponse {
        let stop = Flag()
        let builder = ServiceResponseBuilder(
            for: request, control: ServiceTransferControl(cancel: { stop.set() }))
        builder.didSend(Int64(request.urlRequest.httpBody?.count ?? 0))
        let canned = canned(request.urlRequest)
        let head = ServiceResponse(
            request: request, statusCode: canned.status, headers: canned.headers)
        do {
            if let response = try builder.didReceive(head: head) {
                Task { try Self.receive(canned.chunks, builder, stop) }
                return response
            }
        } catch {
            return try builder.end(error)
        }
        return try Self.receive(canned.chunks, builder, stop)
    }

    private static func receive(
        _ chunks: [String], _ builder: ServiceResponseBuilder, _ stop: Flag
    ) throws -> ServiceResponse {
        do {
            for chunk in chunks {
                if stop.isSet { throw URLError(.cancelled) }
                try builder.didReceive(chunk: Data(chunk.utf8))
            }
        } catch {
            return try builder.end(error)
        }
        return try builder.end(nil)
    }
}

private final class Flag: @unchecked Sendable {
    private let lock = NSLock()
    private var value = false

    var isSet: Bool { lock.withLock { value } }

    func set() { lock.withLock { value = true } }
}
