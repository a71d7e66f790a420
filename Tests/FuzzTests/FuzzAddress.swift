// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// Splits the bytes of a URL into parts by RFC 3986, appendix B, without validating them.
struct FuzzAddress {
    var scheme = ""
    var user: String?
    var host = ""
    var port: Int?
    /// Host and port.
    var place = ""
    var path = ""
    var query: String?

    init(_ text: String) {
        var rest = Array(text.utf8)[...]
        func take(upTo ends: String) -> String {
            let part = rest.prefix { !ends.utf8.contains($0) }
            rest = rest.dropFirst(part.count)
            return String(decoding: part, as: UTF8.self)
        }
        scheme = take(upTo: ":/?#").lowercased()
        if rest.first == UInt8(ascii: ":") { rest = rest.dropFirst() }
        if rest.starts(with: "//".utf8) {
            rest = rest.dropFirst(2)
            var authority = Array(take(upTo: "/?#").utf8)[...]
            if let at = authority.lastIndex(of: UInt8(ascii: "@")) {
                user = String(decoding: authority[..<at], as: UTF8.self)
                authority = authority[(at + 1)...]
            }
            place = String(decoding: authority, as: UTF8.self)
            let end = authority.lastIndex(of: UInt8(ascii: "]")) ?? authority.startIndex
            if let colon = authority.lastIndex(of: UInt8(ascii: ":")), colon >= end {
                port = Int(String(decoding: authority[(colon + 1)...], as: UTF8.self))
                authority = authority[..<colon]
            }
            host = String(decoding: authority, as: UTF8.self)
        }
        path = take(upTo: "?#")
        if rest.first == UInt8(ascii: "?") {
            rest = rest.dropFirst()
            query = take(upTo: "#")
        }
    }
}
