// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import TestSupport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Responds with the timeout of the request that the session received, as the body.
///
/// Responds inside `startLoading`, because responding from elsewhere isn't safe on Linux.
final class StubProtocol: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool { true }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
    override func stopLoading() {}

    override func startLoading() {
        guard let url = request.url,
            let http = HTTPURLResponse(
                url: url, statusCode: 203, httpVersion: "HTTP/1.1",
                headerFields: ["X-Path": url.path])
        else { return }
        client?.urlProtocol(self, didReceive: http, cacheStoragePolicy: .notAllowed)
        client?.urlProtocol(self, didLoad: Data("\(request.timeoutInterval)".utf8))
        client?.urlProtocolDidFinishLoading(self)
    }
}
