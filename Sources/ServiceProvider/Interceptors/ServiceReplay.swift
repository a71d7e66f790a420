// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Answers calls from an HTTP Archive (HAR), of ``ServiceRecorder`` or of a browser's developer tools;
/// nothing is sent. Give it last.
///
/// An entry answers a request of the same method and URL, and of the same body where the entry has one.
/// The order of query items and of JSON members does not count, and `***` stands for any text. Of several
/// such entries the next one answers, and the last one from then on. Redirects are followed within the
/// archive; an entry of status 0 is a `URLError`.
public nonisolated final class ServiceReplay: ServiceInterceptor {
    private let exchanges: [ServiceExchange]
    private let lock = NSLock()
    // Unsafe to the compiler only: used under `lock`.
    private nonisolated(unsafe) var used: Set<Int> = []

    /// Reads an archive.
    ///
    /// - Throws: ``ServiceError/invalidRequest(_:reason:)`` when the file cannot be read;
    ///   ``ServiceReplayError/invalidArchive(_:)``.
    public convenience init(file: URL) throws {
        guard let data = try? Data(contentsOf: file) else {
            throw ServiceError.invalidRequest(.file, reason: "'\(file.path)' cannot be read")
        }
        try self.init(data: data)
    }

    /// Reads an archive that is in memory.
    ///
    /// - Throws: ``ServiceReplayError/invalidArchive(_:)``.
    public init(data: Data) throws {
        do {
            let archive = try JSONDecoder().decode(ServiceArchive.self, from: data)
            exchanges = try archive.log.entries.enumerated().map { index, entry in
                try ServiceExchange(entry, "entry \(index)")
            }
        } catch let error as DecodingError {
            var words = "it is no JSON"
            if case .keyNotFound(let key, let context) = error {
                words = "'\(key.stringValue)' is missing in '\(Self.path(context))'"
            } else if case .typeMismatch(_, let context) = error {
                words = "'\(Self.path(context))' is of another type"
            }
            throw ServiceReplayError.invalidArchive(words)
        }
    }

    private static func path(_ context: DecodingError.Context) -> String {
        context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }
            .joined(separator: ".")
    }

    /// Answers, and never calls `next`.
    ///
    /// - Throws: ``ServiceReplayError/unmatched(_:nearest:)``, ``ServiceReplayError/bodyMissing(_:)``.
    @concurrent public func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        var (request, hops) = (request, 0)
        while true {
            let response = try exchange(for: request).answer(to: request)
            let next = hops < 20 ? request.redirected(by: response) : nil
            guard let next else { return response }
            (request, hops) = (next, hops + 1)
        }
    }

    private func exchange(for request: ServiceRequest) throws -> ServiceExchange {
        let question = ServiceQuestion(request)
        let answers = exchanges.map { ($0, question.differences(from: $0.question)) }
        let matching = answers.indices.filter { answers[$0].1.isEmpty }
        let index = lock.withLock {
            let index = matching.first { !used.contains($0) } ?? matching.last
            if let index { used.insert(index) }
            return index
        }
        if let index { return exchanges[index] }
        // The same path says most, then how much else differs, then how much of the path is the same.
        func rank(_ answer: (ServiceExchange, [String])) -> (Int, Int, Int) {
            let (path, names) = (answer.0.question.path, answer.1)
            let common = zip(path, question.path).prefix { $0 == $1 }.count
            return (names.contains("path") ? 1 : 0, names.count, -common)
        }
        let nearest = answers.min { rank($0) < rank($1) }.map {
            let differences = $0.1.joined(separator: ", ")
            return "'\($0.0.question.method) \($0.0.question.path)', differs in: \(differences)"
        }
        throw ServiceReplayError.unmatched("\(request)", nearest: nearest.map(request.redacting))
    }
}

/// What can go wrong with an archive.
public nonisolated enum ServiceReplayError: LocalizedError, Equatable {
    /// It is no HTTP Archive: why.
    case invalidArchive(String)
    /// No entry answers this request; the nearest one, and in what it differs, nil when there is none.
    case unmatched(String, nearest: String?)
    /// The answer to this request was recorded without its body: it went to a file or a stream, or was
    /// a text whose secrets cannot be told; or the browser had not kept it.
    case bodyMissing(String)

    /// A sentence for people. Never a secret.
    public var errorDescription: String? {
        switch self {
        case .invalidArchive(let reason): "The file is no HTTP Archive: \(reason)."
        case .unmatched(let request, let nearest):
            "The archive has no entry for '\(request)'; "
                + (nearest.map { "the nearest, \($0)." } ?? "it has none at all.")
        case .bodyMissing(let request): "The archive has no body of the answer to '\(request)'."
        }
    }
}

/// What of an archive is read; all else may be there or not.
private nonisolated struct ServiceArchive: Decodable {
    struct Log: Decodable { let entries: [Entry] }
    struct Entry: Decodable { let request: Request, response: Response? }
    struct Request: Decodable { let method, url: String, postData: Body? }
    struct Response: Decodable {
        let status: Int?, headers: [Field]?, content: Body?, _error: String?
    }
    struct Body: Decodable { let text, encoding, mimeType: String?, size: Double? }
    struct Field: Decodable { let name, value: String }

    let log: Log
}

/// A request, as far as it says which entry answers it.
private nonisolated struct ServiceQuestion {
    let method: String
    let origin: String
    let path: String
    let items: [(name: String, value: String)]
    /// The forms that it may have; none when it is not known, and does not count.
    let bodies: [String]

    init(method: String, url: String, bodies: [String]) {
        let parts = ServiceRequest.place(url)
            .split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        func decoded(_ text: Substring) -> String { text.removingPercentEncoding ?? String(text) }
        self.method = method
        origin = parts.prefix(3).joined(separator: "/").lowercased()
        path = "/" + (parts.count > 3 ? decoded(parts[3]) : "")
        let query = url.prefix { $0 != "#" }.drop { $0 != "?" }.dropFirst()
        items = query.replacingOccurrences(of: "+", with: " ").split(separator: "&").map {
            let name = $0.prefix { $0 != "=" }
            return (decoded(name), decoded($0.dropFirst(name.count + 1)))
        }
        self.bodies = bodies.map(Self.canonical)
    }

    init(_ request: ServiceRequest) {
        let (method, url) = (request.urlRequest.httpMethod, request.urlRequest.url?.absoluteString)
        let body = String(decoding: request.urlRequest.httpBody ?? Data(), as: UTF8.self)
        // A number that is secret has become a text.
        let bodies = request.upload == nil ? [body, request.redacting(body)] : []
        self.init(method: method ?? "GET", url: url ?? "", bodies: bodies)
    }

    /// By their names, since values may be secret.
    func differences(from recorded: ServiceQuestion) -> [String] {
        var (names, rest) = ([String](), items)
        if method != recorded.method { names.append("method") }
        if origin != recorded.origin { names.append("host") }
        if !Self.matches(path, recorded.path) { names.append("path") }
        // Stars last: they would take what another one needs.
        let asked = recorded.items.filter { !$0.value.contains("***") }
        for item in asked + recorded.items.filter({ $0.value.contains("***") }) {
            let index = rest.firstIndex {
                $0.name == item.name && Self.matches($0.value, item.value)
            }
            if let index { rest.remove(at: index) } else { names.append("'\(item.name)'") }
        }
        names += rest.map { "'\($0.name)'" }
        let isKnown = !bodies.isEmpty && !recorded.bodies.isEmpty
        let isSame = bodies.contains { own in
            recorded.bodies.contains { Self.matches(own, $0) }
        }
        if isKnown, !isSame { names.append("body") }
        return names.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    private static func canonical(_ text: String) -> String {
        guard let json = try? JSONSerialization.jsonObject(with: Data(text.utf8)),
            let data = try? JSONSerialization.data(withJSONObject: json, options: .sortedKeys)
        else { return text }
        return String(decoding: data, as: UTF8.self)
    }

    /// Whether a text is as recorded, where `***` stands for any.
    private static func matches(_ text: String, _ recorded: String) -> Bool {
        let parts = recorded.components(separatedBy: "***")
        guard parts.count > 1, let first = parts.first, let last = parts.last else {
            return text == recorded
        }
        guard text.hasPrefix(first) else { return false }
        var rest = text.dropFirst(first.count)
        for part in parts.dropFirst().dropLast() where !part.isEmpty {
            guard let range = rest.range(of: part) else { return false }
            rest = rest[range.upperBound...]
        }
        return rest.hasSuffix(last)
    }
}

/// An entry, ready to answer.
private nonisolated struct ServiceExchange {
    let question: ServiceQuestion
    private let status: Int
    private let fields: [String: String]
    private let data: Data
    private let failure: URLError
    private let isBodyMissing: Bool

    init(_ entry: ServiceArchive.Entry, _ name: String) throws {
        let (asked, answer) = (entry.request, entry.response)
        question = ServiceQuestion(
            method: asked.method, url: asked.url, bodies: [asked.postData?.text].compactMap { $0 })
        status = answer?.status ?? 0
        guard status == 0 || (100...999).contains(status) else {
            throw ServiceReplayError.invalidArchive("the status \(status) of \(name)")
        }
        // What is recorded is the body itself, as it was before it was compressed and framed.
        let framing = ["content-encoding", "content-length", "transfer-encoding"]
        let headers = (answer?.headers ?? []).filter {
            !$0.name.hasPrefix(":") && !framing.contains($0.name.lowercased())
        }
        fields = Dictionary(headers.map { ($0.name, $0.value) }) { "\($0), \($1)" }
        let (content, text) = (answer?.content, answer?.content?.text ?? "")
        isBodyMissing = content?.text == nil && (content?.size ?? 0) != 0 && asked.method != "HEAD"
        let isLatin = content?.mimeType?.lowercased().contains("iso-8859-1") == true
        let plain = text.data(using: isLatin ? .isoLatin1 : .utf8) ?? Data(text.utf8)
        let isBinary = content?.encoding?.lowercased() == "base64"
        guard let data = isBinary ? Data(base64Encoded: text) : plain else {
            throw ServiceReplayError.invalidArchive("the content of \(name) is no Base64")
        }
        self.data = data
        let code = answer?._error?.split(separator: " ").last.flatMap { Int($0) }
        failure = URLError(code.flatMap { URLError.Code(rawValue: $0) } ?? .unknown)
    }

    func answer(to request: ServiceRequest) throws -> ServiceResponse {
        guard status > 0 else { throw request.naming(failure) }
        guard !isBodyMissing else { throw ServiceReplayError.bodyMissing("\(request)") }
        return try request.answered(status, fields, data)
    }
}
