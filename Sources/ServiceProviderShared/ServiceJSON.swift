// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

package nonisolated enum ServiceJSON {
    /// Parses JSON in time linear in its size; nil for other text, and for names with many combining marks in a row.
    package static func value(_ json: Data) -> Any? {
        // JSONSerialization takes text with NUL for UTF-16.
        guard !json.contains(0), colons(in: [UInt8](json)) != nil else { return nil }
        return try? JSONSerialization.jsonObject(with: json)
    }

    /// Values as JSON with sorted keys; nil if they can't be encoded.
    ///
    /// JSONSerialization takes minutes to sort hundreds of thousands of keys.
    package static func text(of json: Any) -> String? {
        let object = try? ServiceParameterEncoding(destination: .json).encode(["": json])
        return object.map { String($0.dropFirst(#"{"":"#.count).dropLast()) }
    }

    /// How many colons a JSON text has outside of its strings; nil if one of its names has many combining
    /// marks in a row, because JSONSerialization takes quadratic time for them.
    package static func colons(in json: [UInt8]) -> Int? {
        var (colons, isInString, isEscaped) = (0, false, false)
        // Where the last string starts and ends.
        var (start, end) = (0, 0)
        for (index, byte) in json.enumerated() {
            if byte == UInt8(ascii: "\""), !isEscaped {
                isInString.toggle()
                if isInString { start = index } else { end = index + 1 }
            } else if byte == UInt8(ascii: ":"), !isInString {
                colons += 1
                if end - start > 256, hasManyMarks(json[start..<end]) { return nil }
                start = end
            }
            isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
        }
        return colons
    }

    /// Whether a string of JSON has more than 64 combining marks in a row.
    private static func hasManyMarks(_ string: ArraySlice<UInt8>) -> Bool {
        let list = Data("[".utf8) + string + Data("]".utf8)
        let texts = try? JSONSerialization.jsonObject(with: list) as? [String]
        var count = 0
        for scalar in (texts?.first ?? "").unicodeScalars {
            let isMark = scalar.properties.canonicalCombiningClass != .notReordered
            count = isMark ? count + 1 : 0
            if count > 64 { return true }
        }
        return false
    }
}
