// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Returns recorded responses from an HTTP Archive (HAR), and sends nothing.
///
/// The archive comes from ``ServiceRecorder`` or from the developer tools of a browser. Put this
/// interceptor last in the list.
///
/// An entry matches a request with the same method and URL, and with the same body if the entry has one.
/// The order of query items and JSON members doesn't matter, and `***` stands for any text. If several
/// entries match, each is used once, in order; after that, the last one is used again. Redirects are
/// followed inside the archive. An entry with status 0 throws a `URLError`.
public nonisolated final class ServiceReplay: ServiceInterceptor {
    private let exchanges: [ServiceExchange]
    private let index: ServiceExchangeIndex
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
        let archive: ServiceArchive
        do {
            archive = try JSONDecoder().decode(ServiceArchive.self, from: data)
        } catch {
            throw ServiceReplayError.invalidArchive(Self.reason(for: error))
        }
        exchanges = try archive.log.entries.enumerated().map { index, entry in
            try ServiceExchange(entry, "log.entries.\(index)")
        }
        index = ServiceExchangeIndex(exchanges.map(\.question))
    }

    /// Says which member of which entry is at fault.
    private static func reason(for error: any Error) -> String {
        func name(_ path: [any CodingKey]) -> String {
            let names = path.map { $0.intValue.map(String.init) ?? $0.stringValue }
            return path.isEmpty ? "the archive" : "'\(names.joined(separator: "."))'"
        }
        switch error {
        case DecodingError.keyNotFound(let key, let context):
            return "\(name(context.codingPath + [key])) is missing"
        case DecodingError.valueNotFound(_, let context):
            return "\(name(context.codingPath)) is null"
        case DecodingError.typeMismatch(_, let context):
            return "\(name(context.codingPath)) has the wrong type"
        case DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty:
            return "\(name(context.codingPath)) isn't a valid value"
        default: return "it isn't JSON"
        }
    }

    /// Returns a recorded response. Never calls `next`.
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
        let candidates = index.candidates(for: question)
        func isMatch(_ index: Int) -> Bool {
            question.differences(from: exchanges[index].question).isEmpty
        }
        let found: Int? = lock.withLock {
            let next = candidates.first { !used.contains($0) && isMatch($0) }
            if let next { used.insert(next) }
            return next ?? candidates.last(where: isMatch)
        }
        if let found { return exchanges[found] }
        throw ServiceReplayError.unmatched(
            "\(request)", nearest: nearest(to: question).map(request.redacting))
    }

    /// The entry that differs least, and in what. A different path counts most, then the number of
    /// differences, then how much of the path is the same.
    private func nearest(to question: ServiceQuestion) -> String? {
        var nearest: (rank: (Int, Int, Int), text: String)?
        for exchange in exchanges {
            let (recorded, names) = (
                exchange.question, question.differences(from: exchange.question)
            )
            let common = zip(recorded.path.utf8, question.path.utf8).prefix { $0 == $1 }.count
            let rank = (names.contains("path") ? 1 : 0, names.count, -common)
            if let nearest, nearest.rank <= rank { continue }
            let differences = names.joined(separator: ", ")
            let text = "'\(recorded.method) \(recorded.path)', differs in: \(differences)"
            nearest = (rank, text)
        }
        return nearest?.text
    }
}

/// What can go wrong with an archive.
public nonisolated enum ServiceReplayError: LocalizedError, Equatable {
    /// The file isn't an HTTP Archive. The text says why, and names the entry and the member.
    case invalidArchive(String)
    /// No entry matches this request. Names the most similar entry and its differences; nil if the
    /// archive is empty.
    case unmatched(String, nearest: String?)
    /// The response to this request was recorded without its body. The body went to a file or a stream,
    /// its secrets couldn't be found, or the browser hadn't kept it.
    case bodyMissing(String)

    /// A sentence for people. Never a secret.
    public var errorDescription: String? {
        switch self {
        case .invalidArchive(let reason): "The file isn't an HTTP Archive: \(reason)."
        case .unmatched(let request, let nearest):
            "The archive has no entry for '\(request)'; "
                + (nearest.map { "the nearest, \($0)." } ?? "it has none at all.")
        case .bodyMissing(let request): "The archive has no body of the answer to '\(request)'."
        }
    }
}

/// The members of an archive that are read. All others are optional.
private nonisolated struct ServiceArchive: Decodable {
    struct Log: Decodable { let entries: [Entry] }
    struct Entry: Decodable { let request: Request, response: Response? }
    struct Request: Decodable { let method, url: Member<String>, postData: Body? }
    struct Response: Decodable {
        let status: Member<Double>?, headers: [Field]?, content: Body?, _error: Member<String>?
    }
    struct Body: Decodable {
        let text, encoding, mimeType: Member<String>?, size: Member<Double>?
    }
    struct Field: Decodable { let name, value: Member<String> }

    /// A value that reports its place in the archive if it isn't valid. JSONDecoder's own error has no
    /// place for a text with half a character or a number out of range.
    struct Member<Value: Decodable>: Decodable {
        let value: Value

        init(from decoder: any Decoder) throws {
            do {
                value = try decoder.singleValueContainer().decode(Value.self)
            } catch  where !(error is DecodingError) {
                throw DecodingError.dataCorrupted(
                    .init(codingPath: decoder.codingPath, debugDescription: "\(error)"))
            }
        }
    }

    let log: Log
}

/// The parts of a request that decide which entry answers it.
private nonisolated struct ServiceQuestion {
    let method: String
    let origin: String
    /// Percent-decoded, except `%2F`: a slash inside a segment doesn't separate segments.
    let path: String
    /// The items of the query.
    let items: [(name: String, value: String)]
    /// The forms that the body may have; none if it isn't known, and doesn't count.
    let bodies: [String]

    init(method: String, url: String, bodies: [String]) {
        let parts = ServiceRequest.place(url)
            .split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        let segments =
            parts.count < 4
            ? []
            : parts[3].utf8.split(
                separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        self.method = method
        origin = parts.prefix(3).joined(separator: "/").lowercased()
        path = "/" + segments.map(Self.segment).joined(separator: "/")
        let query = url.utf8.prefix { $0 != UInt8(ascii: "#") }.drop { $0 != UInt8(ascii: "?") }
        items = query.dropFirst().split(separator: UInt8(ascii: "&")).map {
            let name = $0.prefix { $0 != UInt8(ascii: "=") }
            return (Self.formText(name), Self.formText($0.dropFirst(name.count + 1)))
        }
        self.bodies = bodies.map(Self.canonical)
    }

    init(_ request: ServiceRequest) {
        let (method, url) = (request.urlRequest.httpMethod, request.urlRequest.url?.absoluteString)
        let body = String(decoding: request.urlRequest.httpBody ?? Data(), as: UTF8.self)
        // Redaction turns a secret number into a string.
        let bodies = request.upload == nil ? [body, request.redacting(body)] : []
        self.init(method: method ?? "GET", url: url ?? "", bodies: bodies)
    }

    /// A segment of a path, percent-decoded; a slash in it stays encoded.
    private static func segment(_ text: Substring.UTF8View) -> String {
        ServicePercentEncoding.decode(String(Substring(text)))
            .replacingOccurrences(of: "/", with: "%2F")
    }

    /// A name or a value of a query, percent-decoded; a plus is a blank.
    private static func formText(_ text: Substring.UTF8View) -> String {
        let bytes = text.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
        return ServicePercentEncoding.decode(String(decoding: bytes, as: UTF8.self))
    }

    /// The names of the parts that differ. No values: they may be secret.
    func differences(from recorded: ServiceQuestion) -> [String] {
        var names: [String] = []
        if method != recorded.method { names.append("method") }
        if origin != recorded.origin { names.append("host") }
        if !Self.matches(path, recorded.path) { names.append("path") }
        names += differentItems(from: recorded)
        let isKnown = !bodies.isEmpty && !recorded.bodies.isEmpty
        let isSame = bodies.contains { own in
            recorded.bodies.contains { Self.matches(own, $0) }
        }
        if isKnown, !isSame { names.append("body") }
        var known: Set<String> = []
        return names.filter { known.insert($0).inserted }
    }

    private func differentItems(from recorded: ServiceQuestion) -> [String] {
        // The values of each name, last one first.
        var rest: [String: [String]] = [:]
        for item in items.reversed() { rest[item.name, default: []].append(item.value) }
        var names: [String] = []
        // Stars last: they would take the value that another one needs.
        let stars = recorded.items.filter { $0.value.contains("***") }
        for item in recorded.items.filter({ !$0.value.contains("***") }) + stars {
            let index = rest[item.name]?.lastIndex { Self.matches($0, item.value) }
            if let index {
                rest[item.name]?.remove(at: index)
            } else {
                names.append("'\(item.name)'")
            }
        }
        return names + items.filter { rest[$0.name]?.isEmpty == false }.map { "'\($0.name)'" }
    }

    /// JSON with sorted keys; any other text as it is.
    private static func canonical(_ text: String) -> String {
        guard let json = try? JSONSerialization.jsonObject(with: Data(text.utf8)) else {
            return text
        }
        // Not by JSONSerialization, which takes minutes for some hundred thousand keys.
        var writer = ServiceParameterWriter(encoding: ServiceParameterEncoding(), isJSON: true)
        do { try writer.write(["": json]) } catch { return text }
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// Whether a text is as recorded, where `***` stands for any text.
    private static func matches(_ text: String, _ recorded: String) -> Bool {
        guard recorded.contains("***") else { return text == recorded }
        let parts = recorded.components(separatedBy: "***")
        guard let first = parts.first, let last = parts.last, text.hasPrefix(first) else {
            return false
        }
        var rest = text.dropFirst(first.count)
        for part in parts.dropFirst().dropLast() where !part.isEmpty {
            guard let range = rest.range(of: part) else { return false }
            rest = rest[range.upperBound...]
        }
        return rest.hasSuffix(last)
    }
}

/// Finds entries by all parts of a request that have no `***`, without looking at each entry.
private nonisolated struct ServiceExchangeIndex {
    /// The parts of an entry that can't be looked up: they have a `***`, or the body isn't known.
    struct Gaps: Hashable {
        let path: Bool
        let items: Set<String>
        let body: Bool
    }

    private let count: Int
    private var entries: [Gaps: [[String]: [Int]]] = [:]

    init(_ questions: [ServiceQuestion]) {
        count = questions.count
        for (index, question) in questions.enumerated() {
            let body = question.bodies.first
            let gaps = Gaps(
                path: question.path.contains("***"),
                items: Set(question.items.filter { $0.value.contains("***") }.map(\.name)),
                body: body?.contains("***") != false)
            entries[gaps, default: [:]][Self.key(question, body, gaps), default: []].append(index)
        }
    }

    /// The entries that may answer, in order.
    func candidates(for question: ServiceQuestion) -> [Int] {
        // A body that isn't in memory matches every recorded one.
        guard !question.bodies.isEmpty else { return Array(0..<count) }
        var lists: [[Int]] = []
        for (gaps, entries) in entries {
            for key in Set(question.bodies.map({ Self.key(question, $0, gaps) })) {
                if let list = entries[key] { lists.append(list) }
            }
        }
        return lists.count == 1 ? lists[0] : Set(lists.joined()).sorted()
    }

    private static func key(_ question: ServiceQuestion, _ body: String?, _ gaps: Gaps) -> [String]
    {
        let items = question.items.map { item in
            gaps.items.contains(item.name) ? item.name : "\(item.name)=\(item.value)"
        }
        return [
            question.method, question.origin, gaps.path ? "" : question.path,
            gaps.body ? "" : body ?? "",
        ] + items.sorted()
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

    /// - Parameter name: The place of the entry in the archive, for errors.
    init(_ entry: ServiceArchive.Entry, _ name: String) throws {
        let (asked, answer) = (entry.request, entry.response)
        question = ServiceQuestion(
            method: asked.method.value, url: asked.url.value,
            bodies: [asked.postData?.text?.value].compactMap { $0 })
        let number = answer?.status?.value ?? 0
        guard let code = Int(exactly: number), code == 0 || (100...999).contains(code) else {
            let number = String(format: "%g", number)
            throw ServiceReplayError.invalidArchive(
                "'\(name).response.status' isn't a status code: \(number)")
        }
        status = code
        let isHead = asked.method.value == "HEAD"
        var fields = try Self.fields(answer?.headers ?? [], isHead: isHead, name)
        let content = answer?.content
        // RFC 9110, section 6.4.1.
        let hasBody = !isHead && status >= 200 && status != 204 && status != 304
        isBodyMissing = hasBody && content?.text == nil && (content?.size?.value ?? 0) != 0
        let text = hasBody ? content?.text?.value ?? "" : ""
        if content?.encoding?.value.lowercased() == "base64" {
            guard let data = Data(base64Encoded: text) else {
                throw ServiceReplayError.invalidArchive(
                    "'\(name).response.content.text' isn't Base64")
            }
            self.data = data
        } else {
            let key = fields.keys.first { $0.lowercased() == "content-type" } ?? "Content-Type"
            let type = ServiceMediaType(fields[key] ?? content?.mimeType?.value)
            if let encoding = type.encoding, let data = text.data(using: encoding) {
                self.data = data
            } else {
                // A charset that can't be written: the header has to name the one that is sent.
                data = Data(text.utf8)
                fields[key] = "\(type.name); charset=utf-8"
            }
        }
        self.fields = fields
        let words = answer?._error?.value.split(separator: " ")
        let error = words?.last.flatMap { Int($0) }.flatMap { URLError.Code(rawValue: $0) }
        failure = URLError(error ?? .unknown)
    }

    /// The header fields that a transport would deliver.
    private static func fields(
        _ recorded: [ServiceArchive.Field], isHead: Bool, _ name: String
    ) throws -> [String: String] {
        // The body is recorded decompressed and without framing. A response to HEAD has no body: there,
        // these fields describe the body of a GET.
        let framing = isHead ? [] : ["content-encoding", "content-length"]
        var (names, values) = ([String: String](), [String: [String]]())
        for (index, field) in recorded.enumerated() {
            let key = field.name.value.lowercased()
            let isDropped = framing.contains(key) || key == "transfer-encoding"
            if key.hasPrefix(":") || isDropped { continue }
            guard ServiceRequest.isToken(key) else {
                throw ServiceReplayError.invalidArchive(
                    "'\(name).response.headers.\(index).name' isn't a valid header name")
            }
            names[key] = names[key] ?? field.name.value
            // Chrome joins the values of a repeated field by line feeds. Other line breaks and NUL become
            // blanks (RFC 9110, section 5.5).
            for value in field.value.value.utf8.split(separator: UInt8(ascii: "\n")) {
                let bytes = value.map { [0x00, 0x0D].contains($0) ? UInt8(ascii: " ") : $0 }
                let value = String(decoding: bytes, as: UTF8.self)
                values[key, default: []].append(value.trimmingCharacters(in: .whitespaces))
            }
        }
        var fields: [String: String] = [:]
        for (key, name) in names { fields[name] = values[key]?.joined(separator: ", ") }
        return fields
    }

    func answer(to request: ServiceRequest) throws -> ServiceResponse {
        guard status > 0 else { throw request.naming(failure) }
        guard !isBodyMissing else { throw ServiceReplayError.bodyMissing("\(request)") }
        return try request.answered(status, fields, data)
    }
}
