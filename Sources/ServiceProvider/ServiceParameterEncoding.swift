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

/// One value of ``Service/parameters``, for code that writes parameters in its own way. The elements of a
/// list and the members of an object aren't read yet.
public nonisolated enum ServiceParameterValue {
    /// A text, which is quoted in JSON; a number or a boolean, as in JSON.
    case text(String), literal(String)
    /// Null in JSON; dropped in a query or form.
    case null
    /// An array; a dictionary.
    case list([Any]), object([String: Any])

    /// Reads a value. Nil for an Optional that is nil, which drops the value.
    ///
    /// - Parameters:
    ///   - value: A value of ``Service/parameters``.
    ///   - name: The name in the error, such as `filter[from]`.
    ///   - depth: In how many arrays and dictionaries the value is. More than 64 are an error, because a
    ///     value that contains itself would exhaust the stack.
    /// - Throws: ``ServiceError/invalidRequest(_:reason:)`` for a value that can't be sent. If the value is
    ///   a ``ServiceError``, that error.
    public init?(_ value: Any, name: String, depth: Int) throws {
        try ServiceError.require(depth <= 64, .parameter, "'\(name.prefix(60))…' exceeds 64 levels")
        let type = type(of: value)
        // On Apple platforms an NSNumber casts to every number type.
        if type is NSNumber.Type, let number = value as? NSNumber, number.doubleValue.isFinite {
            // Booleans have their own class. On Apple platforms, `objCType` is the same for Bool and Int8.
            let isBoolean = type == Swift.type(of: NSNumber(value: true))
            self = .literal(isBoolean ? "\(number.boolValue)" : number.stringValue)
            return
        }
        // Common types come first, because a failed cast takes time. On Apple platforms, an NSNumber casts to each of
        // these types.
        switch value {
        case let text as String: self = .text(text)
        case let number as Int where type == Int.self: self = .literal(String(number))
        case let flag as Bool where type == Bool.self: self = .literal("\(flag)")
        case let number as Double where type == Double.self && number.isFinite:
            self = .literal("\(number)")
        case let elements as [Any]: self = .list(elements)
        case let members as [String: Any]: self = .object(members)
        case let number as any Numeric where Double("\(number)")?.isFinite == true:
            self = .literal("\(number)")
        case let date as Date where Self.writableDates.contains(date.timeIntervalSince1970):
            self = .text(date.formatted(.iso8601))
        case let url as URL: self = .text(url.absoluteString)
        case let uuid as UUID: self = .text(uuid.uuidString)
        case let data as Data: self = .text(data.base64EncodedString())
        case is NSNull: self = .null
        case Optional<Any>.none: return nil
        case let error as ServiceError: throw error
        case let raw as any RawRepresentable:
            try self.init(raw.rawValue, name: name, depth: depth + 1)
        case let box as AnyHashable where type == AnyHashable.self:
            try self.init(box.base, name: name, depth: depth)
        case Optional<Any>.some(let inner) where Mirror(reflecting: value).displayStyle == .optional:
            try self.init(inner, name: name, depth: depth + 1)
        default: throw Self.refusal(of: value, name)
        }
    }

    private static func refusal(of value: Any, _ name: String) -> ServiceError {
        let fault = value is any BinaryFloatingPoint ? "isn't finite" : "can't be sent"
        let reason = "'\(name)' is a '\(type(of: value))' that \(fault)"
        return .invalidRequest(.parameter, reason: reason)
    }

    /// The years 1 to 9999. Formatting traps outside of them.
    private static let writableDates = -62_135_769_600.0..<253_402_300_800.0
}

/// Percent-encoding of UTF-8 (RFC 3986, section 2.1).
public nonisolated enum ServicePercentEncoding {
    /// Encodes every character except unreserved ones (RFC 3986, section 2.3) and those in `kept`.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - kept: Characters that stay as they are, in ASCII. Default: none.
    ///   - keepsEscapes: Whether a `%` with two digits stays as it is. Default: false.
    public static func encode(
        _ text: String, keeping kept: StaticString = "", keepsEscapes: Bool = false
    ) -> String {
        guard !isUnchanged(text, keeping: kept) else { return text }
        let digits = Array("0123456789ABCDEF".utf8)
        var rest = Array(text.utf8)[...]
        var bytes: [UInt8] = []
        while let byte = rest.popFirst() {
            let isEscape =
                keepsEscapes && byte == 0x25
                && rest.prefix(2).count { UnicodeScalar($0).properties.isASCIIHexDigit } == 2
            if isEscape || isAllowed(byte, kept) {
                bytes.append(byte)
            } else {
                bytes += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Encodes the characters that a URL can't contain (RFC 3986, sections 3.3 to 3.5).
    /// Existing percent-encoding stays as it is.
    static func encodeIllegal(_ url: String) -> String {
        let legal: StaticString = "!$&'()*+,;=:@/?#"
        guard url.prefix(9).contains("//["), let end = url.firstIndex(of: "]")
        else { return encode(url, keeping: legal, keepsEscapes: true) }
        // Only the address of a host has brackets (RFC 3986, section 3.2.2).
        let rest = String(url[end...].dropFirst())
        return String(url[...end]) + encode(rest, keeping: legal, keepsEscapes: true)
    }

    /// Whether a string has only letters, digits, `-._~` and kept characters.
    static func isUnchanged(_ text: String, keeping kept: StaticString) -> Bool {
        text.hasOnlyBytes { isAllowed($0, kept) }
    }

    private static func isAllowed(_ byte: UInt8, _ kept: StaticString) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: true
        default: kept.withUTF8Buffer { $0.contains(byte) }
        }
    }
}

nonisolated extension String {
    /// Whether all bytes in UTF-8 satisfy a condition. (`utf8.allSatisfy` is slower.)
    func hasOnlyBytes(where condition: (UInt8) -> Bool) -> Bool {
        var text = self
        return text.withUTF8 { $0.allSatisfy(condition) }
    }
}
