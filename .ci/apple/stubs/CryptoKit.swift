// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// The parts of CryptoKit that the project uses. Written by hand: see README.md.

import FoundationEssentials

@available(macOS 10.15, iOS 13.0, tvOS 15.0, watchOS 6.0, *)
public struct SHA256Digest: Sequence {
    public func makeIterator() -> Array<UInt8>.Iterator
}

@available(macOS 10.15, iOS 13.0, tvOS 15.0, watchOS 6.0, *)
public struct SHA256 {
    public static func hash<D: DataProtocol>(data: D) -> SHA256Digest
}
