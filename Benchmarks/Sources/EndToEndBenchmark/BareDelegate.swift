// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The delegate of a URLSession that collects bodies, and does nothing else. A client that decides about
/// redirects, or reads bodies in chunks, needs a delegate.
final class BareDelegate: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    private struct Call {
        var data = Data()
        var continuation: CheckedContinuation<Int, any Error>
    }

    private let lock = NSLock()
    // Unchecked, because it is used only under the lock.
    private var calls: [Int: Call] = [:]

    /// Runs a task. Returns the number of bytes in its body.
    func run(_ task: URLSessionTask) async throws -> Int {
        try await withCheckedThrowingContinuation { continuation in
            lock.withLock { calls[task.taskIdentifier] = Call(continuation: continuation) }
            task.resume()
        }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        lock.withLock { calls[dataTask.taskIdentifier]?.data.append(data) }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        let call = lock.withLock { calls.removeValue(forKey: task.taskIdentifier) }
        if let error { return call?.continuation.resume(throwing: error) ?? () }
        call?.continuation.resume(returning: call?.data.count ?? 0)
    }
}
