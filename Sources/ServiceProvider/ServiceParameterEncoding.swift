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
    /// The keys of a query or form that come first, in this order. Other keys follow, sorted. Default:
    /// none.
    ///
    /// Use it for servers that need, or sign, parameters in their own order. Keys inside nested values, and
    /// the members of JSON, are always sorted.
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
        let plain = try plain(parameters, name: "", depth: 0) ?? [:]
        guard destination == .json else {
            var items: [String] = []
            addItems(of: plain, name: "", depth: 0, to: &items)
            return items.joined(separator: "&")
        }
        do {
            let json = try JSONSerialization.data(
                withJSONObject: plain, options: [.sortedKeys, .withoutEscapingSlashes])
            return String(decoding: json, as: UTF8.self)
        } catch {
            throw ServiceError(error, of: .parameter)
        }
    }

    /// Reduces a value to what JSON can hold. Nil for a nil, which drops the key.
    ///
    /// - Parameter depth: A value that contains itself would exhaust the stack, so 64 levels are the
    ///   limit.
    private func plain(_ value: Any, name: String, depth: Int) throws(ServiceError) -> Any? {
        try ServiceError.require(depth <= 64, .parameter, "'\(name)' is nested too deep")
        let type = type(of: value)
        switch value {
        case let optional as any AnyOptional:
            guard let wrapped = optional.wrapped else { return nil }
            return try plain(wrapped, name: name, depth: depth + 1)
        case let box as AnyHashable where type == AnyHashable.self:
            return try plain(box.base, name: name, depth: depth)
        case is NSNull: return destination == .json ? value : nil
        case let text as String: return text
        // On Apple platforms an NSNumber casts to every number type; its booleans have their own class.
        case let number as NSNumber where type is NSNumber.Type && number.doubleValue.isFinite:
            let isBool = type == Swift.type(of: NSNumber(value: true))
            return isBool ? number.boolValue : number
        case is Bool: return value
        case let number as any BinaryInteger where UInt64(exactly: number.magnitude) != nil:
            return Int64(exactly: number) ?? UInt64(clamping: number)
        case let number as any BinaryFloatingPoint where number.isFinite:
            return value is Float ? value : Double(number)
        case let number as Decimal where number.isFinite: return NSDecimalNumber(decimal: number)
        case let list as [Any]:
            var elements: [Any] = []
            for element in list {
                let element = try plain(element, name: name + "[]", depth: depth + 1)
                if let element { elements.append(element) }
            }
            return elements
        case let object as [String: Any]:
            var members: [String: Any] = [:]
            for (key, member) in object {
                let name = depth == 0 ? key : "\(name)[\(key)]"
                members[key] = try plain(member, name: name, depth: depth + 1)
            }
            return members
        case let date as Date
        where (-62_135_769_600..<253_402_300_800).contains(date.timeIntervalSince1970):
            return plain(date)
        case let url as URL: return url.absoluteString
        case let id as UUID: return id.uuidString
        case let data as Data: return data.base64EncodedString()
        case let raw as any RawRepresentable:
            return try plain(raw.rawValue, name: name, depth: depth + 1)
        default:
            let reason = "'\(name)' is a '\(type)' that can't be sent"
            throw value as? ServiceError ?? .invalidRequest(.parameter, reason: reason)
        }
    }

    private func plain(_ date: Date) -> Any {
        let seconds = date.timeIntervalSince1970
        switch dates {
        case .iso8601: return date.formatted(.iso8601)
        case .secondsSince1970: return Int64(exactly: seconds) ?? seconds
        case .millisecondsSince1970: return Int64((seconds * 1_000).rounded())
        case .custom(let format): return format(date)
        }
    }

    private func addItems(of value: Any, name: String, depth: Int, to items: inout [String]) {
        switch value {
        case let object as [String: Any]:
            let order = depth == 0 ? order : []
            func rank(_ key: String) -> Int { order.firstIndex(of: key) ?? order.count }
            for (key, member) in object.sorted(by: { (rank($0.0), $0.0) < (rank($1.0), $1.0) }) {
                let name = depth == 0 ? key : "\(name)[\(key)]"
                addItems(of: member, name: name, depth: depth + 1, to: &items)
            }
        case let list as [Any]:
            if arrays == .commaSeparated,
                !list.contains(where: { $0 is [Any] || $0 is [String: Any] })
            {
                let joined = list.map { text(of: $0) }.joined(separator: ",")
                return list.isEmpty
                    ? () : addItems(of: joined, name: name, depth: depth, to: &items)
            }
            for (index, element) in list.enumerated() {
                let brackets = arrays == .indexed ? "[\(index)]" : "[]"
                let name = name + (arrays == .repeated ? "" : brackets)
                addItems(of: element, name: name, depth: depth + 1, to: &items)
            }
        default:
            let pair = [name, text(of: value)].map { ServicePercentEncoding.encode($0) }
            items.append(pair.joined(separator: "="))
        }
    }

    private func text(of value: Any) -> String {
        guard type(of: value) == Bool.self, booleans == .numeric else { return "\(value)" }
        return value as? Bool == true ? "1" : "0"
    }
}

private nonisolated protocol AnyOptional { var wrapped: Any? { get } }
nonisolated extension Optional: AnyOptional { fileprivate var wrapped: Any? { self } }

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
