// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// A URL, or one that is relative to another URL (RFC 3986, section 4.1), in ASCII. Its percent-encoding stays as it is.
///
/// By hand, because versions of Foundation resolve references in different ways: before iOS 17 and macOS 14, `//` is the
/// URL itself, for example, and `../` above the root stays.
nonisolated struct ServiceURLReference {
    /// Without its colon.
    private var scheme: Substring?
    /// User info, host and port, without the slashes in front.
    private var authority: Substring?
    private var path: Substring
    /// Without its question mark.
    private var query: Substring?
    /// Without its number sign.
    private var fragment: Substring?

    /// Nil if a colon follows something that can't be a scheme.
    init?(_ text: String) {
        var rest = text[...]
        if let colon = rest.utf8.firstIndex(where: { ":/?#".utf8.contains($0) }),
            rest.utf8[colon] == UInt8(ascii: ":")
        {
            guard Self.isScheme(rest[..<colon]) else { return nil }
            scheme = rest[..<colon]
            rest = rest[rest.utf8.index(after: colon)...]
        }
        fragment = Self.cut(&rest, at: "#")
        query = Self.cut(&rest, at: "?")
        if rest.utf8.starts(with: "//".utf8) {
            rest = rest.dropFirst(2)
            let end = rest.utf8.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
            authority = rest[..<end]
            rest = rest[end...]
        }
        path = rest
    }

    /// The URL that the reference means in a base URL (RFC 3986, section 5.2.2).
    func resolved(in base: ServiceURLReference) -> String {
        var target = self
        if scheme == nil {
            target.scheme = base.scheme
            if authority == nil {
                target.authority = base.authority
                if path.isEmpty {
                    target.path = base.path
                    target.query = query ?? base.query
                } else {
                    target.path = base.merged(with: path)
                }
            }
        }
        return target.withoutDotSegments.text
    }

    /// The path of a reference in this URL (RFC 3986, section 5.2.3).
    private func merged(with reference: Substring) -> Substring {
        guard reference.utf8.first != UInt8(ascii: "/") else { return reference }
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "/" + reference }
        return path[...slash] + reference
    }

    /// RFC 3986, section 5.2.4. The first segment of an absolute path is empty, and stays.
    private var withoutDotSegments: ServiceURLReference {
        guard path.utf8.first == UInt8(ascii: "/") else { return self }
        let all = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        var kept: [Substring] = []
        for segment in all.map(Substring.init) {
            switch segment {
            case ".": break
            case "..": if kept.count > 1 { kept.removeLast() }
            default: kept.append(segment)
            }
        }
        let isFolder = all.last.map(Substring.init).map { $0 == "." || $0 == ".." } ?? false
        if isFolder { kept.append("") }
        var reference = self
        reference.path = kept.joined(separator: "/")[...]
        return reference
    }

    private var text: String {
        var text = scheme.map { "\($0):" } ?? ""
        if let authority { text += "//\(authority)" }
        text += path
        if let query { text += "?\(query)" }
        if let fragment { text += "#\(fragment)" }
        return text
    }

    /// Removes a character and the text after it, and returns that text. Nil if the character isn't there.
    private static func cut(_ text: inout Substring, at character: Unicode.Scalar) -> Substring? {
        guard let index = text.utf8.firstIndex(of: UInt8(ascii: character)) else { return nil }
        let part = text[text.utf8.index(after: index)...]
        text = text[..<index]
        return part
    }

    /// RFC 3986, section 3.1.
    private static func isScheme(_ text: Substring) -> Bool {
        let name = text.lowercased().utf8
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        guard let first = name.first, letters.contains(first) else { return false }
        return name.allSatisfy { letters.contains($0) || "0123456789+-.".utf8.contains($0) }
    }
}
