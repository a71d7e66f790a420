// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

nonisolated extension AsyncSequence where Element == Data {
    /// Parses server-sent events (WHATWG HTML, section 9.2.6). An unfinished last event is dropped.
    ///
    /// - Parameter maximumSize: The most bytes in a line or an event; more is an error. Default: 1 MB.
    public func events(maximumSize: Int = 1 << 20) -> ServiceEvents<Self> {
        ServiceEvents(
            lines: ServiceLines(base: self, maximumLength: maximumSize, keepsUnfinished: false))
    }
}

nonisolated extension ServiceProvider {
    /// The server-sent events of an endpoint. Each loop opens a connection of its own.
    ///
    /// ```swift
    /// for try await event in try provider.events(service: .news) { print(event.data) }
    /// ```
    ///
    /// The service's `timeout` is how long the server may be silent. `Accept` and `Cache-Control` are
    /// added unless the service sets them. A `Last-Event-ID` of the service is sent until the server
    /// has sent an identifier, which may be empty. A line or an event has at most 1 MB.
    ///
    /// A 204 ends the events, even when reconnecting. The loop throws the errors of ``stream(service:)``,
    /// `ServiceError.unacceptableStatus(_:)` for each other status than 200, and
    /// `ServiceError.decoding(_:_:as:)` if the response isn't `text/event-stream`.
    ///
    /// Reconnecting sends the service's request again, with any method: also a POST, and also after the
    /// server has ended a response normally.
    ///
    /// - Parameters:
    ///   - service: The endpoint. It's read before this method returns.
    ///   - reconnection: How to reconnect when a connection ends, fails or can't be opened. Default:
    ///     nil, which doesn't reconnect.
    /// - Throws: `ServiceError.invalidRequest(_:reason:)`.
    public func events(
        service: T, reconnecting reconnection: ServiceReconnection? = nil
    ) throws -> ServiceEvents<ServiceStream> {
        var request = try request(service: service)
        try request.setDefaultHeader("Accept", "text/event-stream")
        try request.setDefaultHeader("Cache-Control", "no-cache")
        return ServiceEvents(reconnection: reconnection) { [pipeline, request] lastID in
            try await pipeline.events(request, after: lastID)
        }
    }
}

nonisolated extension ServicePipeline {
    /// Connects to an event stream; nil if the server has no more events.
    ///
    /// - Parameter id: The identifier of the last event; nil if the server has sent none.
    @concurrent fileprivate func events(
        _ request: ServiceRequest, after id: String?
    ) async throws -> ServiceStream? {
        var request = request
        // Any other status fails the connection (WHATWG HTML, section 9.2.3).
        request.acceptsAnyStatus = false
        request.validStatusCodes.formIntersection([200, 204])
        if let id {
            // In place of the service's own, which says where to start.
            request.urlRequest.setValue(nil, forHTTPHeaderField: "Last-Event-ID")
            // The server chose the ID: a long or malformed one would make each request fail.
            if (1...1_024).contains(id.utf8.count) {
                try? request.setHeader("Last-Event-ID", to: id)
            }
        }
        let type = "text/event-stream"
        let rule = ServiceContentTypeRule([type], for: type)
        let stream = try await stream(request, accepting: rule)
        guard stream.response.statusCode != 204 else { return nil }
        guard rule.accepts(stream.response) else { throw rule.refusal(of: stream.response) }
        return stream
    }
}

/// The server-sent events of chunks, or of an endpoint.
public nonisolated struct ServiceEvents<Base: AsyncSequence>: AsyncSequence, AsyncIteratorProtocol,
    ServiceResponseSource
where Base.Element == Data {
    /// The lines of this connection; nil without a connection.
    var lines: ServiceLines<Base>?
    var reconnection: ServiceReconnection?
    var connect: (@concurrent @Sendable (_ lastID: String?) async throws -> Base?)?
    var parser = ServiceEventParser()
    /// Whether the events have ended, with or without an error.
    var isDone = false
    /// The last wait without its random part, in seconds; 0 after an event.
    var delay: TimeInterval = 0

    var response: ServiceResponse? { lines?.response }

    /// Starts reading; with an endpoint, over a connection of its own.
    public func makeAsyncIterator() -> Self { self }

    /// The next event; nil at the end, and after an error.
    ///
    /// - Throws: The errors of the chunks; `ServiceError.transport(_:)` with
    ///   `URLError.dataLengthExceedsMaximum` if a line or an event is too long.
    @concurrent public mutating func next() async throws -> ServiceEvent? {
        guard !isDone else { return nil }
        // Reset when an event is returned, so that an error ends the events too.
        isDone = true
        while true {
            do {
                if lines == nil, let connect {
                    guard let new = try await connect(parser.lastID) else { return nil }
                    lines = new.events().lines
                }
                if let event = try await nextOfConnection() {
                    isDone = false
                    delay = 0
                    return event
                }
            } catch ServiceError.transport(let error)
                where reconnection != nil && error.code != .dataLengthExceedsMaximum
            {}
            lines = nil
            guard connect != nil, let reconnection else { return nil }
            parser.restart()
            try await wait(reconnection)
        }
    }

    /// The next event of this connection; nil at its end.
    private mutating func nextOfConnection() async throws -> ServiceEvent? {
        while let line = try await lines?.next() {
            if let event = parser.read(line) {
                return event
            }
            try lines?.check(parser.size, "An event")
        }
        return nil
    }

    /// Waits before the next connection.
    private mutating func wait(_ reconnection: ServiceReconnection) async throws {
        let wanted = Swift.max(delay * 2, parser.retry ?? reconnection.delay)
        delay = Swift.max(Swift.min(wanted, reconnection.maximumDelay), 0.1)
        do {
            try await reconnection.clock.sleep(delay * .random(in: 1...1.5))
        } catch {
            throw ServiceError.cancelled
        }
    }
}

nonisolated extension ServiceEvents: Sendable where Base: Sendable, Base.AsyncIterator: Sendable {}
