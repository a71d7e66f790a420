// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// Where a value was decoded.
public struct Place: Decodable, Sendable {
    public let isMain: Bool

    public init(from decoder: any Decoder) throws { isMain = Thread.isMainThread }
}
