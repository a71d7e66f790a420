// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// One value of ``Service/parameters``, for code that writes parameters in its own way. The elements of a
/// list and the members of an object aren't read yet.
package nonisolated enum ServiceParameterValue {
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
    package init?(_ value: Any, name: String, depth: Int) throws {
        try ServiceError.require(
            depth <= 64, of: .parameter, reason: "'\(name.prefix(60))…' exceeds 64 levels")
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
        case let date as Date:
            guard let text = Self.text(of: date) else { throw Self.refusal(of: date, name) }
            self = .text(text)
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

    /// A date in ISO 8601, such as `2026-11-28T12:00:00Z`. Nil for a date that can't be written so.
    static func text(of date: Date) -> String? {
        guard writableDates.contains(date.timeIntervalSince1970) else { return nil }
        return date.formatted(.iso8601)
    }

    /// The years 1 to 9999, in seconds since 1970. Formatting traps outside of them.
    package static let writableDates = -62_135_769_600.0..<253_402_300_800.0
}
