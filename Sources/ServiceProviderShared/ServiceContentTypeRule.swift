// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// The media types that a call accepts. Extras and Transfers use it.
package nonisolated struct ServiceContentTypeRule: Sendable {
    /// Such as `application/json` and `image/*`.
    package let accepted: [String]
    /// What the body should be, for the error.
    private let name: String

    package init(_ accepted: [String], for name: String) {
        self.accepted = accepted
        self.name = name
    }

    /// Whether a response has one of the types, compared without case and parameters.
    package func accepts(_ response: ServiceResponse) -> Bool {
        guard let field = response.header("Content-Type") else { return false }
        let type = ServiceMediaType(field).name
        let types = [type, type.prefix { $0 != "/" } + "/*", "*/*"]
        return accepted.contains { types.contains(ServiceMediaType($0).name) }
    }

    /// The error for a response of another type.
    package func refusal(of response: ServiceResponse) -> ServiceError {
        var response = response
        // Releases what the request's body holds, such as a temporary file.
        response.request.upload = nil
        let type = response.header("Content-Type")
        let error = ServiceContentTypeError(contentType: type, accepted: accepted)
        return .decoding(error, response, as: name)
    }

    /// Sends a request. A body of another type doesn't get to the request's body sink: the error has its first
    /// 64 KB.
    ///
    /// It checks only bodies that go to a file or a stream, not those in memory, and none without bytes.
    @concurrent package func send(
        _ request: ServiceRequest, _ next: ServiceNext
    ) async throws -> ServiceResponse {
        guard request.deliversBody, let inner = request.bodySink else {
            return try await next(request)
        }
        let sink = ServiceContentTypeSink(inner, self)
        var request = request
        request.bodySink = sink
        do {
            return try await next(request)
        } catch {
            // The sink may have ended the transfer. But the caller may have cancelled it, too.
            guard !Task.isCancelled, let response = sink.refused else { throw error }
            throw refusal(of: response)
        }
    }
}

/// Passes bodies of the right type on to another sink. Others go to memory, and their transfers end after 64 KB
/// or 5 seconds, because a stream may be endless.
private nonisolated final class ServiceContentTypeSink: ServiceBodySink {
    private static let limit = 1 << 16
    private let inner: any ServiceBodySink
    private let rule: ServiceContentTypeRule
    private let state = ServiceLocked<ServiceResponse?>(nil)

    init(_ inner: any ServiceBodySink, _ rule: ServiceContentTypeRule) {
        self.inner = inner
        self.rule = rule
    }

    /// The last response, if it has another type.
    var refused: ServiceResponse? {
        guard var response = state.withLock({ $0 }) else { return nil }
        response.data = response.data.prefix(Self.limit)
        return response
    }

    var destination: ServiceBodyDestination {
        let isRefused = state.withLock { $0 != nil }
        return isRefused ? .memory : inner.destination
    }

    func didSend(_ sent: Int64) { inner.didSend(sent) }

    func begin(_ response: ServiceResponse, control: ServiceTransferControl) throws {
        let isEmpty = response.statusCode == 204 || response.header("Content-Length") == "0"
        let isRight = isEmpty || rule.accepts(response)
        state.withLock { $0 = isRight ? nil : response }
        if isRight {
            try inner.begin(response, control: control)
        } else {
            DispatchQueue.global().asyncAfter(deadline: .now() + 5) { control.cancel() }
        }
    }

    func receive(_ chunk: Data) throws {
        let size = state.withLock { response in
            response?.data.append(chunk)
            return response?.data.count
        }
        guard let size else { return try inner.receive(chunk) }
        guard size >= Self.limit, let refused else { return }
        throw rule.refusal(of: refused)
    }

    func end(_ error: (any Error)?) {
        let isRefused = state.withLock { $0 != nil }
        if !isRefused { inner.end(error) }
    }
}
