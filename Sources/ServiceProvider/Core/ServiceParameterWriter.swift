// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// Writes parameters as a query, a form or JSON.
///
/// Keys are sorted, so that the same parameters give the same text on every run. JSON is written here
/// too, because `JSONSerialization` takes eight times as long.
nonisolated struct ServiceParameterWriter {
    let encoding: ServiceParameterEncoding
    let isJSON: Bool
    var text = ""

    /// - Parameters:
    ///   - name: Where the value stands, such as `filter[from]`; empty at the top.
    ///   - depth: No API nests 64 levels deep; a value that contains itself does, and would exhaust
    ///     the stack.
    mutating func write(_ value: Any, name: String = "", depth: Int = 0) throws(ServiceError) {
        if let plain = plain(value) {
            if !isJSON {
                text += (text.isEmpty ? "" : "&") + ServicePercentEncoding.encode(name) + "="
            }
            text += isJSON ? plain : ServicePercentEncoding.encode(plain)
        } else if let values = value as? [Any], depth < 64 {
            try write(elements: values.compactMap(unwrapped), name: name, depth: depth + 1)
        } else if let values = value as? [String: Any], depth < 64 {
            if isJSON { text += "{" }
            for (key, value) in values.sorted(by: { $0.key < $1.key }) {
                guard let value = unwrapped(value) else { continue }
                if isJSON { text += (text.hasSuffix("{") ? "" : ",") + quoted(key) + ":" }
                try write(value, name: depth == 0 ? key : "\(name)[\(key)]", depth: depth + 1)
            }
            if isJSON { text += "}" }
        } else {
            let type = "'\(type(of: value))'"
            throw .invalidRequest(
                .parameter, reason: "'\(name)' is of type \(type), which has no text")
        }
    }

    private mutating func write(elements: [Any], name: String, depth: Int) throws(ServiceError) {
        let texts = elements.compactMap { plain($0) }
        if encoding.arrays == .commaSeparated, !isJSON, texts.count == elements.count {
            return texts.isEmpty ? () : try write(texts.joined(separator: ","), name: name)
        }
        if isJSON { text += "[" }
        for (index, element) in elements.enumerated() {
            if isJSON, index > 0 { text += "," }
            let brackets = encoding.arrays == .indexed ? "[\(index)]" : "[]"
            let suffix = encoding.arrays == .repeated ? "" : brackets
            try write(element, name: name + suffix, depth: depth)
        }
        if isJSON { text += "]" }
    }

    /// The text of what has no parts. The common types come first: each cast that fails takes its time.
    private func plain(_ value: Any, depth: Int = 0) -> String? {
        // Before the others: on Apple platforms an NSNumber passes for each of them. A boolean, as
        // JSONSerialization and Objective-C box it, is of type `c` (or `B`).
        if type(of: value) is NSNumber.Type, let number = value as? NSNumber {
            let isBoolean = ["c", "B"].contains(String(cString: number.objCType))
            return isBoolean ? text(of: number.boolValue) : number.stringValue
        }
        switch value {
        case let value as String: return quoted(value)
        case let value as Int: return String(value)
        case let value as Bool: return text(of: value)
        case let value as any BinaryFloatingPoint: return Double(value).isFinite ? "\(value)" : nil
        case let value as any BinaryInteger: return value.description
        case let value as Decimal: return value.isFinite ? value.description : nil
        case let value as Date: return text(of: value)
        case let value as URL: return quoted(value.absoluteString)
        case let value as UUID: return quoted(value.uuidString)
        case let value as Data: return quoted(value.base64EncodedString())
        case is NSNull: return "null"
        case let value as any RawRepresentable where depth < 8:
            return plain(value.rawValue, depth: depth + 1)
        default: return nil
        }
    }

    private func text(of flag: Bool) -> String {
        isJSON || encoding.booleans == .literal ? "\(flag)" : flag ? "1" : "0"
    }

    /// Nil outside the years 1 to 9999, where formatters give up and conversions to integers trap.
    private func text(of date: Date) -> String? {
        let seconds = date.timeIntervalSince1970
        guard (-62_135_596_800..<253_402_300_800).contains(seconds) else { return nil }
        let isWhole = seconds == seconds.rounded()
        return switch encoding.dates {
        case .iso8601: quoted(date.formatted(.iso8601))
        case .secondsSince1970: isWhole ? "\(Int64(seconds))" : "\(seconds)"
        case .millisecondsSince1970: "\(Int64((seconds * 1000).rounded()))"
        case .custom(let format): quoted(format(date))
        }
    }

    /// What an Optional holds, however deep; nil too for a null where there is none, in a query.
    private func unwrapped(_ value: Any) -> Any? {
        guard case Optional<Any>.some(let inner) = value else { return nil }
        if inner is NSNull, !isJSON { return nil }
        return type(of: inner) == type(of: value) ? inner : unwrapped(inner)
    }

    private func quoted(_ text: String) -> String {
        guard isJSON else { return text }
        guard text.utf8.contains(where: { $0 < 0x20 || $0 == 0x22 || $0 == 0x5C }) else {
            return "\"" + text + "\""
        }
        // What needs escapes is rare enough to leave it to Foundation.
        return (try? JSONEncoder().encode(text)).map { String(decoding: $0, as: UTF8.self) }
            ?? "null"
    }
}

/// Percent-encoding of UTF-8 (RFC 3986, section 2.1).
nonisolated enum ServicePercentEncoding {
    private static let digits = Array("0123456789ABCDEF".utf8)

    /// Escapes all but unreserved characters (RFC 3986, section 2.3) and those to keep.
    static func encode(_ text: String, keeping kept: String = "") -> String {
        func isKept(_ byte: UInt8) -> Bool {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: true
            default: kept.utf8.contains(byte)
            }
        }
        if text.utf8.allSatisfy(isKept) { return text }
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            bytes += isKept(byte) ? [byte] : [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
