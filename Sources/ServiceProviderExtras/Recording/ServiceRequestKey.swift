// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

#if canImport(ServiceProvider)
import ServiceProvider
#endif

/// The parts of a request that decide which entry of an archive matches it.
nonisolated struct ServiceRequestKey {
    let method: String
    /// Percent-decoded, except `%2F`: a slash inside a segment doesn't separate segments.
    let path: String
    /// The names are those that errors show, such as `path`; query items have quotes. A `***` in a
    /// recorded value stands for any text.
    private var parts: [(name: String, value: String)]
    /// The names of the parts with a `***`.
    let wildcards: Set<String>

    /// The key of an entry. An entry without a body matches any body.
    init(_ recorded: ServiceArchive.Request) throws {
        let body = try recorded.postData?.text?.get() ?? "***"
        self.init(try recorded.method.get(), try recorded.url.get(), body: body)
    }

    /// - Parameter body: Nil for a body that isn't in memory, which matches any recorded one.
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
        parts = [("method", method), ("path", path), ("host", origin)]
        for item in url.percentEncodedQueryItems ?? [] where item.name != "" || item.value != nil {
            parts.append(("'\(Self.decoded(item.name))'", Self.decoded(item.value ?? "")))
        }
        if let body { parts.append(("body", Self.canonical(body))) }
        // Wildcards are last, so that they don't take a value that another part needs.
        let wildcards = parts.filter { $0.value.contains("***") }
        parts = parts.filter { !$0.value.contains("***") } + wildcards
        self.wildcards = Set(wildcards.map(\.name))
        (self.method, self.path) = (method, path)
    }

    /// The keys of a request: with its body as it is, and redacted as in a recording, where a secret
    /// number becomes a string.
    static func forms(of request: ServiceRequest) -> [ServiceRequestKey] {
        let (method, url) = (request.urlRequest.httpMethod, request.urlRequest.url?.absoluteString)
        let body = String(decoding: request.urlRequest.httpBody ?? Data(), as: UTF8.self)
        let bodies = request.upload == nil ? [body, request.redacting(body)] : [nil]
        return bodies.map { Self(method ?? "GET", url ?? "", body: $0) }
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
    var hasBody: Bool { parts.contains { $0.name == "body" } }

    /// All parts as text, sorted. Leaves out the values of the parts with these names.
    func texts(without names: Set<String>) -> [String] {
        parts.map { names.contains($0.name) ? $0.name : "\($0.name)=\($0.value)" }.sorted()
    }

    /// The names of the parts that differ, without their values, which may be secret.
    func differences(from recorded: ServiceRequestKey) -> [String] {
        let own = parts + (hasBody ? [] : recorded.parts.filter { $0.name == "body" })
        // How often each value of a name occurs.
        var counts: [String: [String: Int]] = [:]
        for part in own { counts[part.name, default: [:]][part.value, default: 0] += 1 }
        var (names, wild) = ([String](), [(name: String, value: String)]())
        for part in recorded.parts {
            if part.value.contains("***") {
                wild.append(part)
            } else if let count = counts[part.name]?[part.value], count > 0 {
                counts[part.name]?[part.value] = count - 1
            } else {
                names.append(part.name)
            }
        }
        // The values that are left, last one first.
        var rest: [String: [String]] = [:]
        for part in own.reversed() {
            guard let count = counts[part.name]?[part.value], count > 0 else { continue }
            counts[part.name]?[part.value] = count - 1
            rest[part.name, default: []].append(part.value)
        }
        for part in wild {
            if let index = rest[part.name]?.lastIndex(where: { Self.matches($0, part.value) }) {
                rest[part.name]?.remove(at: index)
            } else {
                names.append(part.name)
            }
        }
        for part in parts where rest[part.name]?.isEmpty == false { names.append(part.name) }
        var known: Set<String> = []
        return names.filter { known.insert($0).inserted }
    }

    /// Whether a text matches a recorded one, in which `***` stands for any text.
    private static func matches(_ text: String, _ recorded: String) -> Bool {
        // A control character marks both ends, which the first and the last part have to match.
        var rest = Substring("\u{2}\(text)\u{3}")
        for part in "\u{2}\(recorded)\u{3}".components(separatedBy: "***") where !part.isEmpty {
            guard let range = rest.range(of: part) else { return false }
            rest = rest[range.upperBound...]
        }
        return true
    }
}

/// Finds the entries of an archive that match a request.
nonisolated struct ServiceArchiveIndex {
    private let keys: [ServiceRequestKey]
    /// The names of the wildcards of each entry.
    private var wildcards: Set<Set<String>> = []
    /// The numbers of the entries, by the texts of their parts without wildcards.
    private var numbers: [[String]: [Int]] = [:]

    init(_ keys: [ServiceRequestKey]) {
        self.keys = keys
        for (number, key) in keys.enumerated() {
            wildcards.insert(key.wildcards)
            numbers[key.texts(without: key.wildcards), default: []].append(number)
        }
    }

    /// The entries that may match, in order. Doesn't look at each entry.
    func candidates(for forms: [ServiceRequestKey]) -> [Int] {
        var found: Set<Int> = []
        for form in forms {
            // A body that isn't in memory can't be looked up.
            guard form.hasBody else { return Array(keys.indices) }
            for names in wildcards { found.formUnion(numbers[form.texts(without: names)] ?? []) }
        }
        return found.sorted()
    }

    /// Whether an entry matches one of these forms of a request.
    func isMatch(_ number: Int, for forms: [ServiceRequestKey]) -> Bool {
        forms.contains { $0.differences(from: keys[number]).isEmpty }
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
