// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// How a call ended.
///
/// Inside ``ServiceProvider`` it is also named `Result`. (At the top level that name would hide
/// `Swift.Result` from everyone who imports the library.)
public nonisolated enum ServiceResult<Value> {
    /// The value, or the bytes, that the server sent.
    case success(Value)
    /// What went wrong.
    case failure(ServiceError)
    /// The call succeeded, and its answer has no body: a 204, an answer to HEAD, a length of 0.
    case empty

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

nonisolated extension ServiceResult: Sendable where Value: Sendable {}
