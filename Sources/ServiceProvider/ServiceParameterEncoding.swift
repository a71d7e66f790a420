// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// Where parameters go and how they are written.
///
/// ```swift
/// var parameterEncoding: ServiceParameterEncoding { .init(destination: .form) }
/// ```
public nonisolated struct ServiceParameterEncoding: Sendable {
    /// The part of a request that carries the parameters. With a ``Service/body``, that is always the query.
    ///
    /// - `automatic`: the query for GET, HEAD and DELETE; a JSON body for other methods.
    /// - `queryOrForm`: the query for GET, HEAD and DELETE; a form for other methods.
    /// - `query`: the query of the URL.
    /// - `form`: a body of type `application/x-www-form-urlencoded`.
    /// - `json`: a body of type `application/json`.
    public enum Destination: Sendable { case automatic, queryOrForm, query, form, json }

    /// Where the parameters go.
    public var destination: Destination
    /// Writes parameters in a style of its own: as JSON, or as a query or form, percent-encoded. Default: nil, which
    /// writes sorted keys, `key[]` for the elements of an array, and `key[inner]` for the members of a
    /// dictionary.
    public var write: (@Sendable (_ parameters: [String: Any], _ isJSON: Bool) throws -> String)?

    /// Creates an encoding.
    public init(destination: Destination = .automatic) { self.destination = destination }

    /// Encodes parameters as JSON if ``destination`` is JSON, or else as a query or form.
    ///
    /// - Throws: ``ServiceError/invalidRequest(_:reason:)`` for a value that can't be sent.
    public func encode(_ parameters: [String: Any]) throws -> String {
        let isJSON = destination == .json
        guard let write else {
            return try ParameterWriter(isJSON: isJSON).text(of: parameters) ?? ""
        }
        let text = try ServiceError.wrapping(.parameter) { try write(parameters, isJSON) }
        guard !isJSON else { return text }
        // URLComponents traps if a query has other characters.
        return ServicePercentEncoding.encode(text, keeping: "!$&'()*+,;=:@/?", keepsEscapes: true)
    }

    /// Where parameters go in a request with this method.
    func resolvedDestination(for method: ServiceMethod, hasBody: Bool) -> Destination {
        let prefersQuery = hasBody || ["GET", "HEAD", "DELETE"].contains(method.rawValue)
        return switch destination {
        case .automatic where !prefersQuery: .json
        case .queryOrForm where !prefersQuery: .form
        case .form where !hasBody, .json where !hasBody: destination
        default: .query
        }
    }
}

/// Writes parameters in the default style. (`JSONSerialization` takes ten times as long.)
private nonisolated struct ParameterWriter {
    let isJSON: Bool

    /// A value as JSON, or as a part of a query such as `a=1&b[]=2`. Nil for a value that is dropped. The name is the
    /// query key, such as `filter[from]`, and nil for the whole parameters.
    func text(of value: Any, name: String? = nil, depth: Int = 0) throws -> String? {
        switch try ServiceParameterValue(value, name: name ?? "", depth: depth) {
        case nil: return nil
        case .null where isJSON: return "null"
        case .null: return nil
        case .text(let text) where isJSON: return "\"\(Self.escaped(text))\""
        case .literal(let text) where isJSON: return text
        case .text(let text), .literal(let text):
            let name = ServicePercentEncoding.encode(name ?? "")
            return name + "=" + ServicePercentEncoding.encode(text)
        case .list(let elements):
            let texts = try elements.compactMap { element in
                try text(of: element, name: "\(name ?? "")[]", depth: depth + 1)
            }
            return joined(texts, "[", "]")
        case .object(let members):
            var texts: [String] = []
            for key in members.keys.sorted() {
                let inner = name.map { "\($0)[\(key)]" } ?? key
                guard let member = members[key],
                    let text = try text(of: member, name: inner, depth: depth + 1)
                else { continue }
                texts.append(isJSON ? "\"\(Self.escaped(key))\":\(text)" : text)
            }
            return joined(texts, "{", "}")
        }
    }

    /// The texts as JSON between two brackets, or joined by `&`; nil for an empty part of a query.
    private func joined(_ texts: [String], _ start: String, _ end: String) -> String? {
        guard !isJSON else { return start + texts.joined(separator: ",") + end }
        guard !texts.isEmpty else { return nil }
        return texts.joined(separator: "&")
    }

    /// A text as it is between the quotation marks of JSON.
    private static func escaped(_ text: String) -> String {
        // No control character, quotation mark or backslash (RFC 8259, section 7).
        let isPlain = text.hasOnlyBytes { $0 >= 0x20 && $0 != 0x22 && $0 != 0x5C }
        guard !isPlain else { return text }
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": escaped += "\\\(scalar)"
            case ..<" ": escaped += String(format: "\\u%04X", scalar.value)
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
