// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

#if canImport(ServiceProvider)
import ServiceProvider
#endif

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

nonisolated extension ServiceRequest {
    /// The request as a command for a POSIX shell, with `***` in place of its secrets: safe to show, to
    /// paste and to run. See ``curl(redacted:)``.
    public var curl: String { curl(redacted: true) }

    /// The request as a command for a POSIX shell and any curl from 7.43 (2015) on.
    ///
    /// A body that a shell's argument cannot hold (NUL, control characters, no UTF-8, 100 KB) is piped
    /// from `printf`. In place of one whose secrets cannot be told, and of one that is not in memory,
    /// stands a file name that says so.
    ///
    /// - Parameter isRedacted: False shows each secret: such a text is as good as the password, so never
    ///   log or send it.
    public func curl(redacted isRedacted: Bool) -> String {
        let fields = (urlRequest.allHTTPHeaderFields ?? [:]).sorted { $0.key < $1.key }
        let method = urlRequest.httpMethod ?? "GET"
        let url = urlRequest.url?.absoluteString ?? ""
        var words = ["curl"]
        if method == "HEAD" { words.append("--head") }
        if !["GET", "HEAD"].contains(method) { words += ["--request", method] }
        // To curl, these are patterns of several URLs.
        if url.contains(where: "[]{}".contains) { words.append("--globoff") }
        words += ["--url", isRedacted ? redacting(url) : url]
        // What is no field, curl could take for the name of a file, or its own.
        for (name, value) in fields where (try? Self.validate(header: name, value)) != nil {
            let shown = isRedacted ? redacting(value, ofHeader: name) : value
            words += ["--header", shown.isEmpty ? "\(name);" : "\(name): \(shown)"]
        }
        var pipe = ""
        if upload != nil {
            words += ["--data-binary", "@(a body that is not in memory)"]
        } else if let body = urlRequest.httpBody, !body.isEmpty {
            let type = urlRequest.value(forHTTPHeaderField: "Content-Type")
            let text =
                isRedacted ? redacting(body, ofType: type) : String(data: body, encoding: .utf8)
            if let text, text.utf8.count < 100_000, Self.isPlain(text) {
                words += ["--data-raw", text]
            } else if isRedacted, text == nil {
                words += ["--data-binary", "@(\(body.count) bytes that are not shown)"]
            } else {
                let octal = (text.map { Data($0.utf8) } ?? body).map { String($0, radix: 8) }
                pipe = "printf %b '\(octal.map { "\\0" + $0 }.joined())' | "
                words += ["--data-binary", "@-"]
            }
        }
        return pipe + words.map(Self.quoted).joined(separator: " ")
    }

    /// Whether a text can be typed: a terminal would obey other control characters.
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
        // By scalars, since a quote and an accent are one `Character`.
        let text = word.unicodeScalars.map { $0 == "'" ? #"'\''"# : String($0) }.joined()
        return isSafe && !word.isEmpty ? word : "'\(text)'"
    }
}
