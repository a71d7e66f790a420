// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

nonisolated extension ServiceProvider {
    /// Loads an endpoint as a stream of values: server-sent events (`text/event-stream`) or
    /// newline-delimited JSON (`application/x-ndjson`, `application/jsonl`).
    ///
    /// ```swift
    /// for try await delta in try await provider.stream(
    ///     service: .chat, decodeType: Delta.self, until: "[DONE]")
    /// { print(delta.text) }
    /// ```
    ///
    /// This method returns as soon as the headers of a successful response have arrived. Each value
    /// is decoded off the main actor by the decoder of the call, when the loop gets to it. `Accept`
    /// is added unless the service sets it. An event or a line has at most 1 MB. To reconnect, use
    /// `events(service:reconnecting:)` and `decoded(as:)`.
    ///
    /// - Parameters:
    ///   - service: The endpoint.
    ///   - decodeType: The type of a value. Its conformance to `Decodable` can't be isolated to an
    ///     actor.
    ///   - end: A line, or the data of an event, that ends the values and isn't decoded. Default: nil.
    ///   - report: If set, malformed values are skipped, and their errors go to this closure. Default:
    ///     nil, which throws the error.
    /// - Returns: The values. The loop throws the errors of ``ServiceValues/next()``.
    /// - Throws: The errors of ``stream(service:)``; `ServiceError.decoding(_:_:as:)` if the response
    ///   has another content type. Its response has the first 64 KB of the body, such as the server's message.
    public nonisolated(nonsending) func stream<Value: Decodable & SendableMetatype>(
        service: T, decodeType: Value.Type, until end: String? = nil,
        skipping report: (@Sendable (ServiceError) -> Void)? = nil
    ) async throws -> ServiceValues<ServiceEvents<ServiceStream>, Value> {
        var request = try request(for: service)
        let types = "text/event-stream, application/x-ndjson, application/jsonl"
        try request.setDefaultHeader("Accept", types)
        let lines = ["x-ndjson", "ndjson", "jsonl", "x-jsonlines"].map { "application/" + $0 }
        let rule = ServiceContentTypeRule(["text/event-stream"] + lines, for: "\(Value.self)")
        let stream = try await pipeline.stream(request, accepting: rule)
        var events = stream.events()
        let type = ServiceMediaType(stream.response.header("Content-Type")).name
        if type != "text/event-stream" {
            events.lines = stream.lines()
            events.parser.isPlain = true
        }
        return events.decoded(as: decodeType, until: end, skipping: report)
    }
}
