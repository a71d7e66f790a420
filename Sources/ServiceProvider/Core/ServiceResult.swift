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

    /// Reads the value of a response that has a body.
    init(
        _ outcome: Result<ServiceResponse, ServiceError>,
        read: (ServiceResponse) throws(ServiceError) -> Value
    ) {
        do throws(ServiceError) {
            let response = try outcome.get()
            self = response.data.isEmpty ? .empty : .success(try read(response))
        } catch {
            self = .failure(error)
        }
    }

    /// On the main actor: whoever cancelled a call there never sees it succeed.
    @MainActor static func deliver(
        _ result: sending ServiceResult, to completion: @MainActor (sending ServiceResult) -> Void
    ) {
        completion(Task.isCancelled ? .failure(.cancelled) : result)
    }
}

nonisolated extension ServiceResult: Sendable where Value: Sendable {}
