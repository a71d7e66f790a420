// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

nonisolated extension ServiceResponse {
    /// The file name that the server suggests, made safe: 1 to 255 bytes of UTF-8, valid as a file
    /// name in any folder.
    ///
    /// It comes from `Content-Disposition` (RFC 6266), the first one if there are several: from `filename*`
    /// in UTF-8 or ISO-8859-1 (RFC 8187, RFC 5987), or else from `filename`. Without one, it's the
    /// last part of the URL's path, or else `download`.
    ///
    /// Only the part after the last `/` or `\` counts. Control characters, invisible characters that
    /// change the direction of text, dots and spaces at both ends, and other invisible characters at the start
    /// are removed. A long name is cut before its extension.
    public var suggestedFilename: String {
        let names = Self.parameters(ofDisposition: header("Content-Disposition"))
        let url = URLComponents(string: request.urlRequest.url?.absoluteString ?? "")
        let path = url?.percentEncodedPath.split(separator: "/").last ?? ""
        let suggestions = [
            names["filename*"].flatMap(Self.decoded), names["filename"],
            ServicePercentDecoding.decode(String(path)),
        ]
        for case let name? in suggestions {
            let safe = Self.safe(name)
            guard safe.isEmpty else { return safe }
        }
        return "download"
    }

    /// The parameters of a `Content-Disposition`. If there are several fields, which are joined by commas, those
    /// of the first one. If a name occurs twice, the first value counts.
    private static func parameters(ofDisposition text: String?) -> [String: String] {
        var field = ArraySlice(field: text)
        // Text in quotes isn't a type, and may have a semicolon.
        guard field.first != UInt8(ascii: "\"") else { return [:] }
        let elements = field.elements().elements
        if let second = elements.indices.dropFirst().first(where: { isDisposition(elements[$0]) }) {
            field = field[..<elements[second - 1].endIndex]
        }
        var parameters: [String: String] = [:]
        while !field.isEmpty {
            // Skips the type, and text after a closing quote.
            _ = field.takeText(upTo: ";")
            parameters.merge(field.takeParameters()) { first, _ in first }
        }
        return parameters
    }

    /// Whether a part of a field starts with a type. Names may also have commas.
    private static func isDisposition(_ element: ArraySlice<UInt8>) -> Bool {
        var rest = element
        return ["attachment", "inline"].contains(rest.takeText(upTo: ";").lowercased())
    }

    /// Decodes `UTF-8'en'%e2%82%ac%20rates` (RFC 8187, section 3.2). Nil if it's malformed.
    private static func decoded(_ value: String) -> String? {
        let parts = value.utf8.split(
            separator: UInt8(ascii: "'"), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        let bytes = ServicePercentDecoding.decode(Array(parts[2])[...])
        switch String(parts[0])?.lowercased() {
        case "utf-8":
            let text = String(decoding: bytes, as: UTF8.self)
            return text.unicodeScalars.contains("\u{FFFD}") ? nil : text
        case "iso-8859-1":
            // Bytes that the charset doesn't have are probably UTF-8.
            guard !bytes.contains(where: { (0x80...0x9F).contains($0) }) else { return nil }
            var text = String.UnicodeScalarView()
            text.append(contentsOf: bytes.map { Unicode.Scalar($0) })
            return String(text)
        default: return nil
        }
    }

    /// Makes a name safe. Empty if nothing visible is left.
    private static func safe(_ name: String) -> String {
        var kept = String.UnicodeScalarView()
        for scalar in name.unicodeScalars {
            switch scalar.properties.generalCategory {
            case _ where scalar == "/" || scalar == "\\": kept.removeAll(keepingCapacity: true)
            case .control, .lineSeparator, .paragraphSeparator: break
            // Joiners are part of words and of emoji.
            case .format where scalar != "\u{200C}" && scalar != "\u{200D}": break
            default: kept.append(scalar)
            }
        }
        return trimmed(shortened(trimmed(kept), to: 255))
    }

    /// Removes dots and white space at both ends, and characters that are invisible at the start.
    private static func trimmed(_ name: String.UnicodeScalarView) -> String {
        func isBlank(_ scalar: Unicode.Scalar) -> Bool {
            scalar == "." || scalar.properties.isWhitespace
        }
        let start = name.drop { scalar in
            // A joiner or a variation selector is part of the character in front of it. U+2800 is an empty pattern
            // of Braille.
            isBlank(scalar) || scalar.properties.isDefaultIgnorableCodePoint || scalar == "\u{2800}"
        }
        let end = start.lastIndex { !isBlank($0) }.map(start.index(after:))
        return String(start[..<(end ?? start.startIndex)])
    }

    /// Cuts a name to this many bytes, before its extension if that is short.
    private static func shortened(_ name: String, to limit: Int) -> String.UnicodeScalarView {
        guard name.utf8.count > limit else { return name.unicodeScalars }
        let dot = name.unicodeScalars.lastIndex(of: ".") ?? name.endIndex
        let ending = name[dot...].utf8.count <= 32 ? name[dot...] : ""
        var start = Substring(name.unicodeScalars.prefix(limit))
        while start.utf8.count + ending.utf8.count > limit {
            start.unicodeScalars.removeLast()
        }
        return String(start + ending).unicodeScalars
    }
}
