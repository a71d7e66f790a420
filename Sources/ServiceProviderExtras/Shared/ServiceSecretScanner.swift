// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if canImport(ServiceProvider)
import ServiceProvider
#endif

/// Finds `//user:password@`, `name=value` and `"name": value` in a text of any kind.
///
/// Takes linear time: it reads a byte once for each level of strings inside strings, up to eight levels.
nonisolated struct ServiceSecretScanner {
    private let bytes: [UInt8]
    private let isSecret: (String) -> Bool
    /// How many percent-encoded values this text is nested in.
    private let level: Int
    /// Whether a name is secret, for the names that came before.
    private var known: [String: Bool] = [:]
    /// The text without its secrets.
    private(set) var output: [UInt8] = []
    private var index = 0
    /// The start of the name before the next `=`.
    private var name = 0
    /// The end of the last value.
    private var pairEnd = 0
    /// Whether the next JSON value is a secret.
    private var isHiding = false
    /// The quote around JSON names: `"`, with backslashes before it inside a string.
    private var quote: [UInt8] = []
    /// The closing quotes of the open strings that are read as text, the innermost last.
    private var ends: [Int] = []
    /// How many JSON containers are open inside a secret one, itself included.
    private var depth = 0
    /// The secrets, in order.
    private(set) var secrets: [String] = []

    /// Reads a text in UTF-8.
    init(_ bytes: [UInt8], _ isSecret: @escaping (String) -> Bool, level: Int = 0) {
        (self.bytes, self.isSecret, self.level) = (bytes, isSecret, level)
        output.reserveCapacity(bytes.count)
        while index < bytes.count { step() }
    }

    private mutating func step() {
        let isHidden = isHiding || depth > 0
        switch UnicodeScalar(bytes[index]) {
        case "\"", "\\": return readString()
        case "=": return readPair()
        case "/" where !isHidden: return readUser()
        case "{" where isHidden, "[" where isHidden: (depth, isHiding) = (depth + 1, false)
        case "}" where isHidden, "]" where isHidden: (depth, isHiding) = (max(depth - 1, 0), false)
        case "," where isHidden: isHiding = false
        case "?" where !isHidden:
            copy(to: index + 1)
            name = index
            // A whole query may be percent-encoded.
            return readEscaped(to: valueEnd("?&=\"<> \r\n\t"))
        case ",", ":", " ", "\n", "\r", "\t", "&", "?", ";", "<", ">", "(", "'": name = index + 1
        case _ where isHidden:
            // Stars need quotes in JSON, and a number has none.
            return hide(to: end(",]} \r\n\t\\\""), as: quote + Array("***".utf8) + quote)
        default: break
        }
        copy(to: index + 1)
    }

    /// Reads a string, or a string inside a string, whose quotes are escaped.
    private mutating func readString() {
        let start = index
        while index < bytes.count, bytes[index] == UInt8(ascii: "\\") { copy(to: index + 1) }
        guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") else { return }
        let escapes = index - start
        guard escapes < 8 else { return hideDeepString() }
        while let last = ends.last, last < index { ends.removeLast() }
        let isKnownEnd = ends.last == index
        copy(to: index + 1)
        let next = bytes[index...].first { $0 > 0x20 }
        if isKnownEnd, next.map({ (escapes > 0 ? ",]}\\" : ",]}").utf8.contains($0) }) != false {
            // The string has ended, and everything in it too.
            (isHiding, depth, name) = (false, 0, index)
            return
        }
        // The closing quote has as many backslashes as the opening one, plus pairs for those of the string.
        var (close, run) = (index, 0)
        // A quote with fewer backslashes ends the outer string.
        while close < bytes.count,
            bytes[close] != UInt8(ascii: "\"")
                || run >= escapes && run % (2 * escapes + 2) != escapes
        {
            run = bytes[close] == UInt8(ascii: "\\") ? run + 1 : 0
            close += 1
        }
        let isWhole = close < bytes.count && run >= escapes
        let end = close < bytes.count ? close - min(run, escapes) : close
        if isWhole, bytes[(close + 1)...].first(where: { $0 > 0x20 }) == UInt8(ascii: ":") {
            isHiding = isNameOfSecret(text(to: end))
            quote = Array(bytes[start...(start + escapes)])
        } else if isHiding || depth > 0 {
            hide(to: end)
        } else {
            // Read the string as text. Its closing quote may turn out to open another string.
            if isWhole { ends.append(close) }
            return name = index
        }
        copy(to: isWhole ? close + 1 : end)
    }

    /// Hides a string that is nested in more than three others, because its secrets can't be found.
    private mutating func hideDeepString() {
        var (end, run) = (index + 1, 0)
        while end < bytes.count, bytes[end] != UInt8(ascii: "\"") || run >= 8 {
            run = bytes[end] == UInt8(ascii: "\\") ? run + 1 : 0
            end += 1
        }
        hide(to: end < bytes.count ? end - run : end)
    }

    private mutating func readPair() {
        let isNamed = isNameOfSecret(String(decoding: bytes[name..<index], as: UTF8.self))
        copy(to: index + 1)
        name = index
        let isNew = index >= pairEnd
        // A secret may contain a question mark. In other values, it starts a query.
        if isNew || isNamed { pairEnd = valueEnd(isNamed ? "&\"<> \r\n\t" : "?&\"<> \r\n\t") }
        if isNamed { return hide(to: pairEnd) }
        if isNew { readEscaped(to: pairEnd) }
    }

    /// Reads a percent-encoded value, which may be a URL, a form or JSON.
    private mutating func readEscaped(to end: Int) {
        let plain = ServicePercentDecoding.decode(bytes[index..<end])
        guard plain.count < end - index else { return }
        // Honest values aren't nested deeper.
        guard level < 4 else { return hide(to: end) }
        let inner = ServiceSecretScanner(plain, isSecret, level: level + 1)
        guard !inner.secrets.isEmpty else { return }
        let shown = String(decoding: inner.output, as: UTF8.self)
        output += ServicePercentDecoding.encode(shown).utf8
        secrets += inner.secrets
        index = end
    }

    private mutating func readUser() {
        copy(to: index + 1)
        guard index < bytes.count, bytes[index] == UInt8(ascii: "/") else { return }
        copy(to: index + 1)
        let authority = bytes[index..<end("/?#\"<> \r\n\t")]
        if let at = authority.lastIndex(of: UInt8(ascii: "@")) { hide(to: at) }
    }

    private mutating func hide(to end: Int, as stars: [UInt8] = Array("***".utf8)) {
        guard end > index else { return }
        secrets.append(text(to: end))
        output += stars
        (index, isHiding) = (end, false)
    }

    private mutating func copy(to end: Int) {
        output += bytes[index..<end]
        index = end
    }

    private func text(to end: Int) -> String { String(decoding: bytes[index..<end], as: UTF8.self) }

    /// The end of a value, before the first of these characters. Backslashes before a quote belong to it.
    private func valueEnd(_ stops: String) -> Int {
        var last = end(stops)
        while last > index, bytes[last - 1] == UInt8(ascii: "\\") { last -= 1 }
        return last
    }

    /// The place of the first of these characters, or the end of the text.
    private func end(_ stops: String) -> Int {
        bytes[index...].firstIndex { stops.utf8.contains($0) } ?? bytes.count
    }

    private mutating func isNameOfSecret(_ name: String) -> Bool {
        if let answer = known[name] { return answer }
        let answer = isSecret(name)
        known[name] = answer
        return answer
    }
}
