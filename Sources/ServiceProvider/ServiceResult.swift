// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// The result of a call, as handlers get it.
public nonisolated enum ServiceResult<Value> {
    /// The decoded value, or the body.
    case success(Value)
    /// The call failed.
    case failure(ServiceError)
    /// The call succeeded, and the response has no body: a 204, a response to HEAD, a length of 0.
    case empty

    /// Returns the value; nil for ``empty``.
    ///
    /// - Throws: The ``ServiceError`` of a ``failure(_:)``.
    public func get() throws -> Value? {
        switch self {
        case .success(let value): return value
        case .failure(let error): throw error
        case .empty: return nil
        }
    }
}

nonisolated extension ServiceResult: Sendable where Value: Sendable {}
