// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// The rest of a header field or a path, parsed from its start. Reads each byte once or twice.
nonisolated extension ArraySlice<UInt8> {
    /// The bytes of a field; empty without a field.
    package init(field: String?) {
        self = Array((field ?? "").utf8)[...]
    }

    /// Text in quotes (RFC 9110, section 5.6.4), or the text up to one of these characters.
    private mutating func takeValue(upTo ends: String) -> String {
        guard take("\"") else { return takeText(upTo: ends) }
        var bytes: [UInt8] = []
        while var byte = popFirst(), byte != UInt8(ascii: "\"") {
            if byte == UInt8(ascii: "\\"), let escaped = popFirst() {
                byte = escaped
            }
            bytes.append(byte)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The text up to one of these characters, without the blanks around it.
    package mutating func takeText(upTo ends: String) -> String {
        let text = prefix { !ends.utf8.contains($0) }
        self = dropFirst(text.count)
        return String(decoding: text.trimmed, as: UTF8.self)
    }

    /// The texts between these characters, without the empty ones.
    package func words(separatedBy separators: String) -> [String] {
        split { separators.utf8.contains($0) }.map { String(decoding: $0, as: UTF8.self) }
    }

    /// Skips blanks, and then this character if it is next.
    package mutating func take(_ character: Unicode.Scalar) -> Bool {
        self = drop(while: Self.isBlank)
        return first.map(UInt32.init) == character.value && popFirst() != nil
    }

    /// Parameters such as `; name=value`, by name in lower case. If a name occurs twice, the first value
    /// counts.
    ///
    /// - Parameter end: Characters that end the parameters.
    package mutating func takeParameters(upTo end: String = "") -> [String: String] {
        var parameters: [String: String] = [:]
        while take(";") {
            let name = takeText(upTo: "=;" + end).lowercased()
            var value = ""
            if take("=") {
                value = takeValue(upTo: ";" + end)
            }
            // A name is a token. Others take long to compare.
            guard name.utf8.allSatisfy({ $0 < 0x80 }) else { continue }
            parameters[name] = parameters[name] ?? value
        }
        return parameters
    }

    /// Splits a list at its commas (RFC 9110, section 5.6.1), and removes the blanks around the elements.
    ///
    /// A comma in quotes doesn't separate. Cookies may have commas in dates, and unclosed quotes: there, only
    /// a comma in front of `name=` separates.
    ///
    /// - Returns: The elements, including empty ones, and whether the last quote is closed.
    package func elements(areCookies: Bool = false) -> (elements: [Self], isClosed: Bool) {
        var elements: [Self] = []
        var isQuoted = false
        var start = startIndex
        var rest = self
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: ","):
                let isSeparator = areCookies ? rest.startsWithName : !isQuoted
                guard isSeparator else { continue }
                elements.append(self[start..<rest.startIndex].dropLast().trimmed)
                start = rest.startIndex
            case UInt8(ascii: "\""):
                isQuoted.toggle()
            case UInt8(ascii: "\\") where isQuoted && !areCookies:
                // The next byte is escaped.
                rest = rest.dropFirst()
            default:
                break
            }
        }
        return (elements + [self[start...].trimmed], !isQuoted)
    }

    /// Whether a name with an equals sign follows, after blanks. The comma in a cookie's date isn't
    /// followed by one.
    private var startsWithName: Bool {
        let name = drop(while: Self.isBlank)
        let end = name.firstIndex { " \t=;,".utf8.contains($0) }
        return end.map { $0 > name.startIndex && name[$0] == UInt8(ascii: "=") } ?? false
    }

    private var trimmed: Self {
        let end = lastIndex { !Self.isBlank($0) }.map { $0 + 1 } ?? startIndex
        return self[..<end].drop(while: Self.isBlank)
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }
}
