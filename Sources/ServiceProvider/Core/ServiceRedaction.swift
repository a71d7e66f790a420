// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// What logs, errors, recordings and cURL texts ask before they show anything of a call.
nonisolated extension ServiceRequest {
    /// Whether a header, query item, form field or JSON member of this name holds a secret: whether its
    /// letters end as such names do (`key` is how `X-Api-Key` and `apiKey` end), or its words as one of
    /// ``secretNames`` (`pin` is how `X-Pin` and `user[pin]` end, but not `spin`).
    public func isSecret(_ name: String) -> Bool {
        let letters = (name.removingPercentEncoding ?? name).lowercased().filter(\.isLetter)
        return ServiceSecrets.known.contains { letters.hasSuffix($0) }
            || secretNames.contains {
                let ending = "(?i)\(ServiceSecrets.words($0))[^A-Z]*$"
                return name.range(of: ending, options: .regularExpression) != nil
            }
    }

    /// A text of this call or of its answer, with `***` in place of each secret: user info in URLs, what
    /// has a secret name in a URL, a form or JSON (also nested, or cut off), and wherever else there is
    /// a value that is secret in this request, since servers repeat what they are sent.
    public func redacting(_ text: String) -> String {
        let secrets = secrets
        return secrets.reduce(ServiceSecrets(of: text, secretNames).shown) { text, secret in
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
        let body = String(decoding: (urlRequest.httpBody ?? Data()).prefix(65_536), as: UTF8.self)
        let named = [urlRequest.url?.absoluteString ?? "", body].flatMap {
            ServiceSecrets(of: $0, secretNames).values
        }
        // Containers are secret as a whole; servers repeat what is in them.
        let parts = named.flatMap { $0.split { "\\\",:[]{} ".contains($0) }.map(String.init) }
        let plain = (named + parts).flatMap { text in
            let string = try? JSONDecoder().decode(String.self, from: Data("\"\(text)\"".utf8))
            return [text.removingPercentEncoding, string].compactMap { $0 }
        }
        return Set(headers + named + parts + plain).filter { $0.count > 5 && !Self.isScheme($0) }
            .sorted { $0.count > $1.count }
    }
}

/// The secrets that a text of any kind gives away by itself.
private nonisolated struct ServiceSecrets {
    /// The text without them.
    private(set) var shown = ""
    private(set) var values: [String] = []

    init(of text: String, _ names: Set<String>) {
        let whole = text as NSString
        let range = NSRange(location: 0, length: whole.length)
        let pattern = names.isEmpty ? Self.knownPattern : try? Self.pattern(names)
        // Better nothing than a secret.
        guard let pattern else { return }
        var (matches, isComplete) = ([NSTextCheckingResult](), false)
        pattern.enumerateMatches(in: text, options: .reportCompletion, range: range) {
            match, flags, _ in
            if let match {
                matches.append(match)
            } else {
                isComplete = !flags.contains(.internalError)
            }
        }
        var end = 0
        for match in matches {
            for group in 1..<match.numberOfRanges where match.range(at: group).length > 0 {
                let value = match.range(at: group)
                shown += whole.substring(with: NSRange(end..<value.location))
                // A number has no quotes of its own, and JSON knows no stars.
                shown += group == match.numberOfRanges - 1 ? "\"***\"" : "***"
                values.append(whole.substring(with: value))
                end = value.upperBound
            }
        }
        // The search gives up, without a word, at values of about 100 KB.
        shown += isComplete ? whole.substring(from: end) : "***"
    }

    private static let knownPattern = try? pattern([])

    /// A pattern for a name that stands alone; for one without letters, none that there is.
    static func words(_ name: String) -> String {
        let letters = name.filter(\.isLetter)
        return letters.isEmpty ? "[^\\s\\S]" : #"(?<!\p{L})"# + spread(letters)
    }

    /// Punctuation may be between the letters of a name.
    private static func spread(_ name: String) -> String {
        name.map(String.init).joined(separator: "[-_.]?")
    }

    /// The letters that names of secrets end with.
    static let known = [
        "assertion", "auth", "authorization", "cookie", "credential", "credentials", "csrf", "dpop",
        "hash", "jwt", "key", "otp", "passphrase", "passwd", "password", "pwd", "secret", "session",
        "sessionid", "sid", "sig", "signature", "token", "xsrf",
    ]

    /// `//user:password@`; and after a secret's name `=value`, both escaped within another value,
    /// `": "text"`, also in a JSON string, and `": ` with another JSON value.
    private static func pattern(_ names: Set<String>) throws -> NSRegularExpression {
        let content = #"(?:[^"\\]++|\\.)*+"#
        let letters = known.map(spread) + names.map(words)
        let rest = #"(?:%(?!3D|22)[0-9A-F]{2}|[^A-Z=&?%"\\\s])*+"#
        let name = "(?:\(letters.joined(separator: "|")))" + rest
        // Five levels deep; beyond that, nothing is shown.
        let nested = (0..<5).reduce("[^\\s\\S]") { inner, _ in
            #"[\[{](?:[^\[\]{}"]++|"\#(content)"|\#(inner))*+[\]}]"#
        }
        let member = #"\\*"\s*+:\s*+(?:\\*"(\#(content))|(\#(nested)|[\[{].*|[^\s,}\]"\\]++))"#
        let escaped = #"(?:%3D|%22%3A(?:%20|\+)*+%22)((?:[^&%\s"<>]|%(?!2[26]))++)"#
        return try NSRegularExpression(
            pattern:
                #"(?is)//([^/?#\s"<>]*)@|\#(name)(?:=([^&\s"<>]++)|\#(escaped)|\#(member))"#
        )
    }
}
