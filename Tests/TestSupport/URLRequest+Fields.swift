// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension URLRequest {
    /// Adds header fields, even those that `setValue` drops on Linux because they're invalid.
    public mutating func addFields(_ fields: [String: String]) {
        #if canImport(FoundationNetworking)
        // In one go, because `setValue` looks at all fields each time.
        allHTTPHeaderFields = (allHTTPHeaderFields ?? [:]).merging(fields) { $1 }
        #else
        for (name, value) in fields { setValue(value, forHTTPHeaderField: name) }
        #endif
    }
}
