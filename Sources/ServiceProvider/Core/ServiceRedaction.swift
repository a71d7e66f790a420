// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// What logs, errors, recordings and cURL texts ask before they show anything of a call.
nonisolated extension ServiceRequest {
    /// Whether a header, query item, form field or JSON member of this name holds a secret: whether its
    /// letters end as such names do (`key` is how `X-Api-Key` and `apiKey` end), or its words as one of
    /// ``secretNames`` (`pin` is how `X-Pin` and `user[pin]` end, but not `spin`). So does all that is
    /// within one: `token[value]`.
    public func isSecret(_ name: String) -> Bool {
        let name = name.removingPercentEncoding ?? name
        let groups = name.unicodeScalars.split(separator: "[").dropLast().map { String($0) }
        let isKnown = ([name] + groups).contains { name in
            let letters = name.lowercased().filter(\.isLetter)
            return Self.secretEndings.contains { letters.hasSuffix($0) }
        }
        return isKnown
            || secretNames.contains { own in
                // Punctuation may be between its letters, and no letter before them.
                let own = own.filter(\.isLetter).map(String.init).joined(separator: "[-_.]?")
                let ending = #"(?i)(?<!\p{L})"# + own + #"\P{L}*(?:$|\[)"#
                return !own.isEmpty && name.range(of: ending, options: .regularExpression) != nil
            }
    }

    private static let secretEndings = [
        "assertion", "auth", "authorization", "cookie", "credential", "credentials", "csrf", "dpop",
        "hash", "jwt", "key", "otp", "passphrase", "passwd", "password", "pwd", "secret", "session",
        "sessionid", "sid", "sig", "signature", "token", "xsrf",
    ]

    /// A text of this call or of its answer, with `***` in place of each secret: user info in URLs, what
    /// has a secret name in a URL, a form or JSON (also nested, or cut off), and wherever else there is
    /// a value that is secret in this request, since servers repeat what they are sent.
    public func redacting(_ text: String) -> String {
        let secrets = secrets
        return secrets.reduce(ServiceSecretScanner(text, isSecret).shown) { text, secret in
            // Literally: with an accent behind it, its last letter would be another `Character`.
            text.replacingOccurrences(of: secret, with: "***", options: .literal)
        }
    }

    /// The value of a header field of this call or of its answer, without its secrets. Of credentials,
    /// the scheme stays: `Bearer ***`.
    public func redacting(_ value: String, ofHeader name: String) -> String {
        guard isSecret(name) else { return redacting(value) }
        let scheme = String(value.prefix { $0 != " " })
        return Self.isScheme(scheme) ? scheme + " ***" : "***"
    }

    private static func isScheme(_ word: String) -> Bool {
        ["basic", "bearer", "digest", "dpop"].contains(word.lowercased())
    }

    /// A body of this call or of its answer as text, without its secrets; nil unless it is JSON, a form or
    /// other text in UTF-8 or ISO-8859-1: of XML and of forms in parts, nobody could tell them.
    public func redacting(_ body: Data, ofType type: String?) -> String? {
        let type = type?.lowercased() ?? ""
        let isText = type.range(of: "^text/(?!xml)|json|urlencoded", options: .regularExpression)
        let isLatin = type.range(of: #"iso-8859-1\b"#, options: .regularExpression) != nil
        guard isText != nil, let text = String(data: body, encoding: isLatin ? .isoLatin1 : .utf8)
        else { return nil }
        return text.contains("\0") ? nil : redacting(text)
    }

    /// The values that are secret here, the longest first, since one may be the begin of another. Those
    /// of a few letters are left out: they stand in every text.
    private var secrets: [String] {
        let headers = (urlRequest.allHTTPHeaderFields ?? [:]).filter { isSecret($0.key) }
            .flatMap { [$0.value] + $0.value.split { " =;,".contains($0) }.map(String.init) }
        // Of Basic credentials, servers know the plain text.
        let basic = headers.compactMap { Data(base64Encoded: $0) }
            .map { String(decoding: $0, as: UTF8.self) }
        let body = String(decoding: (urlRequest.httpBody ?? Data()).prefix(65_536), as: UTF8.self)
        let named = [urlRequest.url?.absoluteString ?? "", body].flatMap {
            ServiceSecretScanner($0, isSecret).secrets
        }
        let plain = named.flatMap { text in
            let string = try? JSONDecoder().decode(String.self, from: Data("\"\(text)\"".utf8))
            return [text.removingPercentEncoding, string].compactMap { $0 }
        }
        let user = (named + basic).flatMap { $0.split(separator: ":").map(String.init) }
        return Set(headers + named + user + plain).filter { $0.count > 5 && !Self.isScheme($0) }
            .sorted { $0.count > $1.count }
    }
}

/// Reads a text of any kind, in one pass, for `//user:password@`, `name=value` and `"name": value`.
private nonisolated struct ServiceSecretScanner {
    private let bytes: [UInt8]
    private let isSecret: (String) -> Bool
    /// In how many values of others, escaped each time, the text stands.
    private let level: Int
    /// Names come again and again.
    private var known: [String: Bool] = [:]
    private var output: [UInt8] = []
    private var index = 0
    /// Where the name begins that an `=` may follow.
    private var name = 0
    /// Where the value ends that was read last.
    private var pairEnd = 0
    /// Whether the JSON value that comes next is a secret.
    private var isHiding = false
    /// The quote of the names of JSON: `"`, or with backslashes in a string.
    private var quote: [UInt8] = []
    /// The quotes at which strings end that are read as text, the innermost last.
    private var ends: [Int] = []
    /// How many JSON containers are open since one that is a secret.
    private var depth = 0
    private(set) var secrets: [String] = []

    /// The text without its secrets.
    var shown: String { String(decoding: output, as: UTF8.self) }

    init(_ text: String, _ isSecret: @escaping (String) -> Bool, level: Int = 0) {
        (bytes, self.isSecret, self.level) = (Array(text.utf8), isSecret, level)
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
            // A query may be escaped as a whole.
            return readEscaped(to: valueEnd("?&=\"<> \r\n\t"))
        case ",", ":", " ", "\n", "\r", "\t", "&", "?", ";", "<", ">", "(", "'": name = index + 1
        case _ where isHidden:
            // A number has no quotes of its own, and JSON knows no stars.
            return hide(to: end(",]} \r\n\t\\\""), as: quote + Array("***".utf8) + quote)
        default: break
        }
        copy(to: index + 1)
    }

    /// A string; also one in a string, whose quotes are escaped.
    private mutating func readString() {
        let start = index
        while index < bytes.count, bytes[index] == UInt8(ascii: "\\") { copy(to: index + 1) }
        guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") else { return }
        let escapes = index - start
        while let last = ends.last, last < index { ends.removeLast() }
        let isKnownEnd = ends.last == index
        copy(to: index + 1)
        let next = bytes[index...].first { $0 > 0x20 }
        if isKnownEnd, next.map({ (escapes > 0 ? ",]}\\" : ",]}").utf8.contains($0) }) != false {
            // What began in the string has ended with it.
            (isHiding, depth, name) = (false, 0, index)
            return
        }
        // The quote that ends it has as many backslashes before it; the string's own come in pairs more.
        var (close, run) = (index, 0)
        // One that has fewer ends the text that this is in.
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
            // What is in it is read as text, and its end as the begin of another, should it be that.
            if isWhole { ends.append(close) }
            return name = index
        }
        copy(to: isWhole ? close + 1 : end)
    }

    private mutating func readPair() {
        let isNamed = isNameOfSecret(String(decoding: bytes[name..<index], as: UTF8.self))
        copy(to: index + 1)
        name = index
        let isNew = index >= pairEnd
        // A secret may have a question mark; after any other, a query begins.
        if isNew || isNamed { pairEnd = valueEnd(isNamed ? "&\"<> \r\n\t" : "?&\"<> \r\n\t") }
        if isNamed { return hide(to: pairEnd) }
        if isNew { readEscaped(to: pairEnd) }
    }

    /// What is percent-encoded may be a URL, a form or JSON too.
    private mutating func readEscaped(to end: Int) {
        guard let plain = text(to: end).removingPercentEncoding, plain.utf8.count < end - index
        else { return }
        // Nobody packs values into values for ever.
        guard level < 4 else { return hide(to: end) }
        let inner = ServiceSecretScanner(plain, isSecret, level: level + 1)
        guard !inner.secrets.isEmpty else { return }
        output += ServicePercentEncoding.encode(inner.shown, keeping: "*").utf8
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

    /// Where a value ends that these characters may follow. Backslashes before a quote are the quote's.
    private func valueEnd(_ stops: String) -> Int {
        var last = end(stops)
        while last > index, bytes[last - 1] == UInt8(ascii: "\\") { last -= 1 }
        return last
    }

    /// Where the first of these characters comes, or else the text ends.
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
