// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// Writes parameters as a query, a form or JSON.
///
/// Keys are sorted, so that the same parameters give the same text on every run. JSON is written here
/// too, because `JSONSerialization` takes eight times as long.
nonisolated struct ServiceParameterWriter {
    private let encoding: ServiceParameterEncoding
    private let isJSON: Bool
    private var text = ""
    /// No API nests this deep; a value that contains itself does, and would exhaust the stack.
    private static let maximumDepth = 64

    static func text(
        of parameters: [String: Any], _ encoding: ServiceParameterEncoding, isJSON: Bool
    ) throws(ServiceError) -> String {
        var writer = ServiceParameterWriter(encoding: encoding, isJSON: isJSON)
        try writer.write(parameters, name: "", depth: 0)
        return writer.text
    }

    /// - Parameter name: Where the value stands, such as `filter[from]`.
    private mutating func write(_ value: Any, name: String, depth: Int) throws(ServiceError) {
        if let plain = plain(value) {
            write(plain.text, isQuoted: plain.isQuoted, name: name)
        } else if let values = value as? [Any], depth < Self.maximumDepth {
            try write(values.compactMap(unwrapped), name: name, depth: depth + 1)
        } else if let values = value as? [String: Any], depth < Self.maximumDepth {
            if isJSON { text += "{" }
            for (key, value) in values.sorted(by: { $0.key < $1.key }) {
                guard let value = unwrapped(value) else { continue }
                if isJSON { text += (text.hasSuffix("{") ? "" : ",") + Self.quoted(key) + ":" }
                try write(value, name: depth == 0 ? key : "\(name)[\(key)]", depth: depth + 1)
            }
            if isJSON { text += "}" }
        } else {
            let reason = "'\(name)' has a value of type '\(type(of: value))' that cannot be sent"
            throw .invalidRequest(.parameter, reason: reason)
        }
    }

    private mutating func write(_ values: [Any], name: String, depth: Int) throws(ServiceError) {
        let texts = values.compactMap { plain($0)?.text }
        if encoding.arrays == .commaSeparated, !isJSON, texts.count == values.count {
            if !texts.isEmpty { write(texts.joined(separator: ","), isQuoted: true, name: name) }
            return
        }
        if isJSON { text += "[" }
        for (index, value) in values.enumerated() {
            if isJSON, index > 0 { text += "," }
            let brackets = encoding.arrays == .indexed ? "[\(index)]" : "[]"
            let suffix = encoding.arrays == .repeated ? "" : brackets
            try write(value, name: name + suffix, depth: depth)
        }
        if isJSON { text += "]" }
    }

    private mutating func write(_ plain: String, isQuoted: Bool, name: String) {
        if isJSON {
            text += isQuoted ? Self.quoted(plain) : plain
        } else {
            if !text.isEmpty { text += "&" }
            text += ServicePercentEncoding.encode(name)
            text += "="
            text += ServicePercentEncoding.encode(plain)
        }
    }

    /// What has no parts. The common types come first: each cast that fails takes its time.
    private func plain(_ value: Any, depth: Int = 0) -> (text: String, isQuoted: Bool)? {
        // Before the others: on Apple platforms an NSNumber passes for each of them. A boolean, as
        // JSONSerialization and Objective-C box it, is of type `c` (or `B`).
        if type(of: value) is NSNumber.Type, let number = value as? NSNumber {
            let isBoolean = ["c", "B"].contains(String(cString: number.objCType))
            return (isBoolean ? text(number.boolValue) : number.stringValue, false)
        }
        switch value {
        case let value as String: return (value, true)
        case let value as Int: return (String(value), false)
        case let value as Bool: return (text(value), false)
        case let value as any BinaryFloatingPoint:
            return Double(value).isFinite ? ("\(value)", false) : nil
        case let value as any BinaryInteger: return (value.description, false)
        case let value as Decimal: return value.isFinite ? (value.description, false) : nil
        case let value as Date: return text(value)
        case let value as URL: return (value.absoluteString, true)
        case let value as UUID: return (value.uuidString, true)
        case let value as Data: return (value.base64EncodedString(), true)
        case is NSNull: return ("null", false)
        case let value as any RawRepresentable where depth < 8:
            return plain(value.rawValue, depth: depth + 1)
        default: return nil
        }
    }

    private func text(_ flag: Bool) -> String {
        isJSON || encoding.booleans == .literal ? "\(flag)" : flag ? "1" : "0"
    }

    private func text(_ date: Date) -> (text: String, isQuoted: Bool)? {
        let seconds = date.timeIntervalSince1970
        // The years 1 to 9999: beyond them, formatters give up and conversions to integers trap.
        guard (-62_135_596_800..<253_402_300_800).contains(seconds) else { return nil }
        return switch encoding.dates {
        case .iso8601: (date.formatted(.iso8601), true)
        case .secondsSince1970 where seconds == seconds.rounded(): ("\(Int64(seconds))", false)
        case .secondsSince1970: ("\(seconds)", false)
        case .millisecondsSince1970: ("\(Int64((seconds * 1000).rounded()))", false)
        case .custom(let format): (format(date), true)
        }
    }

    /// What an Optional holds, however deep; nil too for a null where there is none, in a query.
    private func unwrapped(_ value: Any) -> Any? {
        if let optional = value as? any ServiceOptional {
            return optional.wrapped.flatMap(unwrapped)
        }
        return value is NSNull && !isJSON ? nil : value
    }

    private static func quoted(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 < 0x20 || $0 == 0x22 || $0 == 0x5C }) else {
            return "\"" + text + "\""
        }
        // A string that needs escapes is rare enough to leave to Foundation.
        return (try? JSONEncoder().encode(text)).map { String(decoding: $0, as: UTF8.self) }
            ?? "null"
    }
}

/// Lets code that holds an `Any`, or a generic type, see whether that is an Optional.
nonisolated protocol ServiceOptional {
    static var absent: Self { get }
    var wrapped: Any? { get }
}

nonisolated extension Optional: ServiceOptional {
    static var absent: Wrapped? { nil }
    var wrapped: Any? { self }
}

/// Percent-encoding of UTF-8 (RFC 3986, section 2.1).
nonisolated enum ServicePercentEncoding {
    private static let digits = Array("0123456789ABCDEF".utf8)

    /// - Parameter isPath: Keeps what a path may hold, slashes included (RFC 3986, section 3.3).
    static func encode(_ text: String, isPath: Bool = false) -> String {
        func isKept(_ byte: UInt8) -> Bool {
            isUnreserved(byte) || isPath && "!$&'()*+,;=:@/".utf8.contains(byte)
        }
        if text.utf8.allSatisfy(isKept) { return text }
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            bytes += isKept(byte) ? [byte] : [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Letters, digits, `-`, `.`, `_` and `~` (RFC 3986, section 2.3).
    static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: true
        default: false
        }
    }
}
