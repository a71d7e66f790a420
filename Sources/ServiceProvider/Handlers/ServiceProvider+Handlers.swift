// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

nonisolated extension ServiceProvider {
    /// Loads an endpoint's bytes.
    ///
    /// - Parameters:
    ///   - service: Read before this returns.
    ///   - completion: Called once, on the main actor, after this has returned.
    /// - Returns: The call, to be cancelled if need be.
    @_disfavoredOverload @discardableResult
    public func load(service: T, completion: @escaping Completion<Data>) -> ServiceTask {
        start(service, completion, read: \.data)
    }

    /// Loads and decodes a value, off the main actor. The value need not be `Sendable`.
    ///
    /// - Parameters:
    ///   - service: Read before this returns.
    ///   - decodeType: What to decode.
    ///   - completion: Called once, on the main actor, after this has returned.
    /// - Returns: The call, to be cancelled if need be.
    @discardableResult
    public func load<U: Decodable & SendableMetatype>(
        service: T, decodeType: U.Type, completion: @escaping Completion<U>
    ) -> ServiceTask {
        start(service, completion) { [pipeline] response throws(ServiceError) in
            try pipeline.value(decodeType, in: response)
        }
    }

    /// Loads and decodes a value whose conformance to `Decodable` belongs to the main actor, there.
    ///
    /// - Parameters:
    ///   - service: Read before this returns.
    ///   - decodeType: What to decode.
    ///   - completion: Called once, on the main actor, after this has returned.
    /// - Returns: The call, to be cancelled if need be.
    @_disfavoredOverload @MainActor @discardableResult
    public func load<U: Decodable>(
        service: T, decodeType: U.Type, completion: @escaping Completion<U>
    ) -> ServiceTask {
        start(service, decoding: decodeType, completion)
    }
}
