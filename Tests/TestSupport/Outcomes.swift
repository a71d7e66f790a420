// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Returns the error of a call that must fail.
public func failure(
    sourceLocation: SourceLocation = #_sourceLocation, of call: () async throws -> Void
) async throws -> ServiceError {
    do {
        try await call()
    } catch {
        return try #require(error as? ServiceError, sourceLocation: sourceLocation)
    }
    Issue.record("The call succeeded.", sourceLocation: sourceLocation)
    throw CancellationError()
}

extension ServiceProvider where T: Sendable {
    public func outcome(of service: T) async -> Swift.Result<ServiceResponse, ServiceError> {
        do {
            return .success(try await response(service: service))
        } catch {
            return .failure(ServiceError(error))
        }
    }

    /// Returns the error of a call that must fail.
    public func failure(
        of service: T, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> ServiceError {
        let outcome = await outcome(of: service)
        guard case .failure(let error) = outcome else {
            Issue.record("The call succeeded: \(outcome)", sourceLocation: sourceLocation)
            throw CancellationError()
        }
        return error
    }

    /// Calls with a completion handler, and returns the result.
    public func result(of service: T) async -> ServiceResult<Data> {
        let call = Locked<Task<Void, Never>?>(nil)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let task = load(service: service) { continuation.resume(returning: $0) }
                call { $0 = task }
                if Task.isCancelled { task.cancel() }
            }
        } onCancel: {
            call { $0 }?.cancel()
        }
    }

    /// Describes how a call ends: with its status code, valid or not, or with the text of its error.
    public func end(of service: T) async -> String {
        do {
            return "\(try await response(service: service).statusCode)"
        } catch let error as ServiceError {
            let text = transcribed(error.description, as: .error)
            return error.statusCode.map { "\($0)" } ?? text
        } catch {
            return "not a ServiceError: \(error)"
        }
    }

    public func text(of service: T) async throws -> String {
        String(decoding: try await load(service: service), as: UTF8.self)
    }
}

extension Swift.Result {
    public var isSuccess: Bool {
        if case .success = self { true } else { false }
    }
}

extension Swift.Result where Failure == ServiceError {
    public var isCancelled: Bool {
        if case .failure(.cancelled) = self { true } else { false }
    }
}

extension ServiceResult {
    public var isCancelled: Bool {
        if case .failure(.cancelled) = self { true } else { false }
    }
    public var value: Value? {
        if case .success(let value) = self { value } else { nil }
    }
}

extension ServiceError {
    /// The code of a transport error.
    public var urlErrorCode: URLError.Code? {
        if case .transport(let error) = self { error.code } else { nil }
    }
    /// The part of an invalid request.
    public var invalidPart: RequestPart? {
        if case .invalidRequest(let part, _) = self { part } else { nil }
    }
    /// Whether the error is about a file.
    public var isFileError: Bool {
        if case .file = self { true } else { false }
    }
    /// The unacceptable status code.
    public var unacceptableStatus: Int? {
        if case .unacceptableStatus(let response) = self { response.statusCode } else { nil }
    }
}

extension ServiceError {
    public var isCancelled: Bool {
        if case .cancelled = self { true } else { false }
    }
}
