// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderTransfers

extension Probe {
    /// A stream with a reader that is slower than its server.
    static let slowReader = Probe(name: "slow-reader", limit: 180) { setting in
        switch (setting.isLinuxSession, setting.isApple) {
        case (true, _): "The stream fails when 8 MB are unread."
        case (_, true): "A slow reader gets all bytes, or the stream fails when 8 MB are unread."
        default: "A slow reader slows down the server, and gets all bytes."
        }
    } run: { setting in
        let size = setting.isQuick ? 48 << 20 : 256 << 20
        let server = try LoopbackServer { _ in
            LoopbackResponse(body: .repeating(Data("0123456789abcdef".utf8), count: size))
                .header("Content-Type", "application/octet-stream")
        }
        let provider = try setting.provider()
        let before = peakMemory
        var received = 0
        var ending = "the end of the body"
        do {
            let endpoint = Endpoint(baseURL: server.baseURL, path: "/film", timeout: 60)
            for try await chunk in try await provider.stream(service: endpoint) {
                // The first wait is long enough for the server to send everything that fits anywhere.
                try await Task.sleep(nanoseconds: received == 0 ? 3_000_000_000 : 20_000_000)
                received += chunk.count
            }
        } catch ServiceError.transport(let error) {
            ending = error.code == .dataLengthExceedsMaximum ? "a full buffer" : "\(error.code)"
        }
        let rise = peakMemory - before
        let isFull = ending == "a full buffer"
        let mayBeFull = setting.isLinuxSession || setting.isApple
        let isWhole = received == size && !setting.isLinuxSession
        let expected = isWhole || isFull && mayBeFull
        return .seen(
            "\(megabytes(received)) of \(megabytes(size)) arrived, the stream ended with \(ending), "
                + "and the peak of the memory rose by \(megabytes(rise))",
            asDocumented: expected && rise < min(64 << 20, size / 2))
    }
}
