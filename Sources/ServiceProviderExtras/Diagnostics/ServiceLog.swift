// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// Writes a readable entry when a call ends, without the call's secrets.
///
/// ```swift
/// let provider = ServiceProvider<MarvelService>(interceptors: [ServiceLog(.headers)])
/// ```
/// ```
/// GET https://example.com/x?key=*** → 200 in 0.100 s, attempt 2, sent 0 bytes, received 842 bytes
/// > Accept: application/json
/// * http/1.1, 192.0.2.7, connect 0.012 s, TLS 0.031 s, first byte 0.094 s, total 0.098 s
/// < Content-Type: application/json
/// ```
///
/// An ``Entry`` also has a level and fields, for a structured log such as swift-log. The attempt is shown from the second
/// one on.
///
/// `ServiceRequest.redacting(_:ofHeader:)` and `ServiceRequest.isSecret(_:)` say which values are hidden. As the first
/// interceptor, the log describes calls; as the last one, each attempt, with the headers that other interceptors set.
/// Control characters are escaped (`\u{1B}`), so a response can't forge a line or send commands to a terminal. Errors are
/// shown as they are: those of this library hold no secrets, but an error of your own interceptor may.
public nonisolated struct ServiceLog: ServiceInterceptor {
    /// The contents of an entry's message.
    public enum Contents: Sendable {
        /// Request, outcome, time and sizes.
        case line
        /// The line, the sorted headers of the request and the response, and the metrics, also those of a failure.
        case headers
        /// The line, the headers and both bodies, if they are JSON or forms.
        ///
        /// A body may hold secrets that no name shows, such as `"message": "Your code is 123456"`.
        case bodies
    }

    /// How many scalars of the line about request and outcome are shown, and of a field.
    private static let maximumLineSize = 16_384

    private let contents: Contents
    private let maximumBodySize: Int
    private let clock: ServiceClock
    private let write: @Sendable (Entry) -> Void

    /// Creates a log.
    ///
    /// - Parameters:
    ///   - contents: The contents of an entry's message. Default: a line.
    ///   - maximumBodySize: How many characters of each body are shown. Default: 4,096. Bodies of more than 1 MB
    ///     (or four times that number, if that is more) are never shown, and neither is invalid JSON. Files
    ///     and streams are never read.
    ///   - clock: The clock that measures the time. Default: the system's.
    ///   - write: Receives an entry on any thread. The call waits until it returns. Default: writes the message to
    ///     standard error.
    public init(
        _ contents: Contents = .line, maximumBodySize: Int = 4_096,
        clock: ServiceClock = ServiceClock(),
        write: @escaping @Sendable (Entry) -> Void = {
            try? FileHandle.standardError.write(contentsOf: Data("\($0.message)\n".utf8))
        }
    ) {
        self.contents = contents
        self.clock = clock
        self.write = write
        self.maximumBodySize = min(max(maximumBodySize, 0), 1 << 28)
    }

    /// Sends the request unchanged, and writes an entry when it ends.
    @concurrent public func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        let progress = ServiceLocked(ServiceProgress())
        var measured = request
        measured.noteRedirects()
        // Only where the response lacks the sizes.
        if request.hasBody || request.deliversBody {
            measured.reportProgress { latest in
                progress.withLock { progress in
                    progress = latest
                }
            }
        }
        let (outcome, seconds) = await clock.timed { [measured] in try await next(measured) }
        let call = EndedCall(request, outcome, seconds, progress.withLock { $0 })
        let fields = call.fields.mapValues(Self.line)
        write(Entry(level: call.level, message: message(of: call), fields: fields))
        return try outcome.get()
    }

    private func message(of call: EndedCall) -> String {
        var text = Self.line(summary(of: call))
        guard contents != .line else { return text }
        let last = call.last
        let body = last.urlRequest.httpBody ?? Data()
        let source = last.upload == nil ? "stream" : "file"
        let streamed = body.isEmpty && last.hasBody ? "(\(call.sent) bytes of a \(source))" : nil
        let fields = last.urlRequest.allHTTPHeaderFields ?? [:]
        text += part(">", fields, body, or: streamed, call.redactor)
        for metrics in call.response?.metrics ?? call.error?.metrics ?? [] {
            text += "\n* \(Self.escaped(metrics.summary))"
        }
        guard let response = call.response else { return text }
        let delivered = response.hasDeliveredBody ? "(delivered elsewhere)" : nil
        return text + part("<", response.headers, response.data, or: delivered, call.redactor)
    }

    /// Request, outcome, time and sizes.
    private func summary(of call: EndedCall) -> String {
        var urls = [call.url(of: call.request)]
        let lastURL = call.url(of: call.last)
        if urls != [lastURL] {
            urls.append(lastURL)
        }
        let status = call.response.map { "\($0.statusCode)" } ?? "failed"
        let attempt = call.last.attempt > 1 ? ", attempt \(call.last.attempt)" : ""
        let text = """
            \(call.method) \(urls.joined(separator: " → ")) → \(status) \
            in \(call.seconds) s\(attempt), sent \(call.sent) bytes, received \(call.received) bytes
            """
        guard call.response == nil, let error = call.error else { return text }
        return text + Self.cause(of: error)
    }

    /// The headers and the body of a request or a response, without their secrets.
    ///
    /// - Parameter substitute: A text in place of the body.
    private func part(
        _ mark: String, _ headers: [String: String], _ body: Data, or substitute: String?,
        _ call: ServiceRequest
    ) -> String {
        var text = ""
        var type: String?
        for (name, value) in headers.sorted(by: { $0.key < $1.key }) {
            let shown = call.redacting(value, ofHeader: name)
            text += "\n\(mark) \(Self.escaped("\(name): \(shown)"))"
            if name.lowercased() == "content-type" {
                type = value
            }
        }
        guard contents == .bodies, let body = substitute ?? shown(body, type, call) else {
            return text
        }
        text += "\n\(mark) "
        // By scalars, because a line break of two scalars is one `Character`.
        for line in body.unicodeScalars.split(separator: "\n") {
            text += "\n\(mark) \(Self.escaped(String(line)))"
        }
        return text
    }

    private func shown(_ body: Data, _ type: String?, _ call: ServiceRequest) -> String? {
        guard !body.isEmpty else { return nil }
        let size = "(\(body.count) bytes of \(type ?? "an unknown type"))"
        // To find secrets in a larger body would take too long.
        let isShort = body.count <= max(1 << 20, 4 * maximumBodySize)
        guard isShort, let text = call.redacting(body, ofType: type) else { return size }
        return Self.start(of: text, count: maximumBodySize).map { "\($0) \(size)" } ?? text
    }

    /// The start of a text; nil if the text isn't longer.
    private static func start(of text: String, count: Int) -> String? {
        let start = text.unicodeScalars.prefix(count)
        guard start.endIndex < text.endIndex else { return nil }
        return "\(String(start))…"
    }

    private static func cause(of error: ServiceError) -> String {
        switch error {
        case .cancelled: ", cancelled"
        case .transport(let error):
            ": URLError \(error.code.rawValue), \(error.localizedDescription)"
        case let error: ": \(error.description)"
        }
    }

    /// The start of a text, as one line.
    private static func line(_ text: String) -> String {
        escaped(start(of: text, count: maximumLineSize) ?? text)
    }

    /// One line, with escapes in place of characters that a terminal would obey.
    private static func escaped(_ line: String) -> String {
        var shown = ""
        for scalar in line.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control where scalar != "\t", .format, .lineSeparator, .paragraphSeparator:
                shown += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            default: shown.unicodeScalars.append(scalar)
            }
        }
        return shown
    }
}
