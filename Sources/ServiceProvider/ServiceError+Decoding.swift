// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// A key that the developer wrote, such as a part of the path of `decoding(at:)`. Error texts show it.
package nonisolated protocol ServicePathKey: CodingKey {}

nonisolated extension ServiceError {
    /// Where and why decoding failed, in fixed words. Those of a decoder may quote the body, so they are only compared
    /// with the texts of Foundation and the standard library.
    static func details(ofDecoding error: any Error, in response: ServiceResponse) -> String {
        switch error {
        case DecodingError.keyNotFound(let key, let context):
            "\(text(of: context.codingPath + [key])): the value is missing"
        case DecodingError.valueNotFound(let type, let context):
            "\(text(of: context.codingPath)): expected \(name(of: type)) but found \(found(context) ?? "null")"
        case DecodingError.typeMismatch(let type, let context):
            "\(text(of: context.codingPath)): expected \(name(of: type)) but found \(found(context) ?? "something else")"
        case DecodingError.dataCorrupted(let context):
            "\(text(of: context.codingPath)): \(fault(context, in: response))"
        default: " with an error of type '\(type(of: error))'"
        }
    }

    // MARK: - Coding paths

    /// A coding path as in code: ` at 'data.results[3].id'`.
    static func text(of path: [any CodingKey]) -> String {
        guard !path.isEmpty else { return "" }
        var text = ""
        for key in path {
            if let index = key.intValue, key.stringValue == "Index \(index)" {
                text += "[\(index)]"
            } else {
                text += "." + name(of: key)
            }
        }
        return " at '\(text.drop { $0 == "." })'"
    }

    /// The name of a case, as in the enum `CodingKeys` of a type, or of a part of the developer's path; `…` for other
    /// keys, which a server may have chosen.
    private static func name(of key: any CodingKey) -> String {
        let mirror = Mirror(reflecting: key)
        let isCase = mirror.displayStyle == .enum && mirror.children.isEmpty
        return isCase || key is any ServicePathKey ? key.stringValue : "…"
    }

    // MARK: - Types

    private static func name(of type: Any.Type) -> String {
        switch "\(type)" {
        case "Dictionary<String, Any>": "an object"
        case "Array<Any>": "an array"
        default: "'\(type)'"
        }
    }

    /// The kind of value that a decoder found in place of the expected one. Nil if its words aren't known.
    private static func found(_ context: DecodingError.Context) -> String? {
        let words = String(decoding: context.debugDescription.utf8.suffix(60), as: UTF8.self)
        return kinds.first { words.hasSuffix($0.words) }?.kind
    }

    /// The last words of `JSONDecoder` and `PropertyListDecoder`, earlier ones too, and ours.
    private static let kinds: [(words: String, kind: String)] = [
        (" but found a string instead.", "a string"),
        (" but found a string/data instead.", "a string"),
        (" but found number instead.", "a number"),
        (" but found a number instead.", "a number"),
        (" but found an integer instead.", "a number"),
        (" but found a real number instead.", "a number"),
        (" but found bool instead.", "a boolean"),
        (" but found a boolean instead.", "a boolean"),
        (" but found an array instead.", "an array"),
        (" but found a dictionary instead.", "an object"),
        (" but found null instead.", "null"),
        (" but found a null value instead.", "null"),
        (" but found a date instead.", "a date"),
        (" but found a data value instead.", "data"),
        ("container is at end.", "the end of the array"),
    ]

    // MARK: - Values and bodies

    private static func fault(
        _ context: DecodingError.Context, in response: ServiceResponse
    ) -> String {
        let words = String(decoding: context.debugDescription.utf8.prefix(200), as: UTF8.self)
        return switch words {
        case "The given data was not valid JSON.": fault(ofJSON: response)
        case "The given data was not a valid property list.": "the body isn't a property list"
        case "Expected date string to be ISO8601-formatted.": "a string isn't an ISO 8601 date"
        case "Date string does not match format expected by formatter.":
            "the string isn't a date in the decoder's format"
        case "Encountered Data is not valid Base64.": "the string isn't Base64"
        case "Invalid URL string.": "the string isn't a URL"
        case "Attempted to decode UUID from invalid UUID string.": "the string isn't a UUID"
        case "The text isn't UTF-8.": "the text isn't UTF-8"
        case _ where words.hasPrefix("Parsed JSON number <"): "the number doesn't fit its type"
        case _ where words.hasPrefix("Cannot initialize ") && words.contains(" from invalid "):
            "no case has this raw value"
        default: "the value isn't valid"
        }
    }

    /// Why `JSONDecoder` says that a body isn't JSON. (On Linux, it also says so of numbers that don't fit their type.)
    /// Bodies above 16 MB would take long.
    private static func fault(ofJSON response: ServiceResponse) -> String {
        // Byte order mark, space, tab and line breaks.
        let text = response.data.drop { [0xEF, 0xBB, 0xBF, 0x20, 0x09, 0x0A, 0x0D].contains($0) }
        guard let first = text.first else { return "the body is blank" }
        switch Unicode.Scalar(first) {
        case "<": return "the body isn't JSON, but \(isXML(text, in: response) ? "XML" : "HTML")"
        case "{", "[", "\"", "t", "f", "n", "-", "0"..."9": break
        default: return "the body isn't JSON"
        }
        let isShort = text.count <= 16 << 20
        guard !isShort || !isCutOff(text) else { return "the body was cut off" }
        guard !isShort || response.text != nil else { return "the body isn't JSON in UTF-8" }
        return "the body isn't valid JSON, or a number doesn't fit its type"
    }

    private static func isXML(_ text: Data, in response: ServiceResponse) -> Bool {
        let field = response.header("Content-Type") ?? ""
        let type = String(decoding: field.utf8.prefix(60), as: UTF8.self).lowercased()
        guard !type.contains("html") else { return false }
        // "<?xml".
        return type.contains("xml") || text.dropFirst().first == UInt8(ascii: "?")
    }

    /// Whether a bracket or a quotation mark of JSON isn't closed.
    private static func isCutOff(_ json: Data) -> Bool {
        var depth = 0
        var isInString = false
        var isEscaped = false
        for byte in json {
            switch Unicode.Scalar(byte) {
            case _ where isEscaped: isEscaped = false
            case "\\" where isInString: isEscaped = true
            case "\"": isInString.toggle()
            case "{" where !isInString, "[" where !isInString: depth += 1
            case "}" where !isInString, "]" where !isInString: depth -= 1
            default: break
            }
        }
        return isInString || depth > 0
    }
}
