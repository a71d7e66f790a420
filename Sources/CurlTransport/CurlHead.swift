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
    private(set) var length: Int64?
    private(set) var isChunked = false
    /// The values of `Content-Encoding`, with commas between them; in lower case.
    private(set) var codings: [UInt8] = []
    /// The fields, each as "name:value" and a line feed. They are made texts of where somebody waits for
    /// them, which is a thread less busy than the loop's.
    private var fields: [UInt8] = []
    /// Whether the last one says how long the body is, or what it is.
    private var isFraming = false
    /// Whether the empty line came that ends a final head.
    private(set) var isDone = false
    /// Whether HTTP/2 may be spoken, which has no reason phrase and no framing in its head.
    private let allowsHTTP2: Bool
    private var size = 0
    private var typeSize = 0
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
        guard line.last == 0x0A else { throw Self.fault("a line of the head has no end") }
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
        (status, length, isChunked, isFraming) = (Int(code), nil, false, false)
        codings.removeAll()
        fields.removeAll(keepingCapacity: true)
    }

    private mutating func add(_ line: UnsafeRawBufferPointer) throws {
        guard !line.contains(where: { $0 == 0x0D || $0 == 0x0A || $0 == 0 }) else {
            throw Self.fault("a control character is in a header field")
        }
        if line[0] == 0x20 || line[0] == 0x09 {
            // A folded line (RFC 9112, section 5.2).
            guard fields.popLast() != nil, !isFraming else {
                throw Self.fault("a folded line has no header field before it, or one of framing")
            }
            fields.append(0x20)
            fields += Self.trimmed(line[...]) + [0x0A]
            return
        }
        guard let colon = line.firstIndex(of: 0x3A), colon > 0,
            line[..<colon].allSatisfy(Self.isToken)
        else { throw Self.fault("a header field has no name, or one that is no token") }
        let (name, value) = (line[..<colon], Self.trimmed(line[(colon + 1)...]))
        fields += line[...colon]
        fields += value
        fields.append(0x0A)
        isFraming = true
        if Self.equal(name, "content-length") {
            try readLength(value)
        } else if Self.equal(name, "transfer-encoding") {
            guard !isChunked, Self.equal(value, "chunked") else {
                throw Self.fault("'Transfer-Encoding' is not 'chunked'")
            }
            isChunked = true
        } else if Self.equal(name, "content-encoding") {
            codings += value.map { Self.lower($0) } + [0x2C]
        } else if Self.equal(name, "content-type") || Self.equal(name, "content-disposition") {
            // Foundation on Linux takes the square of its length to read one.
            typeSize += value.count
            guard typeSize <= 8_192 else { throw Self.fault("'Content-Type' is longer than 8 KB") }
        } else {
            isFraming = false
        }
    }

    private mutating func readLength(_ value: Slice<UnsafeRawBufferPointer>) throws {
        for part in value.split(separator: 0x2C, omittingEmptySubsequences: false) {
            let number = Self.number(Self.trimmed(part))
            guard let number, length == nil || length == number else {
                throw Self.fault("'Content-Length' is no number, or has two values")
            }
            length = number
        }
    }

    private static func lower(_ byte: UInt8) -> UInt8 {
        byte >= 0x41 && byte <= 0x5A ? byte + 0x20 : byte
    }

    /// - Parameter word: In lower case.
    private static func equal(_ text: Slice<UnsafeRawBufferPointer>, _ word: StaticString) -> Bool {
        guard text.count == word.utf8CodeUnitCount else { return false }
        return zip(text, UnsafeBufferPointer(start: word.utf8Start, count: text.count))
            .allSatisfy { lower($0) == $1 }
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
    static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x5E...0x7A, 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x7C,
            0x7E:
            true
        default: false
        }
    }

    /// The fields by their names: of those of one name, in any case, the values joined by commas
    /// (RFC 9110, section 5.3).
    func headers() -> [String: String] {
        var (joined, names) = ([String: String](), [String: String]())
        for line in fields.split(separator: 0x0A) {
            let parts = line.split(separator: 0x3A, maxSplits: 1, omittingEmptySubsequences: false)
            let (name, value) = (Self.text(parts[0]), Self.text(parts[1]))
            let key = name.lowercased()
            if let known = names[key] {
                // In place, so that a thousand lines of one name take linear time.
                joined[known, default: ""] += ", " + value
            } else {
                (names[key], joined[name]) = (name, value)
            }
        }
        return joined
    }

    /// In UTF-8, or else in ISO-8859-1, as HTTP once said.
    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        String(validating: bytes, as: UTF8.self)
            ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }
}
#endif
