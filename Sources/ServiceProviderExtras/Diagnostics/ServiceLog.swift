// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// Writes a readable entry when a call ends, without the call's secrets.
///
/// ```swift
/// let provider = ServiceProvider<MarvelService>(interceptors: [ServiceLog(.headers)])
/// ```
/// ```
/// GET https://example.com/x?key=*** → 200 in 0.100 s, sent 0 bytes, received 842 bytes
/// > Accept: application/json
/// * http/1.1, 192.0.2.7, connect 0.012 s, TLS 0.031 s, first byte 0.094 s, total 0.098 s
/// < Content-Type: application/json
/// ```
///
/// `ServiceRequest.redacting(_:ofHeader:)` and `ServiceRequest.isSecret(_:)` say which values are hidden. As the first
/// interceptor, the log describes calls; as the last one, each attempt, with the headers that other interceptors set.
/// Control characters are escaped (`\u{1B}`), so a response can't forge a line or send commands to a terminal. Errors are
/// shown as they are: those of this library hold no secrets, but an error of your own interceptor may.
public nonisolated struct ServiceLog: ServiceInterceptor {
    /// The contents of an entry.
    public enum Level: Int, Sendable {
        /// Request, outcome, time and sizes.
        case line
        /// The line, the sorted headers of the request and the response, and the metrics.
        case headers
        /// The line, the headers and both bodies, if they are JSON or forms.
        ///
        /// A body may hold secrets that no name shows, such as `"message": "Your code is 123456"`.
        case bodies
    }

    /// How many scalars of the line about request and outcome are shown.
    private static let maximumLineSize = 16_384

    private let level: Level
    private let maximumBodySize: Int
    private let clock: ServiceClock
    private let write: @Sendable (String) -> Void

    /// Creates a log.
    ///
    /// - Parameters:
    ///   - level: The contents of an entry. Default: a line.
    ///   - maximumBodySize: How many characters of each body are shown. Default: 4,096. Bodies of more than 1 MB
    ///     (or four times that number, if that is more) are never shown, and neither is invalid JSON. Files
    ///     and streams are never read.
    ///   - clock: The clock that measures the time. Default: the system's.
    ///   - write: Receives an entry, without a line break at its end, on any thread. Default:
    ///     writes it to standard error.
    public init(
        _ level: Level = .line, maximumBodySize: Int = 4_096, clock: ServiceClock = ServiceClock(),
        write: @escaping @Sendable (String) -> Void = {
            try? FileHandle.standardError.write(contentsOf: Data("\($0)\n".utf8))
        }
    ) {
        self.level = level
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
        write(entry(of: request, outcome, seconds, progress.withLock { $0 }))
        return try outcome.get()
    }

    private func entry(
        of request: ServiceRequest, _ outcome: Result<ServiceResponse, any Error>,
        _ seconds: TimeInterval, _ progress: ServiceProgress
    ) -> String {
        let response = try? outcome.get()
        // The last request has what inner interceptors set, including their secret names.
        let last = response?.request ?? request
        let call = last.withSecretNames(of: [request] + (response?.earlierRequests ?? []))
        let body = last.urlRequest.httpBody ?? Data()
        let data = response?.data ?? Data()
        let sentBody = response?.request.urlRequest.httpBody ?? Data()
        let sent = max(progress.sent, Int64(sentBody.count))
        let received = max(progress.received, Int64(data.count))
        var urls: [String] = []
        for request in [request, last] {
            let url = call.redacting(url: request.urlRequest.url?.absoluteString ?? "")
            if urls.last != url {
                urls.append(url)
            }
        }
        var text = """
            \(request.urlRequest.httpMethod ?? "GET") \(urls.joined(separator: " → ")) → \
            \(response.map { "\($0.statusCode)" } ?? "failed") \
            in \(String(format: "%.3f", seconds)) s, sent \(sent) bytes, received \(received) bytes
            """
        if case .failure(let error) = outcome {
            text += Self.cause(of: error)
        }
        text = Self.escaped(Self.start(of: text, count: Self.maximumLineSize) ?? text)
        guard level != .line else { return text }
        let source = last.upload == nil ? "stream" : "file"
        let streamed = body.isEmpty && last.hasBody ? "(\(sent) bytes of a \(source))" : nil
        text += part(">", last.urlRequest.allHTTPHeaderFields ?? [:], body, or: streamed, call)
        guard let response else { return text }
        for metrics in response.metrics {
            text += "\n* \(Self.escaped(metrics.summary))"
        }
        let delivered = response.hasDeliveredBody ? "(delivered elsewhere)" : nil
        return text + part("<", response.headers, data, or: delivered, call)
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
        guard level == .bodies, let body = substitute ?? shown(body, type, call) else {
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

    private static func cause(of error: any Error) -> String {
        switch ServiceError(error) {
        case .cancelled: ", cancelled"
        case .transport(let error):
            ": URLError \(error.code.rawValue), \(error.localizedDescription)"
        case let error: ": \(error.description)"
        }
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
