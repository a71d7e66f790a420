// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

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
}

nonisolated extension ServiceResult: Sendable where Value: Sendable {}

/// A call that is under way.
public nonisolated struct ServiceTask: Sendable {
    let task: Task<Void, Never>

    /// Stops the call; its handler gets ``ServiceError/cancelled``.
    ///
    /// Called on the main actor, it is certain: unless the handler has run already, it gets
    /// ``ServiceError/cancelled`` and nothing else, also when the answer had just come. To call it
    /// again, or when the call has ended, does nothing.
    public func cancel() {
        task.cancel()
    }
}

nonisolated extension ServiceProvider {
    /// How a call of this provider ended.
    public typealias Result<Value> = ServiceResult<Value>
    /// What a call ends in: runs on the main actor, whose executor is the main queue.
    public typealias Completion<Value> = @MainActor @Sendable (sending ServiceResult<Value>) -> Void

    /// Runs a call whose end is told to a handler. The service is read at once.
    ///
    /// - Parameter run: Makes the value of the request; nil is an empty answer.
    func start<U>(
        _ service: T, _ completion: @escaping Completion<U>,
        _ run:
            @escaping @concurrent @Sendable (ServiceRequest) async throws(ServiceError) ->
            sending U?
    ) -> ServiceTask {
        let request = Swift.Result { () throws(ServiceError) in try pipeline.read(service) }
        // Asked on the main actor: whoever cancelled a call there never sees it succeed.
        let end: Completion<U> = { completion(Task.isCancelled ? .failure(.cancelled) : $0) }
        let task = Task {
            do throws(ServiceError) {
                guard let value = try await run(request.get()) else { return await end(.empty) }
                await end(.success(value))
            } catch {
                await end(.failure(error))
            }
        }
        return ServiceTask(task: task)
    }
}
