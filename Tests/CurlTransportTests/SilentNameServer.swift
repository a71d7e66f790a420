// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import Foundation
import TestSupport

/// A name server that never responds. It listens on port 53, which needs root.
final class SilentNameServer: Sendable {
    /// The address that the resolver queries. Nil if it queries a real name server.
    static let address = ProcessInfo.processInfo.environment["SILENT_NAME_SERVER"]

    private let socket: Int32

    struct Failure: Error { let code = errno }

    init() throws {
        socket = Glibc.socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = UInt16(53).bigEndian
        name.sin_addr.s_addr = inet_addr(Self.address ?? "")
        let result = withUnsafePointer(to: name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw Failure() }
        // Otherwise a test would wait forever if no query arrives.
        var patience = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(
            socket, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(socket) }

    /// Waits, on its own thread, for a query for a name that contains this label.
    ///
    /// - Returns: Whether the query arrived within 20 seconds.
    func isAsked(for label: String) async -> Bool {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [self] in
                var bytes = [UInt8](repeating: 0, count: 512)
                var count = 0
                repeat {
                    count = recv(socket, &bytes, bytes.count, 0)
                    let query = String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
                    if query.contains(label) { return continuation.resume(returning: true) }
                } while count > 0
                continuation.resume(returning: false)
            }
        }
    }
}
#endif
