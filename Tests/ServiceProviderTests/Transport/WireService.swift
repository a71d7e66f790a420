// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import Testing

/// An endpoint of which everything can be chosen.
struct WireService: Service, Sendable {
    var baseURL: String
    var path = ""
    var method = ServiceMethod.get
    var headers: [String: String] = [:]
    var content: Data?
    var timeout: TimeInterval?
    var validStatusCodes = ServiceResponse.successfulStatusCodes

    var body: ServiceBody? { content.map { .data($0, contentType: "text/plain") } }

    /// With a time-out that does not end the call before its test does: on a busy machine a test may
    /// wait for its turn for longer than the minute that is the session's own.
    var patient: WireService {
        var service = self
        service.timeout = 3_000
        return service
    }
}

extension LoopbackServer {
    func service(_ path: String = "/start", method: ServiceMethod = .get) -> WireService {
        WireService(baseURL: baseURL, path: path, method: method)
    }

    /// The request that comes next.
    ///
    /// Waited for on a thread of its own: the threads that Swift's tasks share are few, and the
    /// client needs them.
    func arrival() async throws -> LoopbackRequest {
        let request = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(returning: self.nextRequest(timeout: 300))
            }
        }
        return try #require(request)
    }

    /// Whether not even a connection came.
    var isUntouched: Bool { connectionCount == 0 && requests.isEmpty }
}

extension ServiceProvider<WireService> {
    func outcome(of service: WireService) async -> Swift.Result<ServiceResponse, ServiceError> {
        do throws(ServiceError) {
            return .success(try await response(for: service))
        } catch {
            return .failure(error)
        }
    }

    /// The error of a call that must fail.
    func failure(
        of service: WireService, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> ServiceError {
        let outcome = await outcome(of: service)
        guard case .failure(let error) = outcome else {
            Issue.record("no error, but \(outcome)", sourceLocation: sourceLocation)
            throw CancellationError()
        }
        return error
    }

    /// The end of a call with a completion handler.
    func result(of service: WireService) async -> ServiceResult<Data> {
        await withCheckedContinuation { continuation in
            load(service: service) { continuation.resume(returning: $0) }
        }
    }
}

extension Swift.Result where Failure == ServiceError {
    var isCancelled: Bool {
        if case .failure(.cancelled) = self { true } else { false }
    }
}

extension ServiceResult {
    var isCancelled: Bool {
        if case .failure(.cancelled) = self { true } else { false }
    }
    var value: Value? {
        if case .success(let value) = self { value } else { nil }
    }
}

extension ServiceError {
    /// The code, when there was no HTTP answer.
    var urlErrorCode: URLError.Code? {
        if case .transport(let error) = self { error.code } else { nil }
    }
    /// The part of the request that is wrong.
    var invalidPart: RequestPart? {
        if case .invalidRequest(let part, _) = self { part } else { nil }
    }
    /// The status, when it was the reason.
    var unacceptableStatus: Int? {
        if case .unacceptableStatus(let response) = self { response.statusCode } else { nil }
    }
}

extension Swift.Result {
    var isSuccess: Bool {
        if case .success = self { true } else { false }
    }
}
