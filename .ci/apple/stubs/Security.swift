// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// The parts of Security that the project uses, and Foundation's members with its types.
// Written by hand: see README.md.

import Foundation

public class SecTrust {}
public class SecCertificate {}
public class CFError {}

public func SecTrustEvaluateWithError(_ trust: SecTrust, _ error: UnsafeMutablePointer<CFError?>?) -> Bool
@available(macOS 12.0, iOS 15.0, tvOS 15.0, watchOS 8.0, *)
public func SecTrustCopyCertificateChain(_ trust: SecTrust) -> NSArray?
public func SecCertificateCopyData(_ certificate: SecCertificate) -> NSData

extension URLCredential {
    public convenience init(trust: SecTrust)
}
extension URLProtectionSpace {
    public var serverTrust: SecTrust? { get }
}
