// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

nonisolated extension ServiceRequest {
    /// The request as a curl command for a POSIX shell, with `***` in place of its secrets. See
    /// ``curl(redacted:)``.
    public var curl: String { curl(redacted: true) }

    /// The request as a command for a POSIX shell, and for curl 7.43 (2015) or newer.
    ///
    /// A body that can't be an argument (NUL, control characters, not UTF-8, over 100 KB) is piped from
    /// `printf`. A body that isn't in memory, or in which secrets can't be found, is replaced by a file name
    /// that says so.
    ///
    /// - Parameter isRedacted: If false, the text contains all secrets. Never log or send it.
    public func curl(redacted isRedacted: Bool) -> String {
        let fields = (urlRequest.allHTTPHeaderFields ?? [:]).sorted { $0.key < $1.key }
        let method = urlRequest.httpMethod ?? "GET"
        let url = urlRequest.url?.absoluteString ?? ""
        let redactor = ServiceRedactor(self)
        var words = ["curl"]
        if method == "HEAD" { words.append("--head") }
        if !["GET", "HEAD"].contains(method) { words += ["--request", method] }
        // curl takes these for patterns of several URLs.
        if url.contains(where: "[]{}".contains) { words.append("--globoff") }
        words += ["--url", isRedacted ? redactor.redacting(url) : url]
        // curl may take an invalid field for a file name, or for its own header.
        for (name, value) in fields where (try? Self.validate(header: name, value)) != nil {
            let shown = isRedacted ? redactor.redacting(value, ofHeader: name) : value
            words += ["--header", shown.isEmpty ? "\(name);" : "\(name): \(shown)"]
        }
        guard let body = urlRequest.httpBody, !body.isEmpty, upload == nil else {
            if upload != nil || urlRequest.httpBodyStream != nil {
                words += ["--data-binary", "@(a body that is not in memory)"]
            }
            return words.map(Self.quoted).joined(separator: " ")
        }
        let type = urlRequest.value(forHTTPHeaderField: "Content-Type")
        let text =
            isRedacted
            ? redactor.redacting(body, ofType: type) : String(utf8: body)
        var pipe = ""
        if let text, text.utf8.count < 100_000, Self.isPlain(text) {
            words += ["--data-raw", text]
        } else if isRedacted, text == nil {
            words += ["--data-binary", "@(\(body.count) bytes that are not shown)"]
        } else {
            pipe = "printf %b '"
            for byte in text.map({ Data($0.utf8) }) ?? body {
                pipe += "\\0" + String(byte, radix: 8)
            }
            pipe += "' | "
            words += ["--data-binary", "@-"]
        }
        return pipe + words.map(Self.quoted).joined(separator: " ")
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
        // By scalars, because a quote with an accent is a single `Character`.
        let text = word.unicodeScalars.map { $0 == "'" ? #"'\''"# : String($0) }.joined()
        return isSafe && !word.isEmpty ? word : "'\(text)'"
    }
}
