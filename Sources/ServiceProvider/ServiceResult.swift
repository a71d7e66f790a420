// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// The result of a call, as handlers get it.
///
/// ``ServiceProvider`` also calls it `Result`. (At the top level, that name would hide `Swift.Result`.)
public nonisolated enum ServiceResult<Value> {
    /// The decoded value, the body or the response.
    case success(Value)
    /// The call failed.
    case failure(ServiceError)
    /// The call succeeded, and the response has no body: a 204, a response to HEAD, a length of 0.
    case empty
}

nonisolated extension ServiceResult: Sendable where Value: Sendable {}

nonisolated extension ServiceResult {
    /// Whether the call succeeded, with or without a body.
    public var isSuccess: Bool { if case .failure = self { false } else { true } }

    /// Returns the value; nil for ``empty``.
    ///
    /// - Throws: The ``ServiceError`` of a ``failure(_:)``.
    public func get() throws(ServiceError) -> Value? {
        switch self {
        case .success(let value): return value
        case .failure(let error): throw error
        case .empty: return nil
        }
    }

    /// Transforms the value. If the closure throws, the result is a failure.
    public func map<New>(_ transform: (Value) throws(ServiceError) -> New) -> ServiceResult<New> {
        switch self {
        case .success(let value):
            do throws(ServiceError) { return .success(try transform(value)) } catch {
                return .failure(error)
            }
        case .failure(let error): return .failure(error)
        case .empty: return .empty
        }
    }
}

/// A running call.
public nonisolated struct ServiceTask: Sendable {
    let task: Task<Void, Never>

    /// Cancels the call; its handler gets ``ServiceError/cancelled``.
    ///
    /// When this is called on the main actor and the handler hasn't run yet, the handler gets
    /// ``ServiceError/cancelled``, even if the response has just arrived. Calling it again, or after the
    /// call has ended, does nothing.
    public func cancel() {
        task.cancel()
    }
}
