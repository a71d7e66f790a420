// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

#if canImport(ServiceProvider)
import ServiceProvider
#endif

nonisolated extension ServiceProvider {
    /// A provider whose values are decoded at a place inside the body: `data.results`, `results.0.id`.
    ///
    /// ```swift
    /// let heroes = try await provider.at("data.results").load(service: x, decodeType: [Hero].self)
    /// ```
    ///
    /// The body is read once, by the service's decoder or else the provider's; it must have containers
    /// (an object, an array) all the way. An Optional is nil when the last key is missing or null. With
    /// `at` twice, the second path goes on where the first one ends.
    ///
    /// - Parameter path: Keys, as the decoder gives them to models (a `JSONDecoder` may change snake case
    ///   to camel case), and indices of arrays from 0, with dots between them. Empty for the whole body.
    public func at(_ path: String) -> ServiceProvider {
        // By scalars, since a dot and an accent after it are one `Character`.
        let keys = path.unicodeScalars.split(separator: ".").map {
            ServiceKeyPath.Key(stringValue: String($0))
        }
        return adding(ServiceKeyPath(keys: keys, decoder: pipeline.decoder))
    }
}

/// The interceptor that hands the path to the decoding, and the decoder that follows it.
private nonisolated struct ServiceKeyPath: ServiceInterceptor, ServiceDecoder {
    /// What is left of the path, for the `init(from:)` below: not every decoder has a `userInfo`.
    @TaskLocal static var rest: ArraySlice<Key> = []

    let keys: [Key]
    let decoder: any ServiceDecoder

    @concurrent func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        var request = request
        request.decoder = ServiceKeyPath(keys: keys, decoder: request.decoder ?? decoder)
        return try await next(request)
    }

    /// Decodes the value at the path. The inner decoder may have a path too, which follows this one.
    func decode<U: Decodable>(_: U.Type, from response: ServiceResponse) throws -> U {
        try Self.$rest.withValue(Self.rest + keys) {
            try decoder.decode(Place<U>.self, from: response).value
        }
    }

    /// Decodes a whole body: the body of an error has no such path.
    func decode<U: Decodable>(_ type: U.Type, from data: Data) throws -> U {
        try decoder.decode(type, from: data)
    }

    struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// A place on the path: decodes the next one, and where the path ends the value.
    struct Place<U: Decodable>: Decodable {
        let value: U

        init(from decoder: any Decoder) throws {
            var rest = ServiceKeyPath.rest
            guard let key = rest.popFirst() else {
                // Not `U(from:)`, which would not know the decoder's own ways with dates.
                value = try decoder.singleValueContainer().decode(U.self)
                return
            }
            value = try $rest.withValue(rest) {
                if let index = UInt(key.stringValue), var list = try? decoder.unkeyedContainer() {
                    while list.currentIndex < index, !list.isAtEnd { _ = try list.superDecoder() }
                    if !list.isAtEnd { return try list.decode(Self.self).value }
                } else {
                    let object = try decoder.container(keyedBy: Key.self)
                    if object.contains(key) {
                        return try object.decode(Self.self, forKey: key).value
                    }
                }
                if rest.isEmpty, let absent = Any?.none as? U { return absent }
                throw DecodingError.keyNotFound(
                    key, .init(codingPath: decoder.codingPath, debugDescription: "no such place"))
            }
        }
    }
}
