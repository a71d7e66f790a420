// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras

extension Probe {
    /// The memory that an upload from a file needs.
    static let uploadMemory = Probe(name: "upload-memory", limit: 300) { _ in
        "A file is read in chunks, and never in memory as a whole."
    } run: { setting in
        let size = setting.isQuick ? 256 << 20 : 1 << 30
        let server = try LoopbackServer(recordingBodiesUpTo: 0) { _ in .statusCode(204) }
        let provider = try setting.provider()
        let small = try setting.sparseFile("small", size: 1 << 20)
        let large = try setting.sparseFile("large", size: size)
        // The first call loads libraries.
        _ = try await provider.load(service: .upload(small, to: server))
        let before = peakMemory
        _ = try await provider.load(service: .upload(large, to: server))
        let rise = peakMemory - before
        let received = server.requests.last?.bodySize ?? 0
        return .seen(
            "\(megabytes(received)) of \(megabytes(size)) arrived, and the peak of the memory rose by "
                + megabytes(rise),
            asDocumented: received == size && rise < 64 << 20)
    }
}

extension Endpoint {
    static func upload(_ file: URL, to server: LoopbackServer) -> Endpoint {
        Endpoint(
            baseURL: server.baseURL, path: "/upload", method: .post, body: .file(file), timeout: 20)
    }
}
