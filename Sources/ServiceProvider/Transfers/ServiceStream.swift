// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

nonisolated extension ServiceProvider {
    /// Loads an endpoint whose body is read as it arrives; returns at the head of a good answer.
    ///
    /// - Throws: As ``response(for:)``.
    public nonisolated(nonsending) func stream(
        service: T
    ) async throws(ServiceError) -> ServiceStream {
        try await pipeline.stream(pipeline.read(service))
    }

    /// The server-sent events of an endpoint: each loop connects anew. A line or an event may have 1 MB.
    ///
    /// Its `timeout` is how long the server may be silent. `Accept` and `Cache-Control` are sent
    /// unless it sets them. A 204 is the end, also of reconnecting; the loop throws what ``stream(service:)``
    /// does, and ``ServiceError/decoding(_:_:as:)`` when an answer is no `text/event-stream`.
    ///
    /// - Parameters:
    ///   - service: Read before this returns.
    ///   - reconnection: How to connect again, when a connection ends, breaks or does not come about.
    ///     Default: nil, not at all.
    /// - Throws: ``ServiceError/invalidRequest(_:reason:)``.
    public func events(
        service: T, reconnecting reconnection: ServiceReconnection? = nil
    ) throws(ServiceError) -> ServiceEvents<ServiceStream> {
        var request = try pipeline.read(service)
        for (name, value) in [("Accept", "text/event-stream"), ("Cache-Control", "no-store")]
        where request.urlRequest.value(forHTTPHeaderField: name) == nil {
            try request.setHeader(name, value)
        }
        let connect = { @Sendable [pipeline, request] (lastID: String) async throws in
            try await pipeline.events(request, after: lastID)
        }
        return ServiceEvents(connect: connect, reconnection: reconnection)
    }
}

nonisolated extension ServicePipeline {
    @concurrent fileprivate func stream(
        _ request: ServiceRequest
    ) async throws(ServiceError) -> ServiceStream {
        var request = request
        let buffer = ServiceStreamBuffer { [onFailure, request] in onFailure?($0, request) }
        let reader = ServiceStream.AsyncIterator(buffer)
        request.delivery = buffer
        let response = try await run(request)
        // Unless it has begun: then an interceptor has answered, and no transport.
        if (try? buffer.begin(response, from: ServiceTransfer {})) != nil {
            try? buffer.receive(response.data)
            buffer.end(nil)
        }
        return ServiceStream(response: response, reader: reader)
    }

    /// Nil where there are none, and never will be.
    @concurrent fileprivate func events(
        _ request: ServiceRequest, after id: String
    ) async throws -> ServiceStream? {
        var request = request
        // What the server has chosen must not become a request that no server takes.
        if (1...1_024).contains(id.utf8.count) { try? request.setHeader("Last-Event-ID", id) }
        let stream = try await stream(request)
        guard stream.response.statusCode != 204 else { return nil }
        let type = ServiceMediaType(stream.response.header("Content-Type")).name
        guard type == "text/event-stream" else {
            let error = URLError(.cannotDecodeContentData, "the content type is '\(type)'.")
            throw ServiceError.decoding(error, stream.response, as: "text/event-stream")
        }
        return stream
    }
}

/// The body of an answer as it arrives, in chunks: what waits comes as one.
///
/// Who leaves the loop (also by a cancelled task) stops the transfer, and so does who drops the stream.
/// It is read once: of several loops that read it, each chunk goes to one.
///
/// A slow reader holds the server back, with about 1 MB unread. URLSession on Linux cannot do that: there
/// the stream ends in `URLError.dataLengthExceedsMaximum` when more comes beyond ``unreadLimit``.
public nonisolated struct ServiceStream: AsyncSequence, Sendable {
    /// How many bytes may wait for a reader: 8 MB.
    public static let unreadLimit = 8 << 20

    /// The head of the answer, without a body.
    public let response: ServiceResponse
    fileprivate let reader: AsyncIterator

    /// Begins to read.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(reader.buffer, of: reader) }

    /// Reads a stream. Who lets go of it stops the transfer.
    public final class AsyncIterator: AsyncIteratorProtocol, Sendable {
        fileprivate let buffer: ServiceStreamBuffer
        /// The stream's own, which must not be let go of sooner.
        private let parent: AsyncIterator?

        fileprivate init(_ buffer: ServiceStreamBuffer, of parent: AsyncIterator? = nil) {
            (self.buffer, self.parent) = (buffer, parent)
        }

        deinit { buffer.close() }

        /// The next chunk; nil at the end, and after an error.
        ///
        /// - Throws: ``ServiceError/transport(_:)``, or ``ServiceError/cancelled``, also when another
        ///   loop was left before the end.
        public nonisolated(nonsending) func next() async throws(ServiceError) -> Data? {
            let chunk = await withTaskCancellationHandler {
                await withCheckedContinuation { reader in
                    buffer.update { $0.readers.append(reader) }
                }
            } onCancel: {
                buffer.close()
            }
            return try chunk.get()
        }
    }
}

/// Where chunks wait for readers, or readers for chunks.
private nonisolated final class ServiceStreamBuffer: ServiceDelivery {
    struct State {
        var unread = Data()
        var end: Swift.Result<Data?, ServiceError>?
        var transfer: ServiceTransfer?
        var isPaused = false
        var readers: [CheckedContinuation<Swift.Result<Data?, ServiceError>, Never>] = []
    }

    /// Told of an error that comes after the head.
    private let onFailure: @Sendable (ServiceError) -> Void
    private let lock = NSLock()
    /// Safe because it is touched under the lock alone.
    nonisolated(unsafe) private var state = State()

    init(onFailure: @escaping @Sendable (ServiceError) -> Void) {
        self.onFailure = onFailure
    }

    /// Changes the state, and tells a reader and the transfer what follows from it.
    func update(_ change: (inout State) throws -> Void) rethrows {
        var told: [() -> Void] = []
        // Not under the lock, which whoever cancels a task takes under that task's own.
        defer { for tell in told { tell() } }
        try lock.withLock {
            try change(&state)
            while let chunk = state.unread.isEmpty ? state.end : .success(state.unread),
                let reader = state.readers.first
            {
                // An error is told once.
                if state.unread.isEmpty { state.end = .success(nil) }
                state.unread = Data()
                state.readers.removeFirst()
                told.append { reader.resume(returning: chunk) }
            }
            let isFull = state.unread.count > 1 << 20
            // Under the lock, so that what is said last is what is meant.
            if isFull != state.isPaused { state.transfer?.pause?(isFull) }
            state.isPaused = isFull
        }
    }

    var isStream: Bool { true }

    func begin(_ response: ServiceResponse, from transfer: ServiceTransfer) throws {
        try update { state in
            // A second exchange's bytes would be mixed up with those of the first.
            guard state.transfer == nil, state.end == nil else {
                throw URLError(.resourceUnavailable, "A stream begins once.")
            }
            state.transfer = transfer
        }
    }

    func receive(_ chunk: Data) throws {
        try update { state in
            guard state.end == nil else { throw CancellationError() }
            guard state.unread.count <= ServiceStream.unreadLimit else {
                throw URLError(.dataLengthExceedsMaximum, "More is unread than a stream holds.")
            }
            if state.unread.isEmpty { state.unread = chunk } else { state.unread += chunk }
        }
    }

    func end(_ error: (any Error)?) {
        let error = error.map { ServiceError($0) }
        var isLeft = false
        update { state in
            isLeft = state.end != nil
            state.transfer = nil
            state.end = state.end ?? error.map { .failure($0) } ?? .success(nil)
        }
        if let error, !isLeft { onFailure(error) }
    }

    func close() {
        var transfer: ServiceTransfer?
        update { state in
            if state.end == nil || !state.unread.isEmpty { state.end = .failure(.cancelled) }
            state.unread = Data()
            transfer = state.transfer.take()
        }
        transfer?.cancel()
    }
}

// MARK: - Lines and events

nonisolated extension AsyncSequence where Element == Data {
    /// The lines of a text in UTF-8, without their ends (LF, CR or CRLF); the last one needs none.
    ///
    /// - Parameter limit: How many bytes a line may have; a longer one is an error. Default: 1 MB.
    public func lines(limit: Int = 1 << 20) -> ServiceLines<Self> {
        ServiceLines(base: self, limit: limit)
    }

    /// Server-sent events (WHATWG HTML, section 9.2.6). The last one is dropped when unfinished.
    ///
    /// - Parameter limit: How many bytes a line or an event may have; more are an error. Default: 1 MB.
    public func events(limit: Int = 1 << 20) -> ServiceEvents<Self> {
        let lines = ServiceLines(base: self, limit: limit, keepsUnfinished: false)
        return ServiceEvents(lines: lines, connect: nil, reconnection: nil)
    }
}

/// The lines of a text that comes in chunks.
public nonisolated struct ServiceLines<Base: AsyncSequence>: AsyncSequence, AsyncIteratorProtocol
where Base.Element == Data {
    /// Nil once it is read.
    fileprivate var base: Base?
    fileprivate let limit: Int
    fileprivate var keepsUnfinished = true
    fileprivate var source: Base.AsyncIterator?
    fileprivate var chunk: ArraySlice<UInt8> = []
    fileprivate var line: [UInt8] = []
    fileprivate var isAfterCR = false

    /// Begins to read.
    public func makeAsyncIterator() -> Self { self }

    /// The next line; nil at the end, and after an error.
    ///
    /// - Throws: What the chunks throw; ``ServiceError/transport(_:)`` with
    ///   `URLError.dataLengthExceedsMaximum` for a line that is too long.
    @concurrent public mutating func next() async throws -> String? {
        while true {
            if let line = try split() { return line }
            // Not put back when it throws.
            guard var source = base.take()?.makeAsyncIterator() ?? source.take() else { return nil }
            guard let more = try await source.next() else { break }
            (self.source, chunk) = (source, ArraySlice(more))
        }
        return line.isEmpty || !keepsUnfinished ? nil : String(decoding: line, as: UTF8.self)
    }

    /// The next line that ends in the chunk.
    private mutating func split() throws -> String? {
        if isAfterCR, let first = chunk.first {
            isAfterCR = false
            if first == UInt8(ascii: "\n") { chunk = chunk.dropFirst() }
        }
        let part = chunk.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        try check(line.count + part.count, "A line")
        line += part
        chunk = chunk.dropFirst(part.count)
        guard let end = chunk.popFirst() else { return nil }
        isAfterCR = end == UInt8(ascii: "\r")
        defer { line.removeAll(keepingCapacity: true) }
        return String(decoding: line, as: UTF8.self)
    }

    fileprivate mutating func check(_ size: Int, _ name: String) throws {
        guard size > limit else { return }
        (source, chunk) = (nil, [])
        let text = "\(name) is longer than \(limit) bytes."
        throw ServiceError.transport(URLError(.dataLengthExceedsMaximum, text))
    }
}

nonisolated extension ServiceLines: Sendable where Base: Sendable, Base.AsyncIterator: Sendable {}

/// One server-sent event.
public nonisolated struct ServiceEvent: Hashable, Sendable {
    /// What kind of event it is. Default: "message".
    public var name: String
    /// Its data, lines joined by LF.
    public var data: String
    /// The identifier that came last, with this event or before; empty when none has.
    public var id: String
    /// Seconds after which the server wants clients to connect again; nil when it has not said.
    public var retry: TimeInterval?

    /// Makes an event, as a test does.
    public init(
        data: String = "", name: String = "message", id: String = "", retry: TimeInterval? = nil
    ) {
        (self.data, self.name, self.id, self.retry) = (data, name, id, retry)
    }
}

/// Server-sent events, of chunks or of an endpoint.
public nonisolated struct ServiceEvents<Base: AsyncSequence>: AsyncSequence, AsyncIteratorProtocol
where Base.Element == Data {
    fileprivate var lines: ServiceLines<Base>?
    fileprivate let connect: (@Sendable (_ lastID: String) async throws -> Base?)?
    fileprivate let reconnection: ServiceReconnection?
    /// Whether an error or the end was reached.
    fileprivate var isDone = false
    fileprivate var delay: TimeInterval = 0
    fileprivate var isFirstLine = true
    fileprivate var lastID = ""
    /// What the lines since the last empty one say.
    fileprivate var draft = ServiceEvent()

    /// Begins to read; of an endpoint, over a connection of its own.
    public func makeAsyncIterator() -> Self { self }

    /// The next event; nil at the end, and after an error.
    ///
    /// - Throws: What the lines throw.
    @concurrent public mutating func next() async throws -> ServiceEvent? {
        guard !isDone else { return nil }
        // Until there is an event: an error ends the events as well.
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
            let asked = Swift.max(delay * 2, draft.retry ?? reconnection.delay, 0.1)
            delay = Swift.min(asked, reconnection.maximumDelay)
            let seconds = delay * .random(in: 1...1.5)
            guard (try? await reconnection.wait(seconds)) != nil else {
                throw ServiceError.cancelled
            }
        }
    }

    /// - Returns: The event that the line ends, if any.
    private mutating func read(_ text: String) -> ServiceEvent? {
        // By bytes: a colon and an accent after it would be one character.
        var line = text.utf8[...]
        if isFirstLine, line.starts(with: "\u{FEFF}".utf8) { line = line.dropFirst(3) }
        isFirstLine = false
        guard !line.isEmpty else {
            lastID = draft.id
            defer { draft = ServiceEvent(id: lastID, retry: draft.retry) }
            // The LF after the last line.
            return draft.data.unicodeScalars.popLast() == nil ? nil : draft
        }
        let field = line.prefix { $0 != UInt8(ascii: ":") }
        var rest = line.dropFirst(field.count + 1)
        if rest.first == UInt8(ascii: " ") { rest = rest.dropFirst() }
        let value = String(Substring(rest))
        switch String(Substring(field)) {
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

/// When an event stream is connected to again.
public nonisolated struct ServiceReconnection: Sendable {
    /// Seconds to wait, unless the server names others. Default: 3. They double until an event comes,
    /// and up to a half is added at random, so that clients do not come all at once.
    public var delay: TimeInterval = 3
    /// The most that they double to, and that the server may ask for. Default: 60. The least is 0.1.
    public var maximumDelay: TimeInterval = 60
    /// Waits so many seconds; when it throws, the events end as cancelled. Default: ``ServiceClock``'s.
    public var wait: @Sendable (TimeInterval) async throws -> Void = ServiceClock().sleep

    /// The defaults.
    public init() {}
}

nonisolated extension URLError {
    fileprivate init(_ code: Code, _ description: String) {
        self.init(code, userInfo: [NSLocalizedDescriptionKey: description])
    }
}
