// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// JSON of unknown structure.
package nonisolated enum ServiceJSON {
    /// Parses JSON in time linear in its size; nil for other text, and for names with many combining marks in a row.
    package static func value(_ json: Data) -> Any? {
        // JSONSerialization takes text with NUL for UTF-16.
        guard !json.contains(0), !hasLongNameOfMarks([UInt8](json)) else { return nil }
        return try? JSONSerialization.jsonObject(with: json)
    }

    /// Whether a name has many combining marks in a row. JSONSerialization takes quadratic time for them.
    private static func hasLongNameOfMarks(_ json: [UInt8]) -> Bool {
        var isInString = false
        var isEscaped = false
        // Where the last string starts and ends.
        var start = 0
        var end = 0
        for (index, byte) in json.enumerated() {
            if byte == UInt8(ascii: "\""), !isEscaped {
                isInString.toggle()
                end = index
                if isInString {
                    start = index
                }
            } else if byte == UInt8(ascii: ":"), !isInString {
                if end - start > 256, hasManyMarks(json[start...end]) {
                    return true
                }
                start = end
            }
            isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
        }
        return false
    }

    /// Whether a string of JSON has more than 64 combining marks in a row.
    private static func hasManyMarks(_ string: ArraySlice<UInt8>) -> Bool {
        let list = [UInt8(ascii: "[")] + string + [UInt8(ascii: "]")]
        let texts = try? JSONSerialization.jsonObject(with: Data(list)) as? [String]
        var count = 0
        for scalar in (texts?.first ?? "").unicodeScalars {
            let isMark = scalar.properties.canonicalCombiningClass != .notReordered
            count = isMark ? count + 1 : 0
            if count > 64 {
                return true
            }
        }
        return false
    }
}
