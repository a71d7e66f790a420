// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)

/// Parses the status line and the headers of a response, line by line.
///
/// It is stricter than libcurl: it rejects a response whose length two parsers could read
/// differently (RFC 9112, section 6.3).
struct CurlHead: Sendable {
    /// The largest size of all headers in bytes. Those of informational responses count too.
    static let sizeLimit = 256 << 10
    static let lineLimit = 1_000

    private(set) var status = 0
    private(set) var length: Int64?
    private(set) var isChunked = false
    /// The values of `Content-Encoding`, separated by commas, in lower case.
    private(set) var codings: [UInt8] = []
    /// The lines of the fields, each with a line feed. Without a sink, the caller's thread, which is
    /// less busy, converts them to strings.
    private var fields: [UInt8] = []
    /// Whether the last field describes the body, such as its length or type.
    private var isFraming = false
    /// Whether the headers of a response have begun.
    private var isOpen = false
    /// Whether the empty line after the final response's headers has arrived.
    private(set) var isDone = false
    /// Whether HTTP/2 is allowed. Its status line has no reason phrase.
    private let allowsHTTP2: Bool
    private var size = 0
    private var typeSize = 0
    private var count = 0

    /// The error for a malformed response.
    static func fault(_ text: String) -> URLError {
        URLError(.badServerResponse, "The response isn't valid: \(text).")
    }

    init(allowsHTTP2: Bool) {
        self.allowsHTTP2 = allowsHTTP2
    }

    /// Reads one line, including its line break.
    mutating func read(_ line: UnsafeRawBufferPointer) throws {
        (size, count) = (size + line.count, count + 1)
        guard size <= Self.sizeLimit, count <= Self.lineLimit else {
            throw Self.fault("its headers are longer than 256 KB or 1,000 lines")
        }
        let bytes = line.bindMemory(to: UInt8.self)
        guard bytes.last == 0x0A else { throw Self.fault("a header line has no line break") }
        // Lines after the headers are trailers, which are ignored.
        guard !isDone else { return }
        var end = bytes.count
        while end > 0, bytes[end - 1] == 0x0A || bytes[end - 1] == 0x0D { end -= 1 }
        let text = Bytes(rebasing: bytes[..<end])
        if !isOpen, Self.starts(text, "HTTP/") { return try begin(text) }
        guard !text.isEmpty else {
            // An informational response is followed by another response.
            (isDone, isOpen) = (status >= 200, false)
            return
        }
        try add(text)
    }

    private mutating func begin(_ line: Bytes) throws {
        // "HTTP/1.1 200 OK". HTTP/2 has no minor version.
        let isKnown = Self.starts(line, "HTTP/1.") || allowsHTTP2 && Self.starts(line, "HTTP/2 ")
        let start = (line.firstIndex(of: 0x20) ?? line.count) + 1
        guard isKnown, line.count >= start + 3, line.count == start + 3 || line[start + 3] == 0x20,
            let code = Self.number(Bytes(rebasing: line[start..<start + 3])), code >= 100
        else { throw Self.fault("its first line isn't an HTTP/1 status line") }
        guard code != 101 else {
            throw Self.fault("it switches protocols (status 101), which wasn't requested")
        }
        (status, length, isChunked, isFraming, isOpen) = (Int(code), nil, false, false, true)
        codings.removeAll()
        fields.removeAll()
        // Enough for most responses.
        fields.reserveCapacity(1_024)
    }

    private mutating func add(_ line: Bytes) throws {
        guard !Self.has(0x0D, line), !Self.has(0x0A, line), !Self.has(0, line) else {
            throw Self.fault("a header field contains a control character")
        }
        if line[0] == 0x20 || line[0] == 0x09 {
            // A folded line (RFC 9112, section 5.2).
            guard fields.popLast() != nil, !isFraming else {
                throw Self.fault("a header line starts with a space or tab")
            }
            fields.append(0x20)
            fields.append(contentsOf: Self.trimmed(line, from: 0))
            fields.append(0x0A)
            return
        }
        var colon = 0
        while colon < line.count, Self.isToken(line[colon]) { colon += 1 }
        guard colon > 0, colon < line.count, line[colon] == 0x3A else {
            throw Self.fault("a header line has no valid name")
        }
        fields.append(contentsOf: line)
        fields.append(0x0A)
        // The shortest name below has 12 characters.
        isFraming = colon >= 12
        guard isFraming else { return }
        let name = Bytes(rebasing: line[..<colon])
        let value = Self.trimmed(line, from: colon + 1)
        if Self.equal(name, "content-length") {
            try readLength(value)
        } else if Self.equal(name, "transfer-encoding") {
            guard !isChunked, Self.equal(value, "chunked") else {
                throw Self.fault("'Transfer-Encoding' isn't 'chunked'")
            }
            isChunked = true
        } else if Self.equal(name, "content-encoding") {
            codings += value.map { Self.lower($0) } + [0x2C]
            // Combining marks take long to compare.
            guard codings.count <= 8_192 else {
                throw Self.fault("its content headers exceed 8 KB")
            }
        } else if Self.equal(name, "content-type") || Self.equal(name, "content-disposition") {
            // Foundation on Linux takes quadratic time to parse these.
            typeSize += value.count
            guard typeSize <= 8_192 else { throw Self.fault("its content headers exceed 8 KB") }
        } else {
            isFraming = false
        }
    }

    private mutating func readLength(_ value: Bytes) throws {
        var start = 0
        var end: Int
        repeat {
            end = value[start...].firstIndex(of: 0x2C) ?? value.count
            let number = Self.number(Self.trimmed(Bytes(rebasing: value[start..<end]), from: 0))
            guard let number, length == nil || length == number else {
                throw Self.fault("'Content-Length' isn't a number, or has two different values")
            }
            (length, start) = (number, end + 1)
        } while end < value.count
    }

    private typealias Bytes = UnsafeBufferPointer<UInt8>

    private static func has(_ byte: Int32, _ text: Bytes) -> Bool {
        text.baseAddress.map { memchr($0, byte, text.count) != nil } == true
    }

    private static func lower(_ byte: UInt8) -> UInt8 {
        byte >= 0x41 && byte <= 0x5A ? byte + 0x20 : byte
    }

    private static func starts(_ text: Bytes, _ word: StaticString) -> Bool {
        var index = 0
        let count = min(text.count, word.utf8CodeUnitCount)
        while index < count, text[index] == word.utf8Start[index] { index += 1 }
        return index == word.utf8CodeUnitCount
    }

    /// Compares case-insensitively.
    ///
    /// - Parameter word: A word in lower case.
    private static func equal(_ text: Bytes, _ word: StaticString) -> Bool {
        guard text.count == word.utf8CodeUnitCount else { return false }
        var index = 0
        while index < text.count, lower(text[index]) == word.utf8Start[index] { index += 1 }
        return index == text.count
    }

    /// Parses 1 to 18 digits, which always fit in an `Int64`. Nil for anything else, even a sign.
    private static func number(_ text: Bytes) -> Int64? {
        guard (1...18).contains(text.count) else { return nil }
        var number: Int64 = 0
        for byte in text {
            guard byte >= 0x30, byte <= 0x39 else { return nil }
            number = number * 10 + Int64(byte - 0x30)
        }
        return number
    }

    /// The rest of a text from an index, without the blanks around it.
    private static func trimmed(_ text: Bytes, from start: Int) -> Bytes {
        var (start, end) = (start, text.count)
        while start < end, text[start] == 0x20 || text[start] == 0x09 { start += 1 }
        while end > start, text[end - 1] == 0x20 || text[end - 1] == 0x09 { end -= 1 }
        return Bytes(rebasing: text[start..<end])
    }

    /// Whether a byte may occur in a token (RFC 9110, section 5.6.2).
    static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x5E...0x7A, 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x7C,
            0x7E:
            true
        default: false
        }
    }

    /// Returns the header fields. The values of fields with the same name, in any case, are joined
    /// by commas (RFC 9110, section 5.3).
    func headers() -> [String: String] {
        var (joined, names) = ([String: String](), [String: String]())
        for line in fields.split(separator: 0x0A) {
            let parts = line.split(separator: 0x3A, maxSplits: 1, omittingEmptySubsequences: false)
            let value = parts[1].withUnsafeBufferPointer { Self.text(Self.trimmed($0, from: 0)) }
            let name = String(decoding: parts[0], as: UTF8.self)
            let key = name.lowercased()
            if let known = names[key] {
                // Appended in place, so that a thousand fields with one name take linear time.
                joined[known, default: ""] += ", " + value
            } else {
                (names[key], joined[name]) = (name, value)
            }
        }
        return joined
    }

    /// Decodes UTF-8, or otherwise ISO-8859-1, which HTTP used to specify.
    private static func text(_ bytes: Bytes) -> String {
        String(validating: bytes, as: UTF8.self)
            ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }
}
#endif
