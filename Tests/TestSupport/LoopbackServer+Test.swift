// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderSupport
import Testing

extension LoopbackServer {
    public func service(_ path: String = "/start", method: ServiceMethod = .get) -> TestService {
        TestService(baseURL: baseURL, path: path, method: method)
    }

    /// Responds to the next request with `response`, and returns a service for it.
    public func responding(
        _ response: LoopbackResponse, decoder: (any ServiceDecoder)? = nil
    ) -> TestService {
        enqueue(response)
        return TestService(baseURL: baseURL, path: "/response", decoder: decoder)
    }

    /// Returns the next request that arrives. Throws if the task is cancelled before.
    ///
    /// Waits on its own thread: Swift's tasks share only a few threads, and the client needs them.
    public func arrival() async throws -> LoopbackRequest {
        let isCancelled = Locked(false)
        let request = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    var request: LoopbackRequest?
                    while request == nil, !isCancelled({ $0 }) {
                        request = self.nextRequest(timeout: 1)
                    }
                    continuation.resume(returning: request)
                }
            }
        } onCancel: {
            isCancelled { $0 = true }
        }
        return try #require(request)
    }

    /// Whether no connection was made.
    public var isUntouched: Bool { connectionCount == 0 && requests.isEmpty }

    /// Creates a server that records bodies of up to 128 MB and responds with their size.
    public static func forUploads() throws -> LoopbackServer {
        try LoopbackServer(recordingBodiesUpTo: 1 << 27) { .text("\($0.bodySize)") }
    }

    public func upload(
        _ body: ServiceBody, method: ServiceMethod = .post, to path: String = "/upload"
    ) -> TestService {
        TestService(baseURL: baseURL, path: path, method: method, body: body)
    }
}

extension LoopbackRequest {
    /// Whether the request declared one length, and exactly that many bytes arrived.
    public var isFramedRight: Bool {
        let lengths = headers.filter { $0.name.lowercased() == "content-length" }.map(\.value)
        return lengths == ["\(bodySize)"] && isComplete && header("Transfer-Encoding") == nil
    }
}
