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
            self.name = name
            bytes = Array(value.utf8)
            let stars = Array("***".utf8)
            pieces =
                bytes.contains(stars[0])
                ? bytes.split(separator: stars, omittingEmptySubsequences: false).map(Array.init)
                : []
        }

        var value: String { String(decoding: bytes, as: UTF8.self) }

        var hasWildcard: Bool { pieces.count > 1 }

        /// Whether this value of a request matches a recorded one.
        func matches(_ recorded: Part) -> Bool {
            guard recorded.hasWildcard else { return bytes == recorded.bytes }
            let first = recorded.pieces[0]
            let last = recorded.pieces[recorded.pieces.count - 1]
            let isLongEnough = bytes.count >= first.count + last.count
            guard isLongEnough, bytes.starts(with: first) else { return false }
            guard bytes.suffix(last.count).elementsEqual(last) else { return false }
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
                while count > 0, piece[count] != byte {
                    count = repeated[count - 1]
                }
                return piece[count] == byte ? count + 1 : 0
            }
            for byte in piece.dropFirst() {
                repeated.append(count(byte, after: repeated.last ?? 0))
            }
            var found = 0
            for (index, byte) in zip(text.indices, text) {
                found = count(byte, after: found)
                if found == piece.count {
                    return index + 1
                }
            }
            return nil
        }
    }

    /// The method, the path, the host, and the items of the query.
    private var parts: [Part]
    /// Nil for a body that isn't in memory.
    private(set) var body: Part?

    /// The key of an entry. An entry without a body matches any body.
    init(_ recorded: ServiceArchive.Request) throws {
        let body = try recorded.postData?.text?.get() ?? "***"
        self.init(try recorded.method.get(), try recorded.url.get(), body: body)
    }

    private init(_ method: String, _ url: String, body: String?) {
        // A malformed URL may contain a password anywhere, and errors show the path.
        let parsed = ServiceRequest.url(url)
        let shown = parsed?.host == nil ? "" : url
        // Not URLComponents, which refuses or escapes a whole query with a character such as "|" or "[".
        let target = Array(shown.utf8).prefix { $0 != UInt8(ascii: "#") }
        let place = target.prefix { $0 != UInt8(ascii: "?") }
        // Without the scheme and the host.
        let segments = place.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .dropFirst(3)
        let joined = Array(segments.joined(separator: "/".utf8))
        let escaped = String(decoding: joined, as: UTF8.self).replacingOccurrences(
            of: "%2F", with: "%252F", options: [.caseInsensitive, .literal])
        let path = "/" + ServicePercentDecoding.decode(escaped)
        let origin = parsed.map(ServiceRequest.origin) ?? ""
        parts = [Part("method", method), Part("path", path), Part("host", origin)]
        for item in target[place.endIndex...].dropFirst().split(separator: UInt8(ascii: "&")) {
            let name = item.prefix { $0 != UInt8(ascii: "=") }
            let value = item.dropFirst(name.count + 1)
            // Comparing long names as strings takes quadratic time for combining marks.
            if name.count > 256 {
                parts.append(Part("a long name", Self.decoded(item)))
            } else {
                parts.append(Part("'\(Self.decoded(name))'", Self.decoded(value)))
            }
        }
        self.body = body.map { Part("body", Self.canonical($0)) }
    }

    /// The keys of a request: with its body as it is, and redacted as in a recording, where a secret
    /// number becomes a string.
    static func forms(of request: ServiceRequest) -> [ServiceRequestKey] {
        let sent = request.urlRequest
        var bodies: [String?] = [nil]
        if request.upload == nil {
            let body = sent.httpBody ?? Data()
            let type = sent.value(forHTTPHeaderField: "Content-Type")
            bodies = [String(decoding: body, as: UTF8.self)]
            bodies += [request.redacting(body, ofType: type)].filter { $0 != nil }
        }
        let url = sent.url?.absoluteString ?? ""
        return bodies.map { Self(sent.httpMethod ?? "GET", url, body: $0) }
    }

    /// A name or a value of a query item, percent-decoded. A plus stands for a space.
    private static func decoded(_ text: ArraySlice<UInt8>) -> String {
        let parts = text.split(separator: UInt8(ascii: "+"), omittingEmptySubsequences: false)
        let plain = ServicePercentDecoding.decode(Array(parts.joined(separator: " ".utf8))[...])
        return String(decoding: plain, as: UTF8.self)
    }

    /// JSON with sorted keys; any other text unchanged.
    private static func canonical(_ text: String) -> String {
        let json = ServiceJSON.value(Data(text.utf8))
        // JSONSerialization takes minutes to sort hundreds of thousands of keys.
        let encoding = ServiceParameterEncoding(destination: .json)
        return json.flatMap { try? encoding.encode(["": $0]) } ?? text
    }

    var method: String { parts[0].value }

    /// Percent-decoded, except `%2F`: a slash inside a segment doesn't separate segments.
    var path: String { parts[1].value }

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
        for part in parts where rest[part.name]?.isEmpty == false {
            names.append(part.name)
        }
        switch (body, recorded.body) {
        case (nil, nil): break
        case (let body?, let recorded?) where body.matches(recorded): break
        default: names.append("body")
        }
        var known: Set<String> = []
        return names.filter { known.insert($0).inserted }
    }
}
