// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

nonisolated extension ServiceResponse {
    /// The file name that the server suggests, made safe: 1 to 255 bytes of UTF-8, valid as a file
    /// name in any folder.
    ///
    /// It comes from `Content-Disposition` (RFC 6266): from `filename*` in UTF-8 or ISO-8859-1 (RFC
    /// 8187), or else from `filename`. Without one, it's the last part of the URL's path, or else
    /// `download`.
    ///
    /// Only the part after the last `/` or `\` counts. Control characters, invisible characters that
    /// change the direction of text, and dots and spaces at both ends are removed. Characters that
    /// Windows refuses become `_`, and `_` precedes the name of a Windows device. A long name is cut
    /// before its extension.
    public var suggestedFilename: String {
        var field = ArraySlice(field: header("Content-Disposition"))
        var names: [String: String] = [:]
        while !field.isEmpty {
            // Skips the type, and text after a closing quote.
            _ = field.takeText(upTo: ";")
            names.merge(field.takeParameters()) { first, _ in first }
        }
        let url = URLComponents(string: request.urlRequest.url?.absoluteString ?? "")
        let path = url?.percentEncodedPath.split(separator: "/").last ?? ""
        let suggestions = [
            names["filename*"].flatMap(Self.decoded), names["filename"],
            ServicePercentDecoding.decode(String(path)),
        ]
        for case let name? in suggestions {
            let safe = Self.safe(name)
            if !safe.isEmpty { return safe }
        }
        return "download"
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
            var text = String.UnicodeScalarView()
            for byte in bytes { text.append(Unicode.Scalar(byte)) }
            return String(text)
        default: return nil
        }
    }

    /// Makes a name safe. Empty if nothing is left.
    private static func safe(_ name: String) -> String {
        var kept = String.UnicodeScalarView()
        for scalar in name.unicodeScalars {
            switch scalar.properties.generalCategory {
            case _ where scalar == "/" || scalar == "\\": kept.removeAll(keepingCapacity: true)
            case .control, .lineSeparator, .paragraphSeparator: break
            // Joiners are part of words and of emoji.
            case .format where scalar != "\u{200C}" && scalar != "\u{200D}": break
            case _ where ":*?\"<>|".unicodeScalars.contains(scalar): kept.append("_")
            default: kept.append(scalar)
            }
        }
        let base = trimmed(shortened(trimmed(String(kept)), to: 254))
        let stem = String(base.unicodeScalars.prefix { $0 != "." })
        let device = stem.uppercased().filter { $0 != " " }
        let isPort =
            ["COM", "LPT"].contains(device.dropLast())
            && device.last.map("0123456789¹²³".contains) == true
        let isDevice = ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"].contains(device)
        return (isPort || isDevice ? "_" : "") + base
    }

    /// Removes dots and white space at both ends.
    private static func trimmed(_ name: String) -> String {
        name.trimmingCharacters(in: .whitespacesAndNewlines.union(CharacterSet(charactersIn: ".")))
    }

    /// Cuts a name to this many bytes, before its extension if that is short.
    private static func shortened(_ name: String, to limit: Int) -> String {
        guard name.utf8.count > limit else { return name }
        let dot = name.unicodeScalars.lastIndex(of: ".") ?? name.endIndex
        let ending = name[dot...].utf8.count <= 32 ? name[dot...] : ""
        var start = Substring(name.unicodeScalars.prefix(limit))
        while start.utf8.count + ending.utf8.count > limit { start.unicodeScalars.removeLast() }
        return String(start + ending)
    }
}
