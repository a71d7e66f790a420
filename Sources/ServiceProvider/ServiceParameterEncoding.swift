// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// Where parameters go and how they are written.
///
/// ```swift
/// var parameterEncoding: ServiceParameterEncoding { .init(destination: .form, arrays: .repeated) }
/// ```
public nonisolated struct ServiceParameterEncoding: Sendable {
    /// The part of a request that has the parameters.
    public enum Destination: Sendable {
        /// Automatic: the query for GET, HEAD and DELETE, a JSON body for other methods. Form: a body of
        /// type `application/x-www-form-urlencoded`. JSON: a body of type `application/json`.
        case automatic, query, form, json
    }

    /// How a query or form has an array.
    public enum Arrays: Sendable {
        /// In this order: `key[]=a&key[]=b`, `key=a&key=b`, `key[0]=a&key[1]=b`, and `key=a,b` (the comma
        /// is sent as `%2C`; an array of arrays is written with brackets).
        case brackets, repeated, indexed, commaSeparated
    }

    /// How a query or form has a boolean.
    public enum Booleans: Sendable {
        /// Literal: `true` and `false`. Numeric: `1` and `0`.
        case literal, numeric
    }

    /// How a date is written, in JSON too.
    public enum Dates: Sendable {
        /// `2026-11-21T08:30:00Z` (RFC 3339, in UTC, without fractions of a second), a number of seconds,
        /// or a whole number of milliseconds.
        case iso8601, secondsSince1970, millisecondsSince1970
        /// The result of a closure.
        case custom(@Sendable (Date) -> String)
    }

    /// Where the parameters go. Default: ``Destination/automatic``.
    public var destination: Destination
    /// How arrays are written. Default: ``Arrays/brackets``.
    public var arrays: Arrays
    /// How booleans are written. Default: ``Booleans/literal``.
    public var booleans: Booleans
    /// How dates are written. Default: ``Dates/iso8601``.
    public var dates: Dates
    /// The keys that come first, in this order. Other keys follow, sorted. Default: none.
    ///
    /// Use it for servers that need, or sign, parameters in their own order. Keys inside nested values are
    /// always sorted.
    public var order: [String]

    /// Creates an encoding.
    public init(
        destination: Destination = .automatic, arrays: Arrays = .brackets,
        booleans: Booleans = .literal, dates: Dates = .iso8601, order: [String] = []
    ) {
        self.destination = destination
        self.arrays = arrays
        self.booleans = booleans
        self.dates = dates
        self.order = order
    }
}

nonisolated extension ServiceParameterEncoding {
    /// Encodes parameters as JSON if ``destination`` is JSON, or else as a query or form.
    ///
    /// Keys are sorted, so the same parameters give the same text on every run.
    ///
    /// - Throws: ``ServiceError/invalidRequest(_:reason:)`` for a value that can't be sent.
    public func encode(_ parameters: [String: Any]) throws(ServiceError) -> String {
        var writer = ServiceParameterWriter(encoding: self, isJSON: destination == .json)
        try writer.write(parameters, name: "", depth: 0)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

/// Writes parameters as a query, a form or JSON.
///
/// JSON is written by hand because `JSONSerialization` takes ten times as long.
private nonisolated struct ServiceParameterWriter {
    enum Value {
        /// Text has quotes in JSON. Literals are numbers, booleans and null.
        case text(String), literal(String), list([Any]), object([String: Any]), unsupported(Any)
    }

    let encoding: ServiceParameterEncoding
    let isJSON: Bool
    var bytes: [UInt8] = []

    /// Writes the members of an object, sorted by key.
    ///
    /// - Parameters:
    ///   - name: The name of the object, such as `filter[from]`. Empty at the top.
    ///   - depth: A value that contains itself would exhaust the stack, so 64 levels are the limit.
    mutating func write(
        _ members: [String: Any], name: String, depth: Int
    ) throws(ServiceError) {
        var keys = members.keys.sorted()
        for first in encoding.order.reversed() where depth == 0 {
            if let index = keys.firstIndex(of: first) { keys.insert(keys.remove(at: index), at: 0) }
        }
        if isJSON { bytes.append(UInt8(ascii: "{")) }
        for key in keys {
            guard let member = members[key], let value = read(member) else { continue }
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
        case .text(let text) where isJSON: writeQuoted(text)
        case .literal(let text) where isJSON: bytes += text.utf8
        case .text(let text), .literal(let text):
            if !bytes.isEmpty { bytes.append(UInt8(ascii: "&")) }
            bytes += ServicePercentEncoding.encode(name).utf8
            bytes.append(UInt8(ascii: "="))
            bytes += ServicePercentEncoding.encode(text).utf8
        case .list(let elements): try write(elements, name: name, depth: depth)
        case .object(let members): try write(members, name: name, depth: depth)
        case .unsupported(let value):
            let reason = "'\(name)' is a '\(type(of: value))' that can't be sent"
            // `Dictionary.encoding` can't throw, so it leaves its error as a value.
            throw value as? ServiceError ?? .invalidRequest(.parameter, reason: reason)
        }
    }

    private mutating func write(
        _ elements: [Any], name: String, depth: Int
    ) throws(ServiceError) {
        let values = elements.compactMap { read($0) }
        if encoding.arrays == .commaSeparated, !isJSON, let joined = joined(values) {
            return values.isEmpty ? () : try write(.text(joined), name: name, depth: depth)
        }
        if isJSON { bytes.append(UInt8(ascii: "[")) }
        for (index, value) in values.enumerated() {
            if isJSON, index > 0 { bytes.append(UInt8(ascii: ",")) }
            let brackets = encoding.arrays == .indexed ? "[\(index)]" : "[]"
            let suffix = encoding.arrays == .repeated ? "" : brackets
            try write(value, name: name + suffix, depth: depth + 1)
        }
        if isJSON { bytes.append(UInt8(ascii: "]")) }
    }

    /// Nil if a value isn't a text or a literal.
    private func joined(_ values: [Value]) -> String? {
        var texts: [String] = []
        for value in values {
            switch value {
            case .text(let text), .literal(let text): texts.append(text)
            default: return nil
            }
        }
        return texts.joined(separator: ",")
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

    /// Reads a value. Nil drops it. Common types come first, because a failed cast takes time.
    private func read(_ value: Any, depth: Int = 0) -> Value? {
        let type = type(of: value)
        if type == String.self, let text = value as? String { return .text(text) }
        // On Apple platforms an NSNumber casts to every number type. `value is NSNumber` would create an
        // object for every value.
        if type is NSNumber.Type, let number = value as? NSNumber { return read(number) }
        // An NSNumber in an Optional or an AnyHashable casts to each of these types.
        return switch value {
        case let number as Int where type == Int.self: .literal(String(number))
        case let flag as Bool where type == Bool.self:
            .literal(isJSON || encoding.booleans == .literal ? "\(flag)" : flag ? "1" : "0")
        case let number as Double where type == Double.self && number.isFinite:
            .literal("\(number)")
        case let value as any Numeric where Double("\(value)")?.isFinite == true:
            .literal("\(value)")
        case let text as String: .text(text)
        case let value as [Any]: .list(value)
        case let value as [String: Any]: .object(value)
        case let value as Date: read(value)
        case let value as URL: .text(value.absoluteString)
        case let value as UUID: .text(value.uuidString)
        case let value as Data: .text(value.base64EncodedString())
        case let raw as any RawRepresentable where depth < 8: read(raw.rawValue, depth: depth + 1)
        case let box as AnyHashable where type == AnyHashable.self: read(box.base, depth: depth)
        case is NSNull: isJSON ? .literal("null") : nil
        case Optional<Any>.some(let inner) where Mirror(reflecting: value).displayStyle == .optional:
            depth < 8 ? read(inner, depth: depth + 1) : .unsupported(value)
        case Optional<Any>.some: .unsupported(value)
        default: nil
        }
    }

    private func read(_ number: NSNumber) -> Value? {
        // Booleans have their own class. On Apple platforms, `objCType` is the same for Bool and Int8.
        if Swift.type(of: number) == Swift.type(of: NSNumber(value: true)) {
            return read(number.boolValue)
        }
        if let number = number as? NSDecimalNumber { return read(number.decimalValue) }
        let isFraction = ["d", "f"].contains(String(cString: number.objCType))
        return isFraction ? read(number.doubleValue) : .literal(number.stringValue)
    }

    /// Refuses dates outside the years 1 to 9999, where conversions trap.
    private func read(_ date: Date) -> Value {
        let seconds = date.timeIntervalSince1970
        guard (-62_135_769_600..<253_402_300_800).contains(seconds) else {
            return .unsupported(date)
        }
        return switch encoding.dates {
        case .iso8601: .text(date.formatted(.iso8601))
        case .secondsSince1970: .literal(Int64(exactly: seconds)?.description ?? "\(seconds)")
        case .millisecondsSince1970: .literal("\(Int64((seconds * 1000).rounded()))")
        case .custom(let format): .text(format(date))
        }
    }
}

/// Percent-encoding of UTF-8 (RFC 3986, section 2.1).
nonisolated enum ServicePercentEncoding {
    /// Encodes every character that isn't unreserved (RFC 3986, section 2.3) or kept.
    static func encode(_ text: String, keeping kept: StaticString = "") -> String {
        if text.utf8.allSatisfy({ isAllowed($0, kept) }) { return text }
        func digit(_ value: UInt8) -> UInt8 { value < 10 ? value + 0x30 : value + 0x37 }
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if isAllowed(byte, kept) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digit(byte >> 4), digit(byte & 15)]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Whether a URL may contain a character as it is. A "%" may start an escape.
    static func isLegal(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isASCII && isAllowed(UInt8(ascii: scalar), "!$&'()*+,;=:@/?%")
    }

    /// Whether a byte is a letter, a digit, one of `-._~`, or kept.
    static func isAllowed(_ byte: UInt8, _ kept: StaticString) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: true
        default: kept.withUTF8Buffer { $0.contains(byte) }
        }
    }
}
