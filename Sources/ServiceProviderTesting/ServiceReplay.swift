// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// Returns recorded responses from an HTTP Archive (HAR), and sends nothing.
///
/// The archive comes from ``ServiceRecorder`` or from the developer tools of a browser. Put this
/// interceptor last in the list.
///
/// An entry matches a request with the same method and URL, and with the same body if the entry has one.
/// The order of query items and JSON members doesn't matter. A secret that the archive has as `***`
/// matches any value. If several entries match, each is used once, in order; after that, the last one
/// is used again. Redirects are followed inside the archive. An entry with status 0 throws a
/// `URLError`.
public nonisolated final class ServiceReplay: ServiceInterceptor, CustomReflectable {
    private let keys: [ServiceRequestKey]
    private let responses: [ServiceRecordedResponse]
    private let entries: ServiceLocked<Entries>

    private struct Entries {
        /// Whether each entry has been returned.
        var isUsed: [Bool]
        var groups: [ServiceRequestKey: Group] = [:]
    }

    /// The entries with the same key.
    private struct Group {
        /// Ascending.
        var numbers: [Int] = []
        /// All entries before this place are used.
        var start = 0
    }

    /// Reads an archive.
    ///
    /// - Throws: `ServiceError.file(reason:)` when the file can't be read;
    ///   ``ServiceReplayError/invalidArchive(_:)``.
    public convenience init(file: URL) throws {
        let data: Data
        do { data = try Data(contentsOf: file) } catch {
            let reason = "'\(file.path)' can't be read: \(CocoaError.text(of: error))"
            throw ServiceError.file(reason: reason)
        }
        try self.init(data: data)
    }

    /// Reads an archive that is in memory.
    ///
    /// - Throws: ``ServiceReplayError/invalidArchive(_:)``.
    public init(data: Data) throws {
        var keys: [ServiceRequestKey] = []
        var responses: [ServiceRecordedResponse] = []
        do {
            for entry in try JSONDecoder().decode(ServiceArchive.self, from: data).log.entries {
                let place = "log.entries.\(keys.count).response"
                keys.append(try ServiceRequestKey(entry.request))
                responses.append(try ServiceRecordedResponse(entry, place))
            }
        } catch  where !(error is ServiceReplayError) {
            throw ServiceReplayError.invalidArchive(ServiceReplayError.reason(for: error))
        }
        var entries = Entries(isUsed: keys.map { _ in false })
        for (number, key) in keys.enumerated() {
            var anyBody = key
            anyBody.body = .any
            entries.groups[key, default: Group()].numbers.append(number)
            entries.groups[anyBody, default: Group()].numbers.append(number)
        }
        self.entries = ServiceLocked(entries)
        self.keys = keys
        self.responses = responses
    }

    /// Empty, because `dump` would print the responses.
    public var customMirror: Mirror { Mirror(self, children: [:]) }

    /// Returns a recorded response. Never calls `next`.
    ///
    /// - Throws: ``ServiceReplayError/unmatched(_:nearest:)``, ``ServiceReplayError/bodyMissing(_:)``.
    @concurrent public func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        var request = request
        for _ in 0..<20 {
            let response = try recording(for: request).response(to: request)
            guard let target = request.redirected(by: response) else { return response }
            request = target
        }
        return try recording(for: request).response(to: request)
    }

    /// The first unused entry for a request, or else the last one.
    private func recording(for request: ServiceRequest) throws -> ServiceRecordedResponse {
        let forms = ServiceRequestKey.forms(of: request)
        let found = entries.withLock { entries -> Int? in
            var unused: Int?
            var last: Int?
            for form in forms {
                guard let group = entries.groups[form] else { continue }
                let numbers = group.numbers
                let rest = numbers[group.start...]
                let start = rest.firstIndex { !entries.isUsed[$0] } ?? numbers.count
                entries.groups[form]?.start = start
                if start < numbers.count {
                    unused = min(unused ?? .max, numbers[start])
                }
                last = max(last ?? 0, numbers[numbers.count - 1])
            }
            guard let number = unused ?? last else { return nil }
            entries.isUsed[number] = true
            return number
        }
        guard let found else {
            throw ServiceReplayError.unmatched(
                "\(request)", nearest: nearest(to: forms, for: request))
        }
        return responses[found]
    }

    /// The entry with the fewest differences, and their names. A different path counts most, then the
    /// number of differences, then the length of the path's common start.
    ///
    /// - Parameter request: Decides which parts of a path are secret.
    private func nearest(to forms: [ServiceRequestKey], for request: ServiceRequest) -> String? {
        var nearest: (rank: (Int, Int, Int), text: String)?
        for key in keys {
            for form in forms {
                let names = form.differences(from: key)
                let common = zip(key.path.utf8, form.path.utf8).prefix { $0 == $1 }.count
                let paths = names.filter { $0 == "path" }.count
                let rank = (paths, names.count, -common)
                if let nearest, nearest.rank <= rank {
                    continue
                }
                let path = request.redacting(url: key.path)
                let differences = names.joined(separator: ", ")
                nearest = (rank, "'\(key.method) \(path)', differs in: \(differences)")
            }
        }
        return nearest?.text
    }
}

/// The response of an entry, as a transport would deliver it.
private nonisolated struct ServiceRecordedResponse {
    private let status: Int
    private var headers: [String: String]
    private let body: Data
    private let isBodyMissing: Bool
    /// The error to throw if the status is 0.
    private let failure: URLError

    /// - Parameter place: The place of the response in the archive, for errors.
    init(_ entry: ServiceArchive.Entry, _ place: String) throws {
        let response = entry.response
        let content = response?.content
        let number = try response?.status?.get() ?? 0
        guard let status = Int(exactly: number), status == 0 || (100...999).contains(status) else {
            let number = String(format: "%g", number)
            throw ServiceReplayError.invalidArchive(
                "'\(place).status' isn't a status code: \(number)")
        }
        self.status = status
        let code = try response?._error?.get().split(separator: " ").last.flatMap { Int($0) }
        failure = URLError(code.flatMap { URLError.Code(rawValue: $0) } ?? .unknown)
        // RFC 9110, section 6.4.1.
        let isHead = try entry.request.method.get() == "HEAD"
        let hasBody = !isHead && status >= 200 && status != 204 && status != 304
        let text = try content?.text?.get()
        isBodyMissing = try hasBody && text == nil && (content?.size?.get() ?? 0) != 0
        headers = try Self.headers(response?.headers?.get() ?? [], isHead: isHead, place)
        let name = headers.keys.first { $0.lowercased() == "content-type" } ?? "Content-Type"
        let type = ServiceMediaType(try headers[name] ?? content?.mimeType?.get())
        let shown = hasBody ? text ?? "" : ""
        if try content?.encoding?.get().lowercased() == "base64" {
            guard let data = Data(base64Encoded: shown) else {
                throw ServiceReplayError.invalidArchive("'\(place).content.text' isn't Base64")
            }
            body = data
        } else if let encoding = type.encoding, let data = shown.data(using: encoding) {
            body = data
        } else {
            // The text can't be written in its charset, so the header has to name the one in use.
            body = Data(shown.utf8)
            headers[name] = "\(type.name); charset=utf-8"
        }
    }

    /// The header fields that a transport would deliver.
    private static func headers(
        _ fields: [ServiceArchive.Field], isHead: Bool, _ place: String
    ) throws -> [String: String] {
        // The body is recorded decompressed and without framing. A response to HEAD has no body: there,
        // these fields describe the body of a GET.
        let framing = isHead ? [] : ["content-encoding", "content-length"]
        let dropped = framing + ["transfer-encoding"]
        var names: [String: String] = [:]
        var values: [String: [String]] = [:]
        for (index, field) in fields.enumerated() {
            let name = try field.name.get()
            let key = name.lowercased()
            if key.hasPrefix(":") || dropped.contains(key) {
                continue
            }
            let isToken = (try? ServiceRequest.validate(header: key, value: "")) != nil
            guard isToken || key == "content-length" else {
                throw ServiceReplayError.invalidArchive(
                    "'\(place).headers.\(index).name' isn't a valid header name")
            }
            names[key] = names[key] ?? name
            // Chrome joins the values of a repeated field by line feeds. Other line breaks and NUL become
            // spaces (RFC 9110, section 5.5).
            for line in try field.value.get().utf8.split(separator: UInt8(ascii: "\n")) {
                let parts = line.split(omittingEmptySubsequences: false) { [0, 0x0D].contains($0) }
                let value = parts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
                values[key, default: []].append(value.trimmingCharacters(in: .whitespaces))
            }
        }
        let headers = names.map { ($1, values[$0, default: []].joined(separator: ", ")) }
        return Dictionary(uniqueKeysWithValues: headers)
    }

    /// Returns the response, or throws the recorded error.
    func response(to request: ServiceRequest) throws -> ServiceResponse {
        guard status > 0 else { throw failure }
        guard !isBodyMissing else { throw ServiceReplayError.bodyMissing("\(request)") }
        return try request.makeResponse(status, headers, body)
    }
}

/// An error of ``ServiceReplay``.
public nonisolated enum ServiceReplayError: LocalizedError, Equatable {
    /// The file isn't an HTTP Archive. The text says why, and names the entry and the member.
    case invalidArchive(String)
    /// No entry matches this request. Names the most similar entry and its differences; nil if the
    /// archive is empty.
    case unmatched(String, nearest: String?)
    /// The response to this request was recorded without its body. The body went to a file or a stream,
    /// it was text other than JSON or a form, or the browser hadn't kept it.
    case bodyMissing(String)

    /// A sentence for people. Never contains a secret.
    public var errorDescription: String? {
        switch self {
        case .invalidArchive(let reason): "The file isn't an HTTP Archive: \(reason)."
        case .unmatched(let request, let nearest?):
            "The archive has no entry for '\(request)'; the nearest, \(nearest)."
        case .unmatched(let request, nil):
            "The archive has no entry for '\(request)'; it's empty."
        case .bodyMissing(let request):
            "The archive doesn't contain the body of the response to '\(request)'."
        }
    }

    /// Describes an error of decoding: names the member, and its entry.
    static func reason(for error: any Error) -> String {
        func name(_ path: [any CodingKey]) -> String {
            let names = path.map { $0.intValue.map(String.init) ?? $0.stringValue }
            guard !path.isEmpty else { return "the archive" }
            return "'\(names.joined(separator: "."))'"
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
}
