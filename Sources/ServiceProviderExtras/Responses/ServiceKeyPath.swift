// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

nonisolated extension ServiceProvider {
    /// Returns a provider that decodes values at a path inside the body: `data.results`, `results.0.id`.
    ///
    /// ```swift
    /// let heroes = try await provider.decoding(at: "data.results")
    ///     .load(service: x, decodeType: [Hero].self)
    /// ```
    ///
    /// The body is decoded once, by the request's decoder or else the provider's. Every step of the path
    /// must be an object or an array. An Optional is nil if the last key is missing or null. If `decoding(at:)` is
    /// called twice, the second path starts where the first one ends.
    ///
    /// - Parameter path: Keys, as models see them (a `JSONDecoder` may convert snake case to camel case), and
    ///   array indices from 0, with dots between them. An empty path is the whole body. Error texts show
    ///   the path.
    public func decoding(at path: String) -> ServiceProvider {
        let keys = ArraySlice(field: path).words(separatedBy: ".")
        return wrapped(in: ServiceKeyPath(keys: keys.reversed(), decoder: pipeline.decoder))
    }
}

/// An interceptor that sets a decoder, and the decoder, which follows the path.
private nonisolated struct ServiceKeyPath: ServiceInterceptor, ServiceDecoder {
    /// The rest of the path, its next step last, for the `init(from:)` below. (Not every decoder has a
    /// `userInfo`.)
    @TaskLocal static var rest: [String] = []

    /// The path, its first step last.
    let keys: [String]
    let decoder: any ServiceDecoder

    @concurrent func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        var request = request
        request.decoder = ServiceKeyPath(keys: keys, decoder: request.decoder ?? decoder)
        return try await next(request)
    }

    /// Decodes the value at the path. The inner decoder may have a path too; it continues this one.
    func decode<U: Decodable>(_ type: U.Type, from response: ServiceResponse) throws -> U {
        // The body of an error has another structure.
        guard response.hasValidStatus else {
            return try decoder.decode(type, from: response)
        }
        return try Self.$rest.withValue(keys + Self.rest) {
            try decoder.decode(Place<U>.self, from: response).value
        }
    }

    /// Decodes a whole body.
    func decode<U: Decodable>(_ type: U.Type, from data: Data) throws -> U {
        try decoder.decode(type, from: data)
    }

    struct Key: ServicePathKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// A step of the path: decodes the next step, or the value at the end.
    struct Place<U: Decodable>: Decodable {
        let value: U

        init(from decoder: any Decoder) throws {
            var rest = ServiceKeyPath.rest
            guard let name = rest.popLast() else {
                // Not `U(from:)`, which ignores the decoder's settings, such as for dates.
                value = try decoder.singleValueContainer().decode(U.self)
                return
            }
            let key = Key(stringValue: name)
            let found = try $rest.withValue(rest) { try Self.step(key, in: decoder) }
            if let found {
                value = found.value
            } else if rest.isEmpty, let absent = Any?.none as? U {
                value = absent
            } else {
                throw DecodingError.keyNotFound(
                    key, .init(codingPath: decoder.codingPath, debugDescription: "no such place"))
            }
        }

        /// Decodes the value at a key or an index; nil if it's missing.
        private static func step(_ key: Key, in decoder: any Decoder) throws -> Self? {
            if let index = key.stringValue.number(), var list = try? decoder.unkeyedContainer() {
                while list.currentIndex < index, !list.isAtEnd {
                    _ = try list.superDecoder()
                }
                return list.isAtEnd ? nil : try list.decode(Self.self)
            }
            let object = try decoder.container(keyedBy: Key.self)
            return object.contains(key) ? try object.decode(Self.self, forKey: key) : nil
        }
    }
}
