// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// Makes a value of a response's body: `JSONDecoder` and `PropertyListDecoder` do, others may.
public nonisolated protocol ServiceDecoder: Sendable {
    /// Decodes a value.
    ///
    /// - Throws: Whatever says best what is wrong; it becomes ``ServiceError/decoding(_:_:as:)``.
    func decode<U: Decodable>(_ type: U.Type, from data: Data) throws -> U
}

nonisolated extension JSONDecoder: ServiceDecoder {}
nonisolated extension PropertyListDecoder: ServiceDecoder {}
