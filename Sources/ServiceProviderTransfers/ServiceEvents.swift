// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

nonisolated extension AsyncSequence where Element == Data {
    /// Parses server-sent events (WHATWG HTML, section 9.2.6). An unfinished last event is dropped.
    ///
    /// - Parameter limit: The most bytes in a line or an event; more is an error. Default: 1 MB.
    public func events(limit: Int = 1 << 20) -> ServiceEvents<Self> {
        ServiceEvents(lines: ServiceLines(base: self, limit: limit, keepsUnfinished: false))
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
    /// added unless the service sets them. A 204 ends the events, even when reconnecting. A line or
    /// an event has at most 1 MB. The loop throws the errors of ``stream(service:)``, and
    /// `ServiceError.decoding(_:_:as:)` if the response isn't `text/event-stream`.
    ///
    /// - Parameters:
    ///   - service: The endpoint. It's read before this method returns.
    ///   - reconnection: How to reconnect when a connection ends, fails or can't be opened. Default:
    ///     nil, which doesn't reconnect.
    /// - Throws: `ServiceError.invalidRequest(_:reason:)`.
    public func events(
        service: T, reconnecting reconnection: ServiceReconnection? = nil
    ) throws -> ServiceEvents<ServiceStream> {
        var request = try request(for: service)
        try request.setDefaultHeader("Accept", "text/event-stream")
        try request.setDefaultHeader("Cache-Control", "no-store")
        return ServiceEvents(reconnection: reconnection) { [pipeline, request] lastID in
            try await pipeline.events(request, after: lastID)
        }
    }
}

nonisolated extension ServicePipeline {
    /// Connects to an event stream; nil if the server has no more events.
    @concurrent fileprivate func events(
        _ request: ServiceRequest, after id: String
    ) async throws -> ServiceStream? {
        var request = request
        // The server chose the ID: a long or malformed one would make each request fail.
        if (1...1_024).contains(id.utf8.count) { try? request.setHeader("Last-Event-ID", id) }
        let stream = try await stream(request)
        guard stream.response.statusCode != 204 else { return nil }
        let type = ServiceMediaType(stream.response.header("Content-Type")).name
        guard type == "text/event-stream" else {
            let error = ServiceContentTypeError(contentType: type, accepted: ["text/event-stream"])
            throw ServiceError.decoding(error, stream.response, as: "text/event-stream")
        }
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
    var connect: (@concurrent @Sendable (_ lastID: String) async throws -> Base?)?
    /// Whether the events have ended, with or without an error.
    var isDone = false
    var delay: TimeInterval = 0
    /// Whether each line is the data of an event: newline-delimited JSON.
    var isPlain = false
    var isFirstLine = true
    var lastID = ""
    /// The event that the lines since the last empty one describe.
    var draft = ServiceEvent()

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
                    guard let new = try await connect(lastID) else { return nil }
                    (lines, isFirstLine) = (new.events().lines, true)
                }
                while let line = try await lines?.next() {
                    if let event = read(line) {
                        (isDone, delay) = (false, 0)
                        return event
                    }
                    try lines?.check(draft.data.utf8.count, "An event")
                }
            } catch ServiceError.transport(let error)
                where reconnection != nil && error.code != .dataLengthExceedsMaximum
            {}
            lines = nil
            guard connect != nil, let reconnection else { return nil }
            draft = ServiceEvent(id: lastID, retry: draft.retry)
            let wanted = Swift.max(delay * 2, draft.retry ?? reconnection.delay)
            delay = Swift.max(Swift.min(wanted, reconnection.maximumDelay), 0.1)
            let seconds = delay * .random(in: 1...1.5)
            do { try await reconnection.clock.sleep(seconds) } catch {
                throw ServiceError.cancelled
            }
        }
    }

    /// Adds a line to the draft. An empty line ends the event, which is returned if it has data.
    private mutating func read(_ text: String) -> ServiceEvent? {
        // By bytes: as a `Character`, a colon would include an accent that follows it.
        var line = text.utf8[...]
        if isFirstLine, line.starts(with: "\u{FEFF}".utf8) { line = line.dropFirst(3) }
        isFirstLine = false
        if isPlain { return ServiceEvent(data: String(Substring(line))) }
        guard !line.isEmpty else {
            lastID = draft.id
            defer { draft = ServiceEvent(id: lastID, retry: draft.retry) }
            // Drops the LF after the last line.
            return draft.data.unicodeScalars.popLast() == nil ? nil : draft
        }
        let field = line.prefix { $0 != UInt8(ascii: ":") }
        var rest = line.dropFirst(field.count + 1)
        if rest.first == UInt8(ascii: " ") { rest = rest.dropFirst() }
        let value = String(Substring(rest))
        // A longer name is unknown, and may take long to compare.
        switch field.count > 5 ? "" : String(Substring(field)) {
        case "event": draft.name = value.isEmpty ? "message" : value
        case "data": draft.data += value + "\n"
        case "id" where !value.utf8.contains(0): draft.id = value
        case "retry" where value.utf8.allSatisfy { (0x30...0x39).contains($0) }:
            draft.retry = TimeInterval(value).map { $0 / 1_000 } ?? draft.retry
        default: break
        }
        return nil
    }
}

nonisolated extension ServiceEvents: Sendable where Base: Sendable, Base.AsyncIterator: Sendable {}

/// One server-sent event.
public nonisolated struct ServiceEvent: Hashable, Sendable {
    /// The kind of event. Default: "message".
    public var name: String
    /// The data. Several lines are joined by LF.
    public var data: String
    /// The last identifier the server sent, with this event or an earlier one; empty if none.
    public var id: String
    /// How many seconds the server wants clients to wait before they reconnect; nil if it didn't say.
    public var retry: TimeInterval?

    /// Makes an event, for example in a test.
    public init(
        data: String = "", name: String = "message", id: String = "", retry: TimeInterval? = nil
    ) {
        (self.data, self.name, self.id, self.retry) = (data, name, id, retry)
    }
}

/// How an event stream reconnects.
public nonisolated struct ServiceReconnection: Sendable {
    /// The wait in seconds, unless the server sends another. Default: 3.
    ///
    /// It doubles until an event arrives. Up to a half is added at random, so that clients don't
    /// reconnect at the same time.
    public var delay: TimeInterval = 3
    /// The longest wait in seconds, without its random part. Default: 60. The shortest is 0.1.
    public var maximumDelay: TimeInterval = 60
    /// The clock that measures the waits. If a wait throws, the events end with `ServiceError.cancelled`.
    public var clock = ServiceClock()

    /// Makes a value with the defaults.
    public init() {}
}
