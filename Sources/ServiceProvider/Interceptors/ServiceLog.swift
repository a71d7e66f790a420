// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Tells people what calls did: one entry for each, when it ends, without its secrets.
///
/// ```swift
/// let provider = ServiceProvider<MarvelService>(interceptors: [ServiceLog(.headers)])
/// ```
/// ```
/// GET https://api.example.com/v1/x?apikey=***&name=Hulk → 200 in 0.123 s, sent 0 bytes, received 842 bytes
/// > Accept: application/json
/// < Content-Type: application/json
/// ```
///
/// What is secret, ``ServiceRequest/isSecret(_:)`` says; ``Service/secretNames`` adds to it. Given first,
/// it tells of calls; given last, of each attempt, with the headers that other interceptors set.
/// Control characters are escaped (`\u{1B}`), so that no answer can forge a line or command a terminal.
public nonisolated struct ServiceLog: ServiceInterceptor {
    /// How much an entry says.
    public enum Level: Int, Sendable {
        /// Request, outcome, time and sizes.
        case line
        /// The same, and the fields of both heads, sorted.
        case headers
        /// The same, and both bodies.
        case bodies
    }

    /// How many scalars of the line about request and outcome are shown.
    private static let lineLimit = 16_384

    private let level: Level
    private let bodyLimit: Int
    private let clock: ServiceClock
    private let write: @Sendable (String) -> Void

    /// Makes a log.
    ///
    /// - Parameters:
    ///   - level: How much it says. Default: a line.
    ///   - bodyLimit: How many characters of each body. Default: 4,096. Bodies that are no text, or none
    ///     whose secrets can be told (XML), are never shown; those of files and streams never read.
    ///   - clock: Says what time it is. Default: the system's.
    ///   - write: Takes an entry, without a line break at its end, on any thread. Default: writes it
    ///     to standard error.
    public init(
        _ level: Level = .line, bodyLimit: Int = 4_096, clock: ServiceClock = ServiceClock(),
        write: @escaping @Sendable (String) -> Void = {
            try? FileHandle.standardError.write(contentsOf: Data("\($0)\n".utf8))
        }
    ) {
        (self.level, self.clock, self.write) = (level, clock, write)
        self.bodyLimit = min(max(bodyLimit, 0), 1 << 28)
    }

    /// Lets the call pass as it is, and tells of its end.
    @concurrent public func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        let (start, sizes) = (clock.now(), ServiceLogSizes())
        var observed = request
        // Of all others the sizes are known in the end; and who tells progress is not merged with others.
        if request.hasBody || request.delivery != nil {
            observed.onProgress = { [outer = request.onProgress] progress in
                sizes.progress = progress
                outer?(progress)
            }
        }
        let outcome: Swift.Result<ServiceResponse, any Error>
        do { outcome = .success(try await next(observed)) } catch { outcome = .failure(error) }
        let seconds = max(clock.now().timeIntervalSince(start), 0)
        write(entry(of: request, outcome, seconds, sizes.progress))
        return try outcome.get()
    }

    private func entry(
        of request: ServiceRequest, _ outcome: Swift.Result<ServiceResponse, any Error>,
        _ seconds: TimeInterval, _ progress: ServiceProgress
    ) -> String {
        let response = try? outcome.get()
        // The last one: with what interceptors further in have set, secrets as well.
        let last = response?.request ?? request
        let (body, data) = (last.urlRequest.httpBody ?? Data(), response?.data ?? Data())
        let sent = max(progress.sent, response == nil ? 0 : Int64(body.count))
        let received = max(progress.received, Int64(data.count))
        var places = [request, last].map { $0.urlRequest.url?.absoluteString ?? "" }
        if places[0] == places[1] { places.removeLast() }
        var text = """
            \(request.urlRequest.httpMethod ?? "GET") \(places.joined(separator: " → ")) → \
            \(response.map { "\($0.statusCode)" } ?? "failed") \
            in \(String(format: "%.3f", seconds)) s, sent \(sent) bytes, received \(received) bytes
            """
        if case .failure(let error) = outcome { text += Self.cause(of: error) }
        let redactor = ServiceRedactor(last, request)
        let line = redactor.excerpt(of: text, limit: Self.lineLimit)
        text = Self.escaped(line.text + (line.isWhole ? "" : "…"))
        guard level != .line else { return text }
        let file = last.upload.map { _ in "(\(sent) bytes of a file)" }
        text += part(">", last.urlRequest.allHTTPHeaderFields ?? [:], body, or: file, redactor)
        guard let response else { return text }
        let delivered = data.isEmpty ? last.delivery.map { _ in "(delivered elsewhere)" } : nil
        let fields = response.http.allHeaderFields as? [String: String] ?? [:]
        return text + part("<", fields, data, or: delivered, redactor)
    }

    /// A head and a body, as far as they may be shown.
    private func part(
        _ mark: String, _ fields: [String: String], _ body: Data, or substitute: String?,
        _ redactor: ServiceRedactor
    ) -> String {
        var lines = fields.sorted { $0.key < $1.key }.map { name, value in
            "\(name): \(redactor.redacting(value, ofHeader: name))"
        }
        let type = fields.first { $0.key.lowercased() == "content-type" }?.value
        if level == .bodies, let body = substitute ?? shown(body, type, redactor) {
            // By scalars, since a line break of two is one `Character`.
            lines += [""] + body.unicodeScalars.split(separator: "\n").map(String.init)
        }
        return lines.map { "\n\(mark) \(Self.escaped($0))" }.joined()
    }

    private func shown(_ body: Data, _ type: String?, _ redactor: ServiceRedactor) -> String? {
        guard !body.isEmpty else { return nil }
        let size = "(\(body.count) bytes of \(type ?? "an unknown type"))"
        let excerpt = redactor.excerpt(of: body, ofType: type, limit: bodyLimit)
        guard let excerpt else { return size }
        return excerpt.text + (excerpt.isWhole ? "" : "… \(size)")
    }

    private static func cause(of error: any Error) -> String {
        switch ServiceError(error) {
        case .cancelled: ", cancelled"
        case .transport(let error):
            ": URLError \(error.code.rawValue), \(error.localizedDescription)"
        case let error: ": \((error as any Error).localizedDescription)"
        }
    }

    /// One line that a terminal shows and does not obey.
    private static func escaped(_ line: String) -> String {
        line.unicodeScalars.reduce(into: "") { shown, scalar in
            switch scalar.properties.generalCategory {
            case .control where scalar != "\t", .format, .lineSeparator, .paragraphSeparator:
                shown += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            default: shown.unicodeScalars.append(scalar)
            }
        }
    }
}

/// How far the last attempt of a call has come.
private nonisolated final class ServiceLogSizes: Sendable {
    private let lock = NSLock()
    // Unsafe to the compiler only: used under `lock`.
    private nonisolated(unsafe) var last = ServiceProgress()

    var progress: ServiceProgress {
        get { lock.withLock { last } }
        set { lock.withLock { last = newValue } }
    }
}
