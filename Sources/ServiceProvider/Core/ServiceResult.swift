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
        let request = Swift.Result { () throws(ServiceError) in try self.request(for: service) }
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

    /// Runs a call whose value is read from the answer, unless that is empty.
    func start<U>(
        _ service: T, _ completion: @escaping Completion<U>,
        read: @escaping @Sendable (ServiceResponse) throws(ServiceError) -> sending U
    ) -> ServiceTask {
        start(service, completion) { [pipeline] request throws(ServiceError) in
            let response = try await pipeline.run(request)
            return response.data.isEmpty ? nil : try read(response)
        }
    }

    /// Runs a call whose value is decoded on the main actor, which its conformance belongs to.
    @MainActor func start<U: Decodable>(
        _ service: T, decoding type: U.Type, _ completion: @escaping Completion<U>
    ) -> ServiceTask {
        let end: Completion<ServiceResponse> = { [pipeline] result in
            // Holds: made here, and given to one handler, on the same actor.
            nonisolated(unsafe) let decoded = result.map { response throws(ServiceError) in
                try pipeline.value(type, in: response)
            }
            completion(decoded)
        }
        return start(service, end) { response in response }
    }
}
