// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// The parts of a request that decide which entry of an archive matches it.
nonisolated struct ServiceRequestKey: Hashable {
    struct Part: Hashable {
        /// As errors show it, such as `path`; the name of a query item has quotes.
        let name: String
        private let bytes: [UInt8]
        /// The bytes between the `***` of a recorded value, which stand for any text.
        private let pieces: [[UInt8]]

        init(_ name: String, _ value: String) {
            (self.name, bytes) = (name, Array(value.utf8))
            let stars = Array("***".utf8)
            pieces =
                bytes.contains(stars[0])
                ? bytes.split(separator: stars, omittingEmptySubsequences: false).map(Array.init)
                : []
        }

        var hasWildcard: Bool { pieces.count > 1 }

        /// Calls a closure with each sequence of eight bytes in the value. Seven zeros are added at the
        /// start and the end, so that short values have sequences, too.
        ///
        /// A recorded value is cut at each `***`, and only the first and last 512 bytes of each piece are
        /// read. A value has all sequences of a recorded value that it matches.
        func forEachSequence(isRecorded: Bool, _ body: (UInt64) -> Void) {
            var texts = isRecorded && hasWildcard ? pieces : [bytes]
            let zeros = [UInt8](repeating: 0, count: 7)
            texts[0] = zeros + texts[0]
            texts[texts.count - 1] += zeros
            for text in texts {
                for end in isRecorded ? [text.prefix(512), text.suffix(512)] : [text[...]] {
                    var sequence: UInt64 = 0
                    for (index, byte) in end.enumerated() {
                        sequence = sequence << 8 | UInt64(byte)
                        if index >= 7 { body(sequence) }
                    }
                }
            }
        }

        /// Whether this value of a request matches a recorded one.
        func matches(_ recorded: Part) -> Bool {
            guard recorded.hasWildcard, let first = recorded.pieces.first,
                let last = recorded.pieces.last
            else { return bytes == recorded.bytes }
            guard bytes.count >= first.count + last.count, bytes.starts(with: first),
                bytes.suffix(last.count).elementsEqual(last)
            else { return false }
            var rest = bytes[first.count..<(bytes.count - last.count)]
            for piece in recorded.pieces.dropFirst().dropLast() where !piece.isEmpty {
                guard let end = Self.end(of: piece, in: rest) else { return false }
                rest = rest[end...]
            }
            return true
        }

        /// Where the first occurrence of a piece ends; nil if the text doesn't contain it. Takes linear time, unlike
        /// `firstRange(of:)` (Knuth, Morris and Pratt, "Fast pattern matching in strings").
        private static func end(of piece: [UInt8], in text: ArraySlice<UInt8>) -> Int? {
            // For each prefix of the piece: how many of its last bytes are also the first bytes of the piece.
            var repeated = [0]
            func count(_ byte: UInt8, after count: Int) -> Int {
                var count = count
                while count > 0, piece[count] != byte { count = repeated[count - 1] }
                return piece[count] == byte ? count + 1 : 0
            }
            for byte in piece.dropFirst() {
                repeated.append(count(byte, after: repeated.last ?? 0))
            }
            var found = 0
            for (index, byte) in zip(text.indices, text) {
                found = count(byte, after: found)
                if found == piece.count { return index + 1 }
            }
            return nil
        }
    }

    let method: String
    /// Percent-decoded, except `%2F`: a slash inside a segment doesn't separate segments.
    let path: String
    /// The parts without the body.
    private var parts: [Part]
    /// Nil for a body that isn't in memory.
    private(set) var body: Part?

    /// The key of an entry. An entry without a body matches any body.
    init(_ recorded: ServiceArchive.Request) throws {
        let body = try recorded.postData?.text?.get() ?? "***"
        self.init(try recorded.method.get(), try recorded.url.get(), body: body)
    }

    private init(_ method: String, _ url: String, body: String?) {
        // URLComponents refuses or escapes the whole path or query if it contains a character such as
        // "|", which browsers leave as it is.
        let encoded = ServiceRequest.url(url)?.absoluteString ?? ""
        var url = URLComponents(string: encoded) ?? URLComponents()
        // A malformed URL may contain a password anywhere, and errors show the path.
        if url.host == nil { url = URLComponents() }
        let escaped = url.percentEncodedPath.replacingOccurrences(
            of: "%2F", with: "%252F", options: .caseInsensitive)
        let path = escaped.isEmpty ? "/" : escaped.removingPercentEncoding ?? escaped
        let origin = url.url.map(ServiceRequest.origin) ?? ""
        parts = [Part("method", method), Part("path", path), Part("host", origin)]
        for item in url.percentEncodedQueryItems ?? [] where item.name != "" || item.value != nil {
            parts.append(Part("'\(Self.decoded(item.name))'", Self.decoded(item.value ?? "")))
        }
        self.body = body.map { Part("body", Self.canonical($0)) }
        (self.method, self.path) = (method, path)
    }

    /// The keys of a request: with its body as it is, and redacted as in a recording, where a secret
    /// number becomes a string.
    static func forms(of request: ServiceRequest) -> [ServiceRequestKey] {
        let (method, url) = (request.urlRequest.httpMethod, request.urlRequest.url?.absoluteString)
        let body = String(decoding: request.urlRequest.httpBody ?? Data(), as: UTF8.self)
        let bodies = request.upload == nil ? [body, request.redacting(body)] : [nil]
        let forms = bodies.map { Self(method ?? "GET", url ?? "", body: $0) }
        return forms.first == forms.last ? [forms[0]] : forms
    }

    /// A name or a value of a query item, percent-decoded. A plus stands for a space.
    private static func decoded(_ text: String) -> String {
        let text = text.replacingOccurrences(of: "+", with: " ")
        return text.removingPercentEncoding ?? text
    }

    /// JSON with sorted keys; any other text unchanged.
    private static func canonical(_ text: String) -> String {
        guard let json = try? JSONSerialization.jsonObject(with: Data(text.utf8)) else {
            return text
        }
        return ServiceJSON.text(of: json) ?? text
    }

    /// The key for requests with a body that isn't in memory.
    var withoutBody: ServiceRequestKey {
        var key = self
        key.body = nil
        return key
    }

    private var allParts: [Part] { parts + [body].compactMap(\.self) }

    /// The names of the parts with a `***`.
    var wildcards: Set<String> { Set(allParts.filter(\.hasWildcard).map(\.name)) }

    /// How often each part occurs, without the parts with these names.
    func counts(without names: Set<String>) -> [Part: Int] {
        let counted = allParts.filter { !names.contains($0.name) }.map { ($0, 1) }
        return Dictionary(counted, uniquingKeysWith: +)
    }

    /// Calls a closure with the sequences of the parts with these names.
    func forEachSequence(of names: Set<String>, isRecorded: Bool, _ body: (UInt64) -> Void) {
        for part in allParts where names.contains(part.name) {
            part.forEachSequence(isRecorded: isRecorded, body)
        }
    }

    /// The names of the parts that differ, without their values, which may be secret.
    func differences(from recorded: ServiceRequestKey) -> [String] {
        var counts = Dictionary(parts.map { ($0, 1) }, uniquingKeysWith: +)
        var names: [String] = []
        for part in recorded.parts where !part.hasWildcard {
            if let count = counts[part], count > 0 {
                counts[part] = count - 1
            } else {
                names.append(part.name)
            }
        }
        // The values that are left, last one first.
        var rest: [String: [Part]] = [:]
        for part in parts.reversed() {
            guard let count = counts[part], count > 0 else { continue }
            counts[part] = count - 1
            rest[part.name, default: []].append(part)
        }
        // Wildcards are last, so that they don't take a value that another part needs.
        for part in recorded.parts where part.hasWildcard {
            if let index = rest[part.name]?.lastIndex(where: { $0.matches(part) }) {
                rest[part.name]?.remove(at: index)
            } else {
                names.append(part.name)
                // These values differ, whatever the other wildcards match.
                rest[part.name] = nil
            }
        }
        for part in parts where rest[part.name]?.isEmpty == false { names.append(part.name) }
        switch (body, recorded.body) {
        case (nil, nil): break
        case (let body?, let recorded?) where body.matches(recorded): break
        default: names.append("body")
        }
        var known: Set<String> = []
        return names.filter { known.insert($0).inserted }
    }
}
