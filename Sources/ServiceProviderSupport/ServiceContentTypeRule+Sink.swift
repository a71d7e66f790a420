// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

nonisolated extension ServiceContentTypeRule {
    /// Sends a request whose body may go to a sink, and throws ``refusal(of:)`` if the type of its body isn't accepted.
    ///
    /// A refused body doesn't reach the sink. Its first 64 KB are in the error's response, or as much of them as arrives
    /// within a second, because a stream may be silent for hours.
    package func send(
        _ request: ServiceRequest, with next: ServiceNext
    ) async throws -> ServiceResponse {
        guard let inner = request.bodySink, request.deliversBody else {
            return try await next(request)
        }
        let sink = ServiceContentTypeSink(inner, self)
        var request = request
        request.bodySink = sink
        let response: ServiceResponse
        do {
            response = try await next(request)
        } catch {
            // The caller's own cancellation isn't the end of the body.
            guard let refused = sink.refused, !Task.isCancelled else { throw error }
            throw refusal(of: refused)
        }
        // A response of another status doesn't go to the sink. It may be that of a later attempt.
        guard sink.refused != nil, response.hasValidStatus else { return response }
        throw refusal(of: response)
    }
}

/// Collects the start of a body of a wrong type in place of another sink.
private nonisolated final class ServiceContentTypeSink: ServiceBodySink {
    private struct State {
        /// The last response; nil if its type is accepted.
        var refused: ServiceResponse?
        /// Whether this sink has ended the body, because it has enough of it.
        var hasEnough = false
        var timer: Task<Void, Never>?
    }

    private static let maximumSize = 64 << 10
    /// In seconds.
    private static let maximumTime: TimeInterval = 1

    private let inner: any ServiceBodySink
    private let rule: ServiceContentTypeRule
    private let state = ServiceLocked(State())

    init(_ inner: any ServiceBodySink, _ rule: ServiceContentTypeRule) {
        self.inner = inner
        self.rule = rule
    }

    /// The response whose body is refused, with the start of its body.
    var refused: ServiceResponse? { state.withLock { $0.refused } }

    /// A refused body goes to memory, as that of an unsuccessful response does.
    var destination: ServiceBodyDestination { refused == nil ? inner.destination : .memory }

    func didSend(_ sent: Int64) { inner.didSend(sent) }

    func begin(_ response: ServiceResponse, control: ServiceTransferControl) throws {
        let hasBody = response.statusCode != 204 && response.header("Content-Length") != "0"
        guard hasBody, !rule.accepts(response) else {
            state.withLock { $0.refused = nil }
            return try inner.begin(response, control: control)
        }
        let timer = Task { [state] in
            let isOver: Void? = try? await ServiceClock().sleep(Self.maximumTime)
            guard isOver != nil else { return }
            state.withLock { $0.hasEnough = true }
            control.cancel()
        }
        state.withLock { $0 = State(refused: response, timer: timer) }
    }

    func receive(_ chunk: Data) throws {
        let isRefused = state.withLock { state in
            guard var response = state.refused.take() else { return false }
            response.data += chunk.prefix(Self.maximumSize - response.data.count)
            state.refused = response
            state.hasEnough = state.hasEnough || response.data.count == Self.maximumSize
            return true
        }
        guard isRefused else { return try inner.receive(chunk) }
        guard !state.withLock({ $0.hasEnough }) else { throw URLError(.cancelled) }
    }

    func end(_ error: (any Error)?) {
        let timer = state.withLock { state in
            if error != nil, !state.hasEnough {
                // The connection was lost. Another attempt may get another response.
                state.refused = nil
            }
            return state.timer.take()
        }
        guard let timer else { return inner.end(error) }
        timer.cancel()
    }
}
