// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderBodies
import ServiceProviderExtras
import TestSupport

/// The encoding style of parameters.
struct FuzzStyle {
    var arrays = ServiceParameterEncoding.Arrays.brackets
    var booleans = ServiceParameterEncoding.Booleans.literal
    var dates = ServiceParameterEncoding.Dates.iso8601
    var order: [String] = []

    func encoding(
        _ destination: ServiceParameterEncoding.Destination
    ) -> ServiceParameterEncoding {
        ServiceParameterEncoding(
            destination: destination, arrays: arrays, booleans: booleans, dates: dates,
            order: order)
    }
}

/// A parameter's value, and its expected encoding.
indirect enum FuzzValue {
    /// A value and its encoded text. In JSON, a string is quoted and a number isn't.
    case text(Any, String), number(Any, String)
    case boolean(Any, Bool)
    case date(Date)
    case null, missing(Any), refused(Any)
    case list([FuzzValue]), group([String: FuzzValue])

    /// The value as a service would return it.
    var value: Any {
        switch self {
        case .text(let value, _), .number(let value, _), .boolean(let value, _): value
        case .missing(let value), .refused(let value): value
        case .date(let date): date
        case .null: NSNull()
        case .list(let values): values.map(\.value)
        case .group(let members): members.mapValues(\.value)
        }
    }

    var isRefused: Bool {
        switch self {
        case .refused: true
        case .list(let values): values.contains(where: \.isRefused)
        case .group(let members): members.values.contains(where: \.isRefused)
        default: false
        }
    }

    /// The expected pairs in a query or a form.
    func pairs(_ name: String, _ style: FuzzStyle) -> [FuzzPair] {
        if let text = text(style) { return [FuzzPair(name, text)] }
        switch self {
        case .list(let values):
            let values = values.filter(\.isWritten)
            let texts = values.compactMap { $0.text(style) }
            if style.arrays == .commaSeparated, texts.count == values.count {
                return texts.isEmpty ? [] : [FuzzPair(name, texts.joined(separator: ","))]
            }
            return values.enumerated().flatMap { index, value in
                let suffix: String
                switch style.arrays {
                case .repeated: suffix = ""
                case .indexed: suffix = "[\(index)]"
                case .brackets, .commaSeparated: suffix = "[]"
                }
                return value.pairs(name + suffix, style)
            }
        case .group(let members):
            return members.sorted { $0.key < $1.key }.flatMap { key, value in
                value.pairs(name + "[" + key + "]", style)
            }
        default: return []
        }
    }

    private var isWritten: Bool {
        switch self {
        case .null, .missing: false
        default: true
        }
    }

    private func text(_ style: FuzzStyle) -> String? {
        switch self {
        case .text(_, let text), .number(_, let text): text
        case .boolean(_, let value) where style.booleans == .numeric: value ? "1" : "0"
        case .boolean(_, let value): value ? "true" : "false"
        case .date(let date): Self.text(of: date, style.dates).text
        default: nil
        }
    }

    /// Whether a JSON value, as parsed by Foundation, matches this value.
    func isRead(from json: Any?, _ style: FuzzStyle) -> Bool {
        switch self {
        case .text(_, let text): return Self.isSame(json, text)
        case .number(_, let text): return Self.isNumber(json, text)
        case .boolean(_, let value):
            guard let number = json as? NSNumber else { return false }
            return String(cString: number.objCType) == "c" && number.boolValue == value
        case .date(let date):
            let (text, isNumber) = Self.text(of: date, style.dates)
            return isNumber ? Self.isNumber(json, text) : Self.isSame(json, text)
        case .null: return json is NSNull
        case .missing: return json == nil
        case .refused: return false
        case .list(let values):
            let values = values.filter { if case .missing = $0 { false } else { true } }
            guard let list = json as? [Any], list.count == values.count else { return false }
            return zip(values, list).allSatisfy { $0.isRead(from: $1, style) }
        case .group(let members):
            let isThere = members.filter { if case .missing = $0.value { false } else { true } }
            guard let object = json as? [String: Any], object.count == isThere.count else {
                return false
            }
            return members.allSatisfy { $1.isRead(from: object[$0], style) }
        }
    }

    /// Compares bytes, because Swift treats canonically equivalent strings as equal.
    private static func isSame(_ json: Any?, _ text: String) -> Bool {
        (json as? String).map { Array($0.utf8) == Array(text.utf8) } == true
    }

    private static func isNumber(_ json: Any?, _ text: String) -> Bool {
        guard let number = json as? NSNumber, let meant = Double(text) else { return false }
        // Foundation parses some numbers slightly off the nearest Double.
        return abs(number.doubleValue - meant) <= abs(meant) * 1e-13
    }

    private static func text(
        of date: Date, _ style: ServiceParameterEncoding.Dates
    ) -> (text: String, isNumber: Bool) {
        let seconds = date.timeIntervalSince1970
        switch style {
        case .iso8601: return (FuzzDate.text(seconds), false)
        case .secondsSince1970:
            let isWhole = seconds.rounded() == seconds
            return (isWhole ? "\(Int(seconds))" : "\(seconds)", true)
        case .millisecondsSince1970: return ("\(Int((seconds * 1_000).rounded()))", true)
        case .custom(let format): return (format(date), false)
        }
    }
}
