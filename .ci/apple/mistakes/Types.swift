// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// Mistakes on Apple's platforms that compile on Linux. For each platform, the compiler must diagnose each line marked
// WRONG with the text of its mark, and no other. visionOS 1 has the APIs of iOS 17, so lines marked OLD are valid there.
// Lines marked SMALL are only wrong for tvOS and watchOS.

import Foundation
import Security

final class Delegate: NSObject, URLSessionDataDelegate {
    // The Objective-C protocol has no such method, so URLSession would never call it.
    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceiveData data: Data) {}  // WRONG: nearly matches optional requirement

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
    _ = url.host()  // WRONG, OLD: 'host(percentEncoded:)' is only available in
    _ = url.appending(path: "x")  // WRONG, OLD: is only available in
    _ = URL(filePath: "/x")  // WRONG, OLD: is only available in
    _ = URLComponents(string: "x", encodingInvalidCharacters: true)  // WRONG, OLD: is only available in
    _ = url.host
}

func newerStandardLibrary(_ text: String) async throws {
    try await Task.sleep(for: .seconds(1))  // WRONG, OLD: is only available in
    _ = ContinuousClock.now  // WRONG, OLD: 'ContinuousClock' is only available in
    _ = try Regex("a")  // WRONG, OLD: 'Regex' is only available in
    _ = text.replacing("b", with: "c")  // WRONG, OLD: is only available in
    _ = [1, 2].contains([1])  // WRONG, OLD: is only available in
    _ = text.contains("b")
    try await Task.sleep(nanoseconds: 1)
}

func typedThrows() -> Any { [() throws(CancellationError) -> Void]() as Any }  // WRONG: only available in

func primaryAssociatedTypes(_ numbers: any AsyncSequence<Int, Never>) {}  // WRONG: only available in

nonisolated protocol Shared: Sendable {}

extension JSONEncoder: Shared {}  // WRONG, OLD: only available in

func newestFoundation(_ text: String) {
    if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) {
        _ = URL.Template(text)  // WRONG: 'Template' is only available in
    }
    if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
        _ = URL.Template(text)
    }
}

func removesFields(_ request: inout URLRequest) {
    request.allHTTPHeaderFields = request.allHTTPHeaderFields?.filter { $0.key == "Accept" }  // WRONG: setter for 'allHTTPHeaderFields' is deprecated
    request.setValue(nil, forHTTPHeaderField: "Authorization")
}

func startsProcess() {
    var actions: posix_spawn_file_actions_t?
    _ = posix_spawn_file_actions_init(&actions)  // WRONG, SMALL: 'posix_spawn_file_actions_init' is unavailable in
    _ = posix_spawn(nil, "/bin/sh", &actions, nil, [], [])  // WRONG, SMALL: 'posix_spawn' is unavailable in
}

func trusts(_ trust: SecTrust) -> Bool {
    var (error, coreError): (NSError?, CFError?)
    return SecTrustEvaluateWithError(trust, &error)  // WRONG: cannot convert value
        || SecTrustEvaluateWithError(trust, &coreError)
}

func boundStreams() -> InputStream? {
    var input: InputStream?
    var output: OutputStream?
    Stream.getBoundStreams(withBufferSize: 1, inputStream: &input, outputStream: &output)
    output?.open()
    return input
}
