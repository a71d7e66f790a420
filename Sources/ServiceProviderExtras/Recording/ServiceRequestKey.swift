// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

#if canImport(ServiceProvider)
import ServiceProvider
#endif

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

        /// Where the first occurrence of a piece ends; nil without one. Takes linear time, unlike
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
    /// Nil for a body that isn't in memory, which matches any recorded one.
    private let body: Part?

    /// The key of an entry. An entry without a body matches any body.
    init(_ recorded: ServiceArchive.Request) throws {
        let body = try recorded.postData?.text?.get() ?? "***"
        self.init(try recorded.method.get(), try recorded.url.get(), body: body)
    }

    private init(_ method: String, _ url: String, body: String?) {
        // URLComponents refuses or escapes the whole path or query if it contains a character such as
        // "|", which browsers leave as it is.
        let legal = CharacterSet.urlQueryAllowed.union(CharacterSet(charactersIn: "#%[]"))
        let encoded = url.addingPercentEncoding(withAllowedCharacters: legal) ?? url
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

    /// Whether the body is in memory.
    var hasBody: Bool { body != nil }

    /// The names of the parts with a `***`.
    var wildcards: Set<String> {
        Set((parts + [body].compactMap(\.self)).filter(\.hasWildcard).map(\.name))
    }

    /// How often each part occurs, without the parts with these names.
    func counts(without names: Set<String>) -> [Part: Int] {
        let all = parts + [body].compactMap(\.self)
        let counted = all.filter { !names.contains($0.name) }.map { ($0, 1) }
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
        for part in parts where rest[part.name]?.isEmpty == false { names.append(part.name) }
        if let body, let other = recorded.body, !body.matches(other) { names.append(body.name) }
        var known: Set<String> = []
        return names.filter { known.insert($0).inserted }
    }
}

/// Finds the entries of an archive that match a request.
///
/// Entries with equal keys are one group: a request matches all of them or none. Looks at the groups
/// that differ from the request only in parts with a `***`, or in a body that isn't in memory.
nonisolated struct ServiceArchiveIndex {
    /// The key of each group.
    private var keys: [ServiceRequestKey] = []
    /// The numbers of the entries of each group, in order.
    private(set) var entries: [[Int]] = []
    private var lookup = Lookup()
    /// Finds the groups for a body that isn't in memory.
    private var lookupWithoutBody = Lookup()

    init(_ recorded: [ServiceRequestKey]) {
        var groups: [ServiceRequestKey: Int] = [:]
        for (number, key) in recorded.enumerated() {
            let group = groups[key] ?? keys.count
            if group == keys.count {
                groups[key] = group
                keys.append(key)
                entries.append([])
                lookup.insert(group, key, without: key.wildcards)
                lookupWithoutBody.insert(group, key, without: key.wildcards.union(["body"]))
            }
            entries[group].append(number)
        }
    }

    /// The groups that may match one of these forms of a request.
    func candidates(for forms: [ServiceRequestKey]) -> Set<Int> {
        Set(forms.flatMap { ($0.hasBody ? lookup : lookupWithoutBody).groups(for: $0) })
    }

    /// Whether a group matches one of these forms of a request.
    func isMatch(_ group: Int, for forms: [ServiceRequestKey]) -> Bool {
        forms.contains { $0.differences(from: keys[group]).isEmpty }
    }

    /// Finds groups by the parts that have to be equal.
    private struct Lookup {
        /// The names of the parts that are left out.
        private var names: Set<Set<String>> = []
        private var groups: [[ServiceRequestKey.Part: Int]: [Int]] = [:]

        mutating func insert(_ group: Int, _ key: ServiceRequestKey, without names: Set<String>) {
            self.names.insert(names)
            groups[key.counts(without: names), default: []].append(group)
        }

        func groups(for form: ServiceRequestKey) -> [Int] {
            names.flatMap { groups[form.counts(without: $0)] ?? [] }
        }
    }

    /// The entry with the fewest differences, and their names. A different path counts most, then the
    /// number of differences, then the length of the path's common start.
    func nearest(to forms: [ServiceRequestKey]) -> String? {
        var nearest: (rank: (Int, Int, Int), text: String)?
        for key in keys {
            for form in forms {
                let names = form.differences(from: key)
                let common = zip(key.path.utf8, form.path.utf8).prefix { $0 == $1 }.count
                let rank = (names.contains("path") ? 1 : 0, names.count, -common)
                if let nearest, nearest.rank <= rank { continue }
                let differences = names.joined(separator: ", ")
                nearest = (rank, "'\(key.method) \(key.path)', differs in: \(differences)")
            }
        }
        return nearest?.text
    }
}
