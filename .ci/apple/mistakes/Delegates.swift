// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// Compiles, but URLSession never calls the marked methods. The text after FINDS is a part of the message.

import Foundation

// A `URLSessionTaskDelegate` would be asked.
final class WrongProtocol: NSObject, URLSessionDelegate {  // FINDS never calls this delegate method: WrongProtocol
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        completionHandler(.performDefaultHandling, nil)
    }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {}
}

final class WrongLabel: NSObject, URLSessionDataDelegate {}  // FINDS never calls this delegate method: WrongLabel

extension WrongLabel {
    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceiveData data: Data) {}
    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {}
}

final class Private: NSObject, URLSessionDataDelegate {  // FINDS never calls this delegate method: Private
    private func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceiveData data: Data) {}
}

final class WrongTask: NSObject, URLSessionTaskDelegate {}  // FINDS never calls this delegate method: WrongTask

extension WrongTask {
    func urlSession(_ session: URLSession, task: URLSessionDataTask, didCompleteWithError error: (any Error)?) {}
}

final class Twice: NSObject, URLSessionDataDelegate {  // FINDS two methods of a class have the selector URLSession:dataTask:didReceiveResponse:completionHandler:: Twice
    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        completionHandler(.allow)
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse
    ) async -> URLSession.ResponseDisposition {
        .allow
    }
}

@objc final class OwnSelector: NSObject, URLSessionDataDelegate {  // FINDS never calls this delegate method: OwnSelector
    @objc func urlSession(_ session: URLSession, didPause task: URLSessionTask) {}
}

private final class Inner: NSObject, URLSessionDataDelegate {
    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {}
    func urlSession(_ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge) async
        -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        (.performDefaultHandling, nil)
    }
}

func right() -> NSObject { Inner() }
