// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// Mistakes on Apple's platforms that compile on Linux. For each platform, the compiler must diagnose each line marked
// WRONG, and no other. visionOS 1 has the APIs of iOS 17, so lines marked OLD are valid there.

import Foundation

final class Delegate: NSObject, URLSessionDataDelegate {
    // The Objective-C protocol has no such method, so URLSession would never call it.
    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceiveData data: Data) {}  // WRONG

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
        _ = metrics.transactionMetrics.first?.isReusedConnection
        _ = metrics.transactionMetrics.first?.countOfRequestBodyBytesSent
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        completionHandler(.performDefaultHandling, nil)
    }
}

func newerFoundation(_ url: URL) {
    _ = url.host()  // WRONG, OLD
    _ = url.appending(path: "x")  // WRONG, OLD
    _ = URL(filePath: "/x")  // WRONG, OLD
    _ = URLComponents(string: "x", encodingInvalidCharacters: true)  // WRONG, OLD
    _ = url.host
}

func newerStandardLibrary(_ text: String) async throws {
    try await Task.sleep(for: .seconds(1))  // WRONG, OLD
    _ = ContinuousClock.now  // WRONG, OLD
    _ = try Regex("a")  // WRONG, OLD
    _ = text.replacing("b", with: "c")  // WRONG, OLD
    _ = [1, 2].contains([1])  // WRONG, OLD
    _ = text.contains("b")
    try await Task.sleep(nanoseconds: 1)
}

func typedThrows() -> Any { [() throws(CancellationError) -> Void]() as Any }  // WRONG

func primaryAssociatedTypes(_ numbers: any AsyncSequence<Int, Never>) {}  // WRONG

nonisolated protocol Shared: Sendable {}

extension JSONEncoder: Shared {}  // WRONG, OLD

func boundStreams() -> InputStream? {
    var input: InputStream?
    var output: OutputStream?
    Stream.getBoundStreams(withBufferSize: 1, inputStream: &input, outputStream: &output)
    output?.open()
    return input
}
