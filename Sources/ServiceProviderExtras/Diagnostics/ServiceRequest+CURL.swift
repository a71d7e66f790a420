// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

nonisolated extension ServiceRequest {
    /// The request as a command for a POSIX shell, and for curl 7.43 (2015) or newer, with `***` in place of its secrets.
    ///
    /// A body that can't be an argument (NUL, control characters, not UTF-8, over 100 KB) is piped from
    /// `printf`. A body that isn't in memory, or that `redacting(_:ofType:)` leaves out, is replaced by a file
    /// name that says so.
    ///
    /// - Parameter isRedacted: Default: true. If false, the text contains all secrets. Never log or send it.
    public func curl(isRedacted: Bool = true) -> String {
        let method = urlRequest.httpMethod ?? "GET"
        var url = urlRequest.url?.absoluteString ?? ""
        var fields = urlRequest.allHTTPHeaderFields ?? [:]
        if isRedacted {
            url = redacting(url: url)
            fields = fields.reduce(into: [:]) { $0[$1.key] = redacting($1.value, ofHeader: $1.key) }
        }
        var words = ["curl"]
        if method == "HEAD" {
            words.append("--head")
        }
        if !["GET", "HEAD"].contains(method) {
            words += ["--request", method]
        }
        // curl takes these for patterns of several URLs.
        if url.contains(where: "[]{}".contains) {
            words.append("--globoff")
        }
        words += ["--url", url]
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
            // curl may take an invalid field for a file name, or for its own header.
            guard (try? Self.validate(header: name, value: value)) != nil else { continue }
            words += ["--header", value.isEmpty ? "\(name);" : "\(name): \(value)"]
        }
        let body = curlBody(isRedacted: isRedacted)
        return body.pipe + (words + body.words).map(Self.quoted).joined(separator: " ")
    }

    /// The words for the body, and a command that prints the body.
    private func curlBody(isRedacted: Bool) -> (words: [String], pipe: String) {
        if upload != nil || urlRequest.httpBodyStream != nil {
            return (["--data-binary", "@(a body that is not in memory)"], "")
        }
        guard var body = urlRequest.httpBody, !body.isEmpty else { return ([], "") }
        if isRedacted {
            let type = urlRequest.value(forHTTPHeaderField: "Content-Type")
            guard let text = redacting(body, ofType: type) else {
                return (["--data-binary", "@(\(body.count) bytes that are not shown)"], "")
            }
            body = Data(text.utf8)
        }
        if body.count < 100_000, let text = String(utf8: body), Self.isPlain(text) {
            return (["--data-raw", text], "")
        }
        let octets = body.map { "\\0" + String($0, radix: 8) }
        return (["--data-binary", "@-"], "printf %b '\(octets.joined())' | ")
    }

    /// Whether a text has no control characters that a terminal would obey.
    private static func isPlain(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy {
            ![.control, .format].contains($0.properties.generalCategory)
                || "\t\n".unicodeScalars.contains($0)
        }
    }

    private static func quoted(_ word: String) -> String {
        let isSafe = word.utf8.allSatisfy {
            $0 > 0x2A && $0 < 0x3B || $0 > 0x3F && $0 < 0x5B || $0 > 0x60 && $0 < 0x7B
        }
        if isSafe, !word.isEmpty {
            return word
        }
        // By scalars, because a quote with an accent is a single `Character`.
        let parts = word.unicodeScalars.split(separator: "'", omittingEmptySubsequences: false)
        return "'" + parts.map { String($0) }.joined(separator: #"'\''"#) + "'"
    }
}
