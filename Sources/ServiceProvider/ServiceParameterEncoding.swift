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
    /// The part of a request that carries the parameters.
    public enum Destination: Sendable {
        /// The query for GET, HEAD and DELETE; a JSON body for other methods.
        case automatic
        /// The query for GET, HEAD and DELETE; a form for other methods.
        case queryOrForm
        /// The query of the URL.
        case query
        /// A body of type `application/x-www-form-urlencoded`.
        case form
        /// A body of type `application/json`.
        case json
    }

    /// Where the parameters go.
    public var destination: Destination
    /// The top-level keys that come first, in this order. Other keys follow, sorted. Default: none.
    public var order: [String] = []
    /// Names an array element in a query or form. Default: `key[]`.
    public var elementName: @Sendable (_ key: String, _ index: Int) -> String = { key, _ in
        key + "[]"
    }
    /// Names a member of a dictionary in a query or form. Default: `key[member]`.
    public var memberName: @Sendable (_ key: String, _ member: String) -> String = {
        "\($0)[\($1)]"
    }
    /// Whether a query or form has `+` for a space, instead of `%20`. Default: false.
    public var writesSpaceAsPlus = false
    /// Replaces values before they are written. It is called first with the whole dictionary of
    /// parameters, and then with each value in it, nested ones included. Default: nil.
    public var replacement: (@Sendable (_ value: Any, _ isJSON: Bool) -> Any)?

    /// Creates an encoding.
    public init(destination: Destination = .automatic) {
        self.destination = destination
    }

    /// Encodes parameters as JSON if ``destination`` is JSON, or else as a query or form.
    ///
    /// Keys are sorted, so the same parameters give the same text on every run.
    ///
    /// - Throws: ``ServiceError/invalidRequest(_:reason:)`` for a value that can't be sent.
    public func encode(_ parameters: [String: Any]) throws(ServiceError) -> String {
        var writer = ServiceParameterWriter(encoding: self, isJSON: destination == .json)
        let replaced = replacement?(parameters, writer.isJSON) as? [String: Any]
        try writer.write(.object(replaced ?? parameters), name: "", depth: 0)
        let text = String(decoding: writer.bytes, as: UTF8.self)
        let hasPlus = writesSpaceAsPlus && !writer.isJSON
        return hasPlus ? text.replacingOccurrences(of: "%20", with: "+") : text
    }
}

/// Writes parameters as a query, a form or JSON. (`JSONSerialization` takes ten times as long.)
private nonisolated struct ServiceParameterWriter {
    enum Value {
        /// In JSON, text is quoted. Literals (numbers, booleans and null) aren't.
        case text(String), literal(String), list([Any]), object([String: Any]), unsupported(Any)
    }

    let encoding: ServiceParameterEncoding
    let isJSON: Bool
    var bytes: [UInt8] = []

    /// Writes a value. The name is the query key, such as `filter[from]`.
    mutating func write(_ value: Value, name: String, depth: Int) throws(ServiceError) {
        // A value that contains itself would exhaust the stack.
        try ServiceError.require(
            depth <= 64, .parameter, "'\(name.prefix(60))…' is nested too deep")
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
            let fault = value is any BinaryFloatingPoint ? "isn't finite" : "can't be sent"
            let reason = "'\(name)' is a '\(type(of: value))' that \(fault)"
            throw value as? ServiceError ?? .invalidRequest(.parameter, reason: reason)
        }
    }

    private mutating func write(
        _ members: [String: Any], name: String, depth: Int
    ) throws(ServiceError) {
        var rest = members
        let first = depth == 0 ? encoding.order : []
        let keys = first.filter { rest.removeValue(forKey: $0) != nil } + rest.keys.sorted()
        var separator = "{"
        for key in keys {
            guard let member = members[key], let value = read(member) else { continue }
            if isJSON {
                bytes += separator.utf8
                writeQuoted(key)
                bytes.append(UInt8(ascii: ":"))
                separator = ","
            }
            let name = depth == 0 ? key : encoding.memberName(name, key)
            try write(value, name: name, depth: depth + 1)
        }
        if isJSON { bytes += (separator == "{" ? "{}" : "}").utf8 }
    }

    private mutating func write(
        _ elements: [Any], name: String, depth: Int
    ) throws(ServiceError) {
        var index = 0
        if isJSON { bytes += "[".utf8 }
        for element in elements {
            guard let value = read(element) else { continue }
            if isJSON, index > 0 { bytes.append(UInt8(ascii: ",")) }
            let name = isJSON ? name : encoding.elementName(name, index)
            try write(value, name: name, depth: depth + 1)
            index += 1
        }
        if isJSON { bytes += "]".utf8 }
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

    /// Reads a value; returns nil to drop it. Common types come first, because a failed cast takes
    /// time.
    private func read(_ original: Any, depth: Int = 0) -> Value? {
        let value = encoding.replacement?(original, isJSON) ?? original
        let type = type(of: value)
        if type == String.self, let text = value as? String { return .text(text) }
        // On Apple platforms an NSNumber casts to every number type. `value is NSNumber` would create an
        // object for every value.
        if type is NSNumber.Type, let number = value as? NSNumber { return read(number) }
        // An NSNumber in an Optional or an AnyHashable casts to each of these types.
        return switch value {
        case let number as Int where type == Int.self: .literal(String(number))
        case let flag as Bool where type == Bool.self: .literal("\(flag)")
        case let number as Double where type == Double.self && number.isFinite:
            .literal("\(number)")
        case let value as any Numeric where Double("\(value)")?.isFinite == true:
            .literal("\(value)")
        case let text as String: .text(text)
        case let value as [Any]: .list(value)
        case let value as [String: Any]: .object(value)
        // Conversions trap outside the years 1 to 9999.
        case let date as Date:
            (-62_135_769_600..<253_402_300_800).contains(date.timeIntervalSince1970)
                ? .text(date.formatted(.iso8601)) : .unsupported(date)
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
}

/// Percent-encoding of UTF-8 (RFC 3986, section 2.1).
nonisolated enum ServicePercentEncoding {
    /// Encodes every character except unreserved ones (RFC 3986, section 2.3) and those in `kept`.
    static func encode(_ text: String, keeping kept: StaticString = "") -> String {
        if isUnchanged(text, keeping: kept) { return text }
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

    /// Whether a string has only letters, digits, `-._~` and kept characters.
    static func isUnchanged(_ text: String, keeping kept: StaticString) -> Bool {
        var text = text
        return text.withUTF8 { $0.allSatisfy { isAllowed($0, kept) } }
    }

    private static func isAllowed(_ byte: UInt8, _ kept: StaticString) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: true
        default: kept.withUTF8Buffer { $0.contains(byte) }
        }
    }
}
