// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

#if canImport(ServiceProvider)
import ServiceProvider
#endif

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
        var field = Array((header("Content-Disposition") ?? "").utf8)[...]
        var names: [String: String] = [:]
        _ = field.takeText(upTo: ";")
        while field.take(";") {
            let name = field.takeText(upTo: "=;").lowercased()
            let value = field.take("=") ? field.takeValue(upTo: ";") : ""
            // Skips text after a closing quote.
            _ = field.takeText(upTo: ";")
            let isName = name == "filename" || name == "filename*"
            if isName, names[name] == nil { names[name] = value }
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
        let base = trimmed(shortened(trimmed(kept[...]), to: 254)[...])
        let device = String(base.prefix { $0 != "." }).uppercased().filter { $0 != " " }
        let isPort =
            ["COM", "LPT"].contains(device.dropLast())
            && device.last.map("0123456789¹²³".contains) == true
        let isDevice = ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"].contains(device)
        return (isPort || isDevice ? "_" : "") + String(base)
    }

    /// Removes dots and white space at both ends.
    private static func trimmed(_ name: Substring.UnicodeScalarView) -> String.UnicodeScalarView {
        let isKept = { (scalar: Unicode.Scalar) in scalar != "." && !scalar.properties.isWhitespace
        }
        guard let start = name.firstIndex(where: isKept), let end = name.lastIndex(where: isKept)
        else { return .init() }
        return .init(name[start...end])
    }

    /// Cuts a name to this many bytes, before its extension if that is short.
    private static func shortened(
        _ name: String.UnicodeScalarView, to limit: Int
    ) -> String.UnicodeScalarView {
        let text = String(name)
        guard text.utf8.count > limit else { return name }
        let dot = name.lastIndex(of: ".") ?? name.endIndex
        let ending = text[dot...].utf8.count <= 32 ? name[dot...] : name[name.endIndex...]
        var (short, size) = (String.UnicodeScalarView(), String(Substring(ending)).utf8.count)
        for scalar in name {
            size += UTF8.width(scalar)
            if size > limit { break }
            short.append(scalar)
        }
        return short + ending
    }
}
