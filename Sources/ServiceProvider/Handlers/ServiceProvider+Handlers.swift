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

    /// Runs a call whose value is read from the answer, unless that is empty.
    private func start<U>(
        _ service: T, _ completion: @escaping Completion<U>,
        read: @escaping @Sendable (ServiceResponse) throws(ServiceError) -> sending U
    ) -> ServiceTask {
        start(service, completion) { [pipeline] request throws(ServiceError) in
            let response = try await pipeline.run(request)
            return response.data.isEmpty ? nil : try read(response)
        }
    }

    /// Runs a call whose value is decoded on the main actor, which its conformance belongs to.
    @MainActor private func start<U: Decodable>(
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

// MARK: - Services that name what their endpoints answer

nonisolated extension ServiceProvider
where T: TypedService, T.Response: Decodable & SendableMetatype {
    /// Loads and decodes what the service names, off the main actor. It need not be `Sendable`.
    ///
    /// - Parameters:
    ///   - service: Read before this returns.
    ///   - completion: Called once, on the main actor, after this has returned.
    /// - Returns: The call, to be cancelled if need be.
    @discardableResult
    public func load(service: T, completion: @escaping Completion<T.Response>) -> ServiceTask {
        load(service: service, decodeType: T.Response.self, completion: completion)
    }
}

nonisolated extension ServiceProvider where T: TypedService, T.Response: Decodable {
    /// Loads and decodes what the service names, on the main actor, which its conformance to `Decodable`
    /// belongs to.
    ///
    /// - Parameters:
    ///   - service: Read before this returns.
    ///   - completion: Called once, on the main actor, after this has returned.
    /// - Returns: The call, to be cancelled if need be.
    @MainActor @discardableResult
    public func load(service: T, completion: @escaping Completion<T.Response>) -> ServiceTask {
        start(service, decoding: T.Response.self, completion)
    }
}

nonisolated extension ServiceProvider where T: TypedService, T.Response == Data {
    /// Loads an endpoint's bytes.
    ///
    /// - Parameters:
    ///   - service: Read before this returns.
    ///   - completion: Called once, on the main actor, after this has returned.
    /// - Returns: The call, to be cancelled if need be.
    @discardableResult
    public func load(service: T, completion: @escaping Completion<Data>) -> ServiceTask {
        start(service, completion, read: \.data)
    }
}

nonisolated extension ServiceProvider where T: TypedService, T.Response == Void {
    /// Loads an endpoint whose body, should it have one, is not wanted.
    ///
    /// - Parameters:
    ///   - service: Read before this returns.
    ///   - completion: Called once, on the main actor, after this has returned; without a body, with
    ///     ``ServiceResult/empty``.
    /// - Returns: The call, to be cancelled if need be.
    @discardableResult
    public func load(service: T, completion: @escaping Completion<Void>) -> ServiceTask {
        start(service, completion) { _ in }
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
