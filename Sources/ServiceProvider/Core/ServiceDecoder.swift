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

    /// Decodes a value from a response. Implement it to decode by status or headers.
    ///
    /// The default implementation returns the body for `Data`, and the text of the body for `String` (if
    /// the response is JSON, the JSON string, or else the text). Other types are decoded from the body.
    ///
    /// - Throws: Any error; the call throws it inside ``ServiceError/decoding(_:_:as:)``.
    func decode<U: Decodable>(_ type: U.Type, from response: ServiceResponse) throws -> U
}

nonisolated extension ServiceDecoder {
    /// Returns the body for `Data` and the text for `String`; decodes other types from the body.
    public func decode<U: Decodable>(_ type: U.Type, from response: ServiceResponse) throws -> U {
        if type == Data.self || type == Data?.self, let data = response.data as? U { return data }
        guard type == String.self || type == String?.self else {
            return try decode(type, from: response.data)
        }
        let mediaType = ServiceMediaType(response.header("Content-Type"))
        if mediaType.isJSON, let string = try? decode(type, from: response.data) { return string }
        if let text = response.text, let string = text as? U { return string }
        let reason = "the body isn't text in the charset '\(mediaType.charset ?? "utf-8")'."
        throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: reason))
    }
}

nonisolated extension JSONDecoder: ServiceDecoder {}
nonisolated extension PropertyListDecoder: ServiceDecoder {}
