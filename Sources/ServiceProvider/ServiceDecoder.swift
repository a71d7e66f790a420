// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// Decodes response bodies. `JSONDecoder` and `PropertyListDecoder` conform.
public nonisolated protocol ServiceDecoder: Sendable {
    /// Decodes a value from a body.
    ///
    /// - Throws: Any error; the call throws it inside ``ServiceError/decoding(_:_:as:)``.
    func decode<U: Decodable>(_ type: U.Type, from data: Data) throws -> U

    /// Decodes a value from a response. Implement it if decoding depends on the status or
    /// headers.
    ///
    /// The default implementation returns the body for `Data`, and its UTF-8 text for `String`. Other types
    /// are decoded from the body.
    ///
    /// - Throws: Any error; the call throws it inside ``ServiceError/decoding(_:_:as:)``.
    func decode<U: Decodable>(_ type: U.Type, from response: ServiceResponse) throws -> U
}

nonisolated extension ServiceDecoder {
    /// Returns the body for `Data` and the text for `String`; decodes other types from the body.
    public func decode<U: Decodable>(_ type: U.Type, from response: ServiceResponse) throws -> U {
        if let data = response.data as? U { return data }
        guard type == String.self || type == String?.self else {
            return try decode(type, from: response.data)
        }
        guard let text = response.text, let value = text as? U else {
            throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "not UTF-8"))
        }
        return value
    }
}

nonisolated extension JSONDecoder: ServiceDecoder {}
nonisolated extension PropertyListDecoder: ServiceDecoder {}
