// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// Decodes response bodies. `JSONDecoder` and `PropertyListDecoder` conform.
///
/// Pass one to the provider, or set ``ServiceRequest/decoder`` for one endpoint, in ``Service/prepare(_:)``:
///
/// ```swift
/// let decoder = JSONDecoder()
/// decoder.dateDecodingStrategy = .iso8601
/// decoder.keyDecodingStrategy = .convertFromSnakeCase
/// let provider = ServiceProvider<MarvelService>(decoder: decoder)
/// ```
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
            let reason = "The text isn't UTF-8."
            throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: reason))
        }
        return value
    }
}

nonisolated extension JSONDecoder: ServiceDecoder {}
nonisolated extension PropertyListDecoder: ServiceDecoder {}

nonisolated extension ServiceResponse {
    /// Decodes the body with the call's decoder, in the caller's isolation.
    ///
    /// The decoder is that of the request, which is the provider's unless the service sets another in
    /// ``Service/prepare(_:)``.
    ///
    /// - Throws: ``ServiceError/decoding(_:_:as:)``; for an empty body, ``ServiceError/emptyResponse(_:)``,
    ///   unless the type is `Data` or an Optional.
    public func decode<U: Decodable>(_: U.Type) throws -> U {
        if data.isEmpty, U.self != Data.self {
            // Only an Optional is nil.
            guard let none = Any?.none as? U else { throw ServiceError.emptyResponse(self) }
            return none
        }
        let decoder = request.decoder ?? JSONDecoder()
        do {
            return try decoder.decode(U.self, from: self)
        } catch {
            throw ServiceError.decoding(error, self, as: "\(U.self)")
        }
    }

    /// Decodes the body with the call's decoder, off the caller's actor.
    ///
    /// - Throws: The same errors as ``decode(_:)``.
    @concurrent package func decodeConcurrently<U: Decodable & SendableMetatype>(
        _ type: U.Type
    ) async throws -> sending U {
        try decode(type)
    }

    /// Decodes the body with the call's decoder, where the type's `Decodable` conformance may be used: in the caller's
    /// isolation, or on the main actor. (A conformance that belongs to another actor needs a caller on that actor.)
    ///
    /// - Parameter isolation: The actor on which to decode. Nil if the caller has none.
    /// - Throws: The same errors as ``decode(_:)``.
    package func decode<U: Decodable>(
        _ type: U.Type, in isolation: isolated (any Actor)?
    ) async throws -> sending U {
        let mayDecode = Self.mayDecodeHere(type) ?? (isolation != nil)
        guard !mayDecode else { return try decodeOnce() }
        return try await decodeOnMain()
    }

    @MainActor private func decodeOnMain<U: Decodable>() throws -> sending U {
        try decodeOnce()
    }

    private func decodeOnce<U: Decodable>() throws -> sending U {
        // Safe because nothing else has the value, unless the type itself keeps it.
        nonisolated(unsafe) let value = try decode(U.self)
        return value
    }

    /// Whether the conformance of a type may be used where this runs: a cast finds only those that may (SE-0470). Nil for
    /// a runtime before Swift 6.2, which doesn't know it.
    ///
    /// - Parameter type: As `Any`, because a cast from `Any.Type` finds each conformance (Swift 6.3).
    private static func mayDecodeHere(_ type: Any) -> Bool? {
        guard #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else { return nil }
        return type is any Decodable.Type
    }
}
