// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// Writes parameters as a query, a form or JSON.
///
/// Keys are sorted, after those that come first, so that the same parameters give the same text on
/// every run. JSON is written here too, because `JSONSerialization` takes eight times as long.
nonisolated struct ServiceParameterWriter {
    let encoding: ServiceParameterEncoding
    let isJSON: Bool
    var bytes: [UInt8] = []

    private enum Value {
        /// Text stands in quotes in JSON; numbers, booleans and null do not.
        case plain(String, isText: Bool = false), list([Any]), group([String: Any]), unknown(Any)
    }

    /// - Parameters:
    ///   - name: Where the members stand, such as `filter[from]`; empty at the top.
    ///   - depth: No API nests 64 levels deep; a value that contains itself does, and would exhaust
    ///     the stack.
    mutating func write(
        _ members: [String: Any], name: String = "", depth: Int = 0
    ) throws(ServiceError) {
        let order = depth == 0 ? encoding.order : []
        func rank(_ key: String) -> Int { order.firstIndex(of: key) ?? order.count }
        if isJSON { bytes.append(UInt8(ascii: "{")) }
        for (key, value) in members.sorted(by: { (rank($0.0), $0.0) < (rank($1.0), $1.0) }) {
            guard let value = read(value) else { continue }
            if isJSON {
                if bytes.last != UInt8(ascii: "{") { bytes.append(UInt8(ascii: ",")) }
                writeQuoted(key)
                bytes.append(UInt8(ascii: ":"))
            }
            try write(value, name: depth == 0 ? key : "\(name)[\(key)]", depth: depth + 1)
        }
        if isJSON { bytes.append(UInt8(ascii: "}")) }
    }

    private mutating func write(_ value: Value, name: String, depth: Int) throws(ServiceError) {
        try ServiceError.require(depth <= 64, .parameter, "'\(name)' is nested too deep")
        switch value {
        case .plain(let text, let isText) where isJSON:
            if isText { writeQuoted(text) } else { bytes += text.utf8 }
        case .plain(let text, _):
            if !bytes.isEmpty { bytes.append(UInt8(ascii: "&")) }
            bytes += ServicePercentEncoding.encode(name).utf8
            bytes.append(UInt8(ascii: "="))
            bytes += ServicePercentEncoding.encode(text).utf8
        case .list(let elements):
            let values = elements.compactMap { read($0) }
            let texts = values.compactMap { if case .plain(let text, _) = $0 { text } else { nil } }
            if encoding.arrays == .commaSeparated, !isJSON, texts.count == values.count {
                let joined = Value.plain(texts.joined(separator: ","))
                return texts.isEmpty ? () : try write(joined, name: name, depth: depth)
            }
            if isJSON { bytes.append(UInt8(ascii: "[")) }
            for (index, value) in values.enumerated() {
                if isJSON, index > 0 { bytes.append(UInt8(ascii: ",")) }
                let brackets = encoding.arrays == .indexed ? "[\(index)]" : "[]"
                let suffix = encoding.arrays == .repeated ? "" : brackets
                try write(value, name: name + suffix, depth: depth + 1)
            }
            if isJSON { bytes.append(UInt8(ascii: "]")) }
        case .group(let members): try write(members, name: name, depth: depth)
        case .unknown(let value):
            // Numbers and dates out of range are Encodable too, but Strideable.
            let tip = value is any Encodable && !(value is any Strideable) ? "; try .encoding" : ""
            let reason = "'\(name)' is a '\(type(of: value))' that cannot be sent\(tip)"
            // An error is what `Dictionary.encoding` leaves, since it cannot throw.
            throw value as? ServiceError ?? .invalidRequest(.parameter, reason: reason)
        }
    }

    private mutating func writeQuoted(_ text: String) {
        let isPlain = text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x22 && $0 != 0x5C }
        bytes.append(UInt8(ascii: "\""))
        if isPlain { bytes += text.utf8 }
        for byte in text.utf8 where !isPlain {
            if byte == 0x22 || byte == 0x5C { bytes.append(0x5C) }
            bytes += byte < 0x20 ? Array(String(format: "\\u%04X", byte).utf8) : [byte]
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// What a value is; nil when it is not there. The common types come first, since each cast that
    /// fails takes its time.
    private func read(_ value: Any, depth: Int = 0) -> Value? {
        if let value = value as? String { return .plain(value, isText: true) }
        // On Apple platforms an NSNumber passes for each type of number. `value is NSNumber` would
        // first make an object of every value.
        if type(of: value) is NSNumber.Type, let number = value as? NSNumber {
            // Booleans have a class of their own; `objCType` says on Apple platforms that an Int8 is one.
            if type(of: number) == type(of: NSNumber(value: true)) { return read(number.boolValue) }
            if let number = number as? NSDecimalNumber { return read(number.decimalValue) }
            let isFraction = ["d", "f"].contains(String(cString: number.objCType))
            return isFraction ? read(number.doubleValue) : .plain(number.stringValue)
        }
        // An NSNumber in an Optional or an AnyHashable would pass for each of these.
        let type = type(of: value)
        return switch value {
        case let number as Int where type == Int.self: .plain(String(number))
        case let flag as Bool where type == Bool.self:
            .plain(isJSON || encoding.booleans == .literal ? "\(flag)" : flag ? "1" : "0")
        case let number as Double where type == Double.self && number.isFinite: .plain("\(number)")
        case let value as any Numeric where Double("\(value)")?.isFinite == true: .plain("\(value)")
        case let value as [Any]: .list(value)
        case let value as [String: Any]: .group(value)
        case let value as Date: read(value)
        case let value as URL: .plain(value.absoluteString, isText: true)
        case let value as UUID: .plain(value.uuidString, isText: true)
        case let value as Data: .plain(value.base64EncodedString(), isText: true)
        case let raw as any RawRepresentable where depth < 8: read(raw.rawValue, depth: depth + 1)
        case let box as AnyHashable where type == AnyHashable.self: read(box.base, depth: depth)
        case is NSNull: isJSON ? .plain("null") : nil
        case Optional<Any>.some(let inner) where Mirror(reflecting: value).displayStyle == .optional:
            depth < 8 ? read(inner, depth: depth + 1) : .unknown(value)
        case Optional<Any>.some: .unknown(value)
        default: nil
        }
    }

    /// Unknown outside the years 1 to 9999, where formatters give up and conversions trap.
    private func read(_ date: Date) -> Value {
        let seconds = date.timeIntervalSince1970
        guard (-62_135_769_600..<253_402_300_800).contains(seconds) else { return .unknown(date) }
        return switch encoding.dates {
        case .iso8601: .plain(date.formatted(.iso8601), isText: true)
        case .secondsSince1970: .plain(Int64(exactly: seconds)?.description ?? "\(seconds)")
        case .millisecondsSince1970: .plain("\(Int64((seconds * 1000).rounded()))")
        case .custom(let format): .plain(format(date), isText: true)
        }
    }
}

/// Percent-encoding of UTF-8 (RFC 3986, section 2.1).
nonisolated enum ServicePercentEncoding {
    /// Escapes all but unreserved characters and those to keep.
    static func encode(_ text: String, keeping kept: String = "") -> String {
        func digit(_ value: UInt8) -> UInt8 { value < 10 ? value + 48 : value + 55 }
        if text.utf8.allSatisfy({ isUnreserved($0) || kept.utf8.contains($0) }) { return text }
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            let isKept = isUnreserved(byte) || kept.utf8.contains(byte)
            bytes.append(isKept ? byte : UInt8(ascii: "%"))
            if !isKept { bytes += [digit(byte >> 4), digit(byte & 15)] }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Undoes percent-encoding. A `%` that starts no escape stays.
    static func decode(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var (plain, rest) = ([UInt8](), bytes)
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2).compactMap(hexDigit)
            let isEscape = byte == UInt8(ascii: "%") && digits.count == 2
            plain.append(isEscape ? digits[0] << 4 | digits[1] : byte)
            if isEscape { rest.removeFirst(2) }
        }
        return plain
    }

    /// Undoes percent-encoding in UTF-8. Unlike `removingPercentEncoding`, one invalid escape doesn't
    /// keep the others.
    static func decode(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
        return String(decoding: decode(Array(text.utf8)[...]), as: UTF8.self)
    }

    private static func hexDigit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x37
        case 0x61...0x66: byte - 0x57
        default: nil
        }
    }

    /// Letters, digits, `-`, `.`, `_` and `~` (RFC 3986, section 2.3).
    static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: true
        default: false
        }
    }
}
