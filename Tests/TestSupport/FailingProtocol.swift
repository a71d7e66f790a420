// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Fails with the error that the URL names, such as `http://failing.invalid/NSPOSIXErrorDomain/53`.
///
/// Fails inside `startLoading`, because failing elsewhere isn't safe on Linux.
public final class FailingProtocol: URLProtocol {
    public override class func canInit(with request: URLRequest) -> Bool { true }
    public override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
    public override func stopLoading() {}

    public override func startLoading() {
        let parts = request.url?.pathComponents ?? []
        let error = NSError(domain: parts[1], code: Int(parts[2]) ?? 0)
        client?.urlProtocol(self, didFailWithError: error)
    }

    /// A configuration that makes all requests fail.
    public static var configuration: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [FailingProtocol.self]
        return configuration
    }
}
