// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import Foundation
import FoundationNetworking

/// The head of an answer, read line by line and more strictly than libcurl does: what two readers could
/// take for answers of different lengths is refused (RFC 9112, section 6.3).
struct CurlHead: Sendable {
    /// How large it may be, of all heads of an exchange together.
    static let sizeLimit = 256 << 10
    static let lineLimit = 1_000

    private(set) var status = 0
    /// By names as they came first, in the order of the answer.
    private(set) var fields: [(name: String, value: String)] = []
    private(set) var length: Int64?
    private(set) var isChunked = false
    /// Whether the empty line came that ends a final head.
    private(set) var isDone = false
    /// Whether HTTP/2 may be spoken, which has no reason phrase and no framing in its head.
    private let allowsHTTP2: Bool
    private var size = 0
    private var count = 0

    /// What is wrong with an answer.
    static func fault(_ text: String) -> URLError {
        URLError(.badServerResponse, "The answer is not valid: \(text).")
    }

    init(allowsHTTP2: Bool) {
        self.allowsHTTP2 = allowsHTTP2
    }

    /// Reads a line, with its end.
    mutating func read(_ line: UnsafeRawBufferPointer) throws {
        (size, count) = (size + line.count, count + 1)
        guard size <= Self.sizeLimit, count <= Self.lineLimit else {
            throw Self.fault("the head is longer than 256 KB or 1,000 lines")
        }
        // After the head come trailers, which change nothing.
        guard !isDone else { return }
        var end = line.count
        while end > 0, line[end - 1] == 0x0A || line[end - 1] == 0x0D { end -= 1 }
        let text = UnsafeRawBufferPointer(rebasing: line[..<end])
        if text.starts(with: "HTTP/".utf8) { return try begin(text) }
        guard !text.isEmpty else {
            // An informational one is followed by another.
            isDone = status >= 200
            return
        }
        try add(text)
    }

    private mutating func begin(_ line: UnsafeRawBufferPointer) throws {
        let words = line.split(separator: 0x20, maxSplits: 2, omittingEmptySubsequences: false)
        let isKnown =
            words[0].starts(with: "HTTP/1.".utf8)
            || allowsHTTP2 && words[0].elementsEqual("HTTP/2".utf8)
        guard isKnown, words.count > 1, words[1].count == 3, let code = Self.number(words[1]),
            code >= 100
        else { throw Self.fault("its first line is no status line of HTTP/1") }
        guard code != 101 else {
            throw Self.fault("it changes to another protocol, which was not asked for")
        }
        (status, fields, length, isChunked) = (Int(code), [], nil, false)
    }

    private mutating func add(_ line: UnsafeRawBufferPointer) throws {
        if line[0] == 0x20 || line[0] == 0x09 {
            // A folded line (RFC 9112, section 5.2).
            guard !fields.isEmpty else { throw Self.fault("the first header field has no name") }
            fields[fields.count - 1].value += " " + Self.text(Self.trimmed(line[...]))
            return
        }
        guard let colon = line.firstIndex(of: 0x3A), colon > 0,
            line[..<colon].allSatisfy(Self.isToken)
        else { throw Self.fault("a header field has no name, or one that is no token") }
        let bytes = Self.trimmed(line[(colon + 1)...])
        guard !bytes.contains(0x0D), !bytes.contains(0) else {
            throw Self.fault("a control character is in a header field")
        }
        let (name, value) = (Self.text(line[..<colon]), Self.text(bytes))
        fields.append((name, value))
        guard name.utf8.count == 14 || name.utf8.count == 17 else { return }
        switch name.lowercased() {
        case "content-length":
            for part in bytes.split(separator: 0x2C, omittingEmptySubsequences: false) {
                let number = Self.number(Self.trimmed(part))
                guard let number, length == nil || length == number else {
                    throw Self.fault("'Content-Length' is no number, or has two values")
                }
                length = number
            }
        case "transfer-encoding":
            guard !isChunked, value.lowercased() == "chunked" else {
                throw Self.fault("'Transfer-Encoding' is not 'chunked'")
            }
            isChunked = true
        default: break
        }
    }

    /// Digits alone, 18 at most: all that a length can have.
    private static func number(_ text: Slice<UnsafeRawBufferPointer>) -> Int64? {
        guard (1...18).contains(text.count), text.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 })
        else { return nil }
        return text.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }

    private static func trimmed(
        _ text: Slice<UnsafeRawBufferPointer>
    ) -> Slice<UnsafeRawBufferPointer> {
        var text = text
        while let first = text.first, first == 0x20 || first == 0x09 { text.removeFirst() }
        while let last = text.last, last == 0x20 || last == 0x09 { text.removeLast() }
        return text
    }

    /// RFC 9110, section 5.6.2.
    private static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x5E...0x7A, 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x7C,
            0x7E:
            true
        default: false
        }
    }

    /// In UTF-8, or else in ISO-8859-1, as HTTP once said.
    private static func text(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
        String(validating: bytes, as: UTF8.self)
            ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    /// The value of a field, its name in any case: of several, joined by commas (RFC 9110, section 5.3).
    func value(_ name: String) -> String? {
        let values = fields.filter { $0.name.lowercased() == name }.map(\.value)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    /// The response as Foundation has it.
    func http(for url: URL) -> HTTPURLResponse? {
        var (joined, names): ([String: String], [String: String]) = ([:], [:])
        for (name, value) in fields {
            let known = names[name.lowercased()] ?? name
            names[name.lowercased()] = known
            joined[known] = joined[known].map { $0 + ", " + value } ?? value
        }
        return HTTPURLResponse(
            url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: joined)
    }
}
#endif
