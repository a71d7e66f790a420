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
    @discardableResult
    public func load(service: T, completion: @escaping Completion<Data>) -> ServiceTask {
        start(service, completion) { [pipeline] request throws(ServiceError) in
            try await pipeline.run(request).body
        }
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
        start(service, completion) { [pipeline] request throws(ServiceError) in
            let response = try await pipeline.run(request)
            return response.body == nil ? nil : try pipeline.value(decodeType, in: response)
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
        let end: Completion<ServiceResponse> = { [pipeline] result in
            // Holds: made here, and given to one handler, on the same actor.
            nonisolated(unsafe) let decoded = result.map { response throws(ServiceError) in
                try pipeline.value(decodeType, in: response)
            }
            completion(decoded)
        }
        return start(service, end) { [pipeline] request throws(ServiceError) in
            let response = try await pipeline.run(request)
            return response.body == nil ? nil : response
        }
    }
}

nonisolated extension ServiceResult {
    /// The same end with another value; a failure when the closure throws.
    public func map<New>(_ transform: (Value) throws(ServiceError) -> New) -> ServiceResult<New> {
        do throws(ServiceError) {
            switch self {
            case .success(let value): return .success(try transform(value))
            case .failure(let error): throw error
            case .empty: return .empty
            }
        } catch {
            return .failure(error)
        }
    }
}

nonisolated extension ServiceResponse {
    /// Nil when there are no bytes.
    fileprivate var body: Data? { data.isEmpty ? nil : data }
}
