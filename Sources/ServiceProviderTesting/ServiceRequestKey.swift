// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderSupport

/// The parts of a request that a replay compares. Bytes, because comparing texts takes quadratic time for
/// combining marks.
nonisolated struct ServiceRequestKey: Hashable {
    enum Body: Hashable {
        case bytes([UInt8])
        /// The archive doesn't have the body of the request.
        case missing
        /// Matches the body of any entry, because the body of the request isn't in memory.
        case any
    }

    /// An item of a query, percent-decoded.
    struct Item: Hashable {
        let name, value: [UInt8]
    }

    /// The method, the path and the origin.
    private let parts: [[UInt8]]
    /// Sorted: their order doesn't matter.
    private let items: [Item]
    var body: Body

    var method: String { String(decoding: parts[0], as: UTF8.self) }

    /// Percent-decoded, except `%2F`: a slash inside a segment doesn't separate segments.
    var path: String { String(decoding: parts[1], as: UTF8.self) }

    /// The key of an entry.
    init(_ recorded: ServiceArchive.Request) throws {
        let text = try recorded.postData?.text?.get()
        let body = text.map { Body.bytes(Self.canonical($0)) } ?? .missing
        self.init(try recorded.method.get(), try recorded.url.get(), body)
    }

    private init(_ method: String, _ url: String, _ body: Body) {
        // A malformed URL may contain a password anywhere, and errors show the path.
        let parsed = ServiceRequest.url(url)
        let hasHost = parsed?.host != nil
        // Not URLComponents, which refuses or escapes a whole query with a character such as "|" or "[".
        let target = Array(url.utf8).prefix { hasHost && $0 != UInt8(ascii: "#") }
        let place = target.prefix { $0 != UInt8(ascii: "?") }
        // Without the scheme and the host.
        let segments = place.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .dropFirst(3)
        let joined = Array(segments.joined(separator: "/".utf8))
        let escaped = String(decoding: joined, as: UTF8.self).replacingOccurrences(
            of: "%2F", with: "%252F", options: [.caseInsensitive, .literal])
        let path = "/" + ServicePercentDecoding.decode(escaped)
        let origin = parsed.map(ServiceRequest.origin) ?? ""
        parts = [method, path, origin].map { Array($0.utf8) }
        items = target[place.endIndex...].dropFirst().split(separator: UInt8(ascii: "&"))
            .map(Self.item)
            .sorted(by: Self.isBefore)
        self.body = body
    }

    /// The keys that an entry for this request may have: with its URL and body as they are, and
    /// redacted as in a recording.
    static func forms(of request: ServiceRequest) -> [ServiceRequestKey] {
        let sent = request.urlRequest
        let url = sent.url?.absoluteString ?? ""
        var bodies = [Body.any]
        if request.upload == nil {
            let data = sent.httpBody ?? Data()
            let type = sent.value(forHTTPHeaderField: "Content-Type")
            let texts = [
                String(decoding: data, as: UTF8.self), request.redacting(data, ofType: type),
            ]
            bodies = texts.compactMap { $0 }.map { Body.bytes(canonical($0)) } + [.missing]
        }
        var forms: [ServiceRequestKey] = []
        for url in [url, request.redacting(url: url)] {
            forms += bodies.map { Self(sent.httpMethod ?? "GET", url, $0) }
        }
        return forms
    }

    private static func item(_ text: ArraySlice<UInt8>) -> Item {
        let name = text.prefix { $0 != UInt8(ascii: "=") }
        return Item(name: decoded(name), value: decoded(text.dropFirst(name.count + 1)))
    }

    /// A name or a value of a query item, percent-decoded. A plus stands for a space.
    private static func decoded(_ text: ArraySlice<UInt8>) -> [UInt8] {
        let parts = text.split(separator: UInt8(ascii: "+"), omittingEmptySubsequences: false)
        return ServicePercentDecoding.decode(Array(parts.joined(separator: " ".utf8))[...])
    }

    private static func isBefore(_ first: Item, _ second: Item) -> Bool {
        guard first.name == second.name else {
            return first.name.lexicographicallyPrecedes(second.name)
        }
        return first.value.lexicographicallyPrecedes(second.value)
    }

    /// JSON with sorted keys; any other text unchanged.
    private static func canonical(_ text: String) -> [UInt8] {
        let json = ServiceJSON.value(Data(text.utf8))
        // JSONSerialization takes minutes to sort hundreds of thousands of keys.
        let encoding = ServiceParameterEncoding(destination: .json)
        let sorted = json.flatMap { try? encoding.encode(["": $0]) }
        return Array((sorted ?? text).utf8)
    }

    /// Whether the name of a query item may be an escaped URL, form or JSON with a secret.
    private static func mayHaveSecret(_ name: [UInt8]) -> Bool {
        name.contains { "=?&@{:".utf8.contains($0) }
    }

    /// The names of the parts that differ, without their values, which may be secret. Those of query
    /// items have quotes.
    func differences(from recorded: ServiceRequestKey) -> [String] {
        let names = ["method", "path", "host"]
        var differences = names.indices.filter { parts[$0] != recorded.parts[$0] }.map { names[$0] }
        if items != recorded.items {
            let different = Set(items).symmetricDifference(recorded.items)
            let found = Set(different.map(\.name)).sorted { $0.lexicographicallyPrecedes($1) }
            let names = found.filter { !Self.mayHaveSecret($0) }
            let shown = names.prefix(10).map {
                "'\(String(decoding: $0.prefix(256), as: UTF8.self))'"
            }
            differences += shown
            if shown.isEmpty {
                differences.append("query")
            }
        }
        if body != recorded.body, body != .any {
            differences.append("body")
        }
        return differences
    }
}
