// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

nonisolated extension AsyncSequence where Element == ServiceEvent {
    /// Decodes the data of each event, off the main actor. Events with empty data are skipped.
    ///
    /// ```swift
    /// let deltas = try provider.events(service: .chat).decoded(as: Delta.self, until: "[DONE]")
    /// for try await delta in deltas { print(delta.text) }
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type of a value. Its conformance to `Decodable` can't be isolated to an actor.
    ///   - end: Data that ends the values, and isn't decoded. Default: nil, which decodes all data. Without it, the
    ///     values end with the events.
    ///   - decoder: Default: nil, which uses the decoder of the call if this is the result of
    ///     `events(service:reconnecting:)` or `events(maximumSize:)`, and otherwise a `JSONDecoder`.
    public func decoded<Value: Decodable & SendableMetatype>(
        as type: Value.Type, until end: String? = nil, decoder: (any ServiceDecoder)? = nil
    ) -> ServiceValues<Self, Value> {
        ServiceValues(base: self, text: { $0.data }, end: end, decoder: decoder)
    }
}

nonisolated extension AsyncSequence where Element == String {
    /// Decodes each line, off the main actor: newline-delimited JSON. Empty lines are skipped.
    ///
    /// ```swift
    /// let stream = try await provider.stream(service: .log)
    /// for try await entry in stream.lines().decoded(as: Entry.self) { print(entry.message) }
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type of a value. Its conformance to `Decodable` can't be isolated to an actor.
    ///   - end: A line that ends the values, and isn't decoded. Default: nil, which decodes all lines.
    ///   - decoder: Default: nil, which uses the decoder of the call if this is the result of
    ///     `lines(maximumLength:)`, and otherwise a `JSONDecoder`.
    public func decoded<Value: Decodable & SendableMetatype>(
        as type: Value.Type, until end: String? = nil, decoder: (any ServiceDecoder)? = nil
    ) -> ServiceValues<Self, Value> {
        ServiceValues(base: self, text: { $0 }, end: end, decoder: decoder)
    }
}

/// The decoded values of events or lines. Each is decoded when the loop gets to it.
public nonisolated struct ServiceValues<Base: AsyncSequence, Value: Decodable & SendableMetatype>:
    AsyncSequence, AsyncIteratorProtocol
{
    /// A decoded value.
    public typealias Element = Value

    /// The events or lines; nil once reading has started.
    var base: Base?
    let text: @Sendable (Base.Element) -> String
    let end: String?
    let decoder: (any ServiceDecoder)?
    var source: Base.AsyncIterator?
    /// The number of elements so far, without empty ones.
    var count = 0

    /// Starts reading.
    public func makeAsyncIterator() -> Self { self }

    /// The next value; nil at the end, and after an error.
    ///
    /// - Throws: `ServiceError.decoding(_:_:as:)` for a malformed element. The type name in the
    ///   error is followed by the number of the element, starting at 1: `Delta (element 3)`. The
    ///   body of its response is the element, so that `error.response?.decode(_:)` can decode an error
    ///   that the server sent in its place. The errors of the chunks, wrapped by
    ///   `ServiceError.init(_:)`.
    @concurrent public mutating func next() async throws -> sending Value? {
        guard var source = base.take()?.makeAsyncIterator() ?? source.take() else { return nil }
        do {
            while let text = try await source.next().map(text) {
                let isEnd = end.map(text.isIdentical) == true
                guard !isEnd else { return nil }
                guard !text.isEmpty else { continue }
                count += 1
                let value = try decode(text, (source as? any ServiceResponseSource)?.response)
                // If this method throws, the source isn't put back, so the values end.
                self.source = source
                return value
            }
            return nil
        } catch {
            throw ServiceError(error)
        }
    }

    private func decode(_ text: String, _ head: ServiceResponse?) throws -> sending Value {
        let unknown = ServiceRequest(URLRequest(url: URL(fileURLWithPath: "/")))
        var response = head ?? ServiceResponse(request: unknown, statusCode: 200)
        response.data = Data(text.utf8)
        let decoder = decoder ?? response.request.decoder ?? JSONDecoder()
        do {
            return try decoder.decode(Value.self, from: response)
        } catch {
            let type = "\(Value.self) (element \(count))"
            throw ServiceError.decoding(error, response, as: type)
        }
    }
}

nonisolated extension ServiceValues: Sendable where Base: Sendable, Base.AsyncIterator: Sendable {}

/// An iterator that may know the response it reads.
nonisolated protocol ServiceResponseSource {
    /// The status and the headers; nil before they have arrived, and for chunks that don't come
    /// from a response.
    var response: ServiceResponse? { get }
}
