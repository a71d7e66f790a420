// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)

/// Parses the status line and the headers of a response, line by line.
///
/// It is stricter than libcurl: it rejects a response if two parsers could read different lengths
/// (RFC 9112, section 6.3).
struct CurlHead: Sendable {
    /// The largest size of all headers in bytes. Those of informational responses count too.
    static let sizeLimit = 256 << 10
    static let lineLimit = 1_000

    private(set) var status = 0
    /// Whether the connection is one of HTTP/2 or later.
    private(set) var isMultiplexed = false
    private(set) var length: Int64?
    private(set) var isChunked = false
    /// The values of `Content-Encoding`, each followed by a comma.
    private(set) var codings: [UInt8] = []
    /// The lines of the fields, each with a line feed. Without a sink, the caller's thread, which is
    /// less busy, converts them to strings.
    private var fields: [UInt8] = []
    /// Whether the headers of a response have begun.
    private var isOpen = false
    /// The meaning of the last field. Nil if the next line can't continue it.
    private var lastKind: Kind?
    /// Whether the empty line after the final response's headers has arrived.
    private(set) var isDone = false
    /// The newest version of HTTP that the request allows.
    private let version: CurlHTTPVersion
    private var size = 0
    private var contentSize = 0
    private var count = 0

    private enum Kind {
        /// It says where the body ends.
        case length
        case transferCoding
        case contentCoding
        /// Foundation on Linux takes quadratic time to parse it.
        case slow
        case other
    }

    /// The error for a malformed response.
    static func fault(_ text: String) -> URLError {
        URLError(.badServerResponse, "The response isn't valid: \(text).")
    }

    init(_ version: CurlHTTPVersion) {
        self.version = version
    }

    /// Reads one line, including its line break. Returns whether it completes the headers of the final response.
    mutating func read(_ line: UnsafeRawBufferPointer) throws -> Bool {
        size += line.count
        count += 1
        guard size <= Self.sizeLimit, count <= Self.lineLimit else {
            throw Self.fault("its headers are longer than 256 KB or 1,000 lines")
        }
        let bytes = line.bindMemory(to: UInt8.self)
        guard bytes.last == 0x0A else {
            throw Self.fault("a header line has no line break")
        }
        // Lines after the headers are trailers, which are ignored.
        guard !isDone else { return false }
        let last = bytes.lastIndex { $0 != 0x0A && $0 != 0x0D } ?? -1
        let text = Bytes(rebasing: bytes[..<(last + 1)])
        if !isOpen, Self.starts(text, "HTTP/") {
            try begin(text)
        } else if text.isEmpty {
            // An informational response is followed by another response.
            isDone = status >= 200
            isOpen = false
            lastKind = nil
            return isDone
        } else if Self.isBlank(text[0]) {
            try fold(text)
        } else {
            try add(text)
        }
        return false
    }

    private mutating func begin(_ line: Bytes) throws {
        isMultiplexed = !Self.starts(line, "HTTP/1.")
        guard !isMultiplexed || Self.starts(line, version.statusLine), let code = Self.status(line)
        else {
            throw Self.fault("its first line isn't an HTTP/1 status line")
        }
        guard code != 101 else {
            throw Self.fault("it switches protocols (status 101), which wasn't requested")
        }
        status = code
        length = nil
        isChunked = false
        isOpen = true
        lastKind = nil
        codings.removeAll()
        fields.removeAll()
        // Enough for most responses.
        fields.reserveCapacity(1_024)
    }

    /// Reads the status of "HTTP/1.1 200 OK" or "HTTP/2 200".
    private static func status(_ line: Bytes) -> Int? {
        let rest = line.drop { $0 != 0x20 }.dropFirst()
        let text = rest.prefix(3)
        let isAlone = (rest.dropFirst(3).first ?? 0x20) == 0x20
        guard isAlone, text.count == 3, let code = number(Bytes(rebasing: text)) else { return nil }
        return code >= 100 ? Int(code) : nil
    }

    private mutating func add(_ line: Bytes) throws {
        try Self.checkControls(line)
        let colon = line.firstIndex { !Self.isToken($0) } ?? 0
        guard colon > 0, line[colon] == 0x3A else {
            throw Self.fault("a header line has no valid name")
        }
        fields.append(contentsOf: line)
        fields.append(0x0A)
        let kind = Self.kind(Bytes(rebasing: line[..<colon]))
        lastKind = kind
        if kind != .other {
            try frame(kind, Self.trimmed(line[(colon + 1)...]))
        }
    }

    /// Continues the last field. Its line break becomes a blank (RFC 9112, section 5.2). New versions of libcurl do
    /// this themselves.
    private mutating func fold(_ line: Bytes) throws {
        try Self.checkControls(line)
        switch lastKind {
        case nil: throw Self.fault("a header line has no valid name")
        // Two parsers could read these differently.
        case .length, .transferCoding, .contentCoding:
            throw Self.fault("a field that describes the body has several lines")
        case .slow: try count(contentSize: line.count)
        case .other: break
        }
        // In place of the line feed.
        fields[fields.endIndex - 1] = 0x20
        fields.append(contentsOf: Self.trimmed(line[...]))
        fields.append(0x0A)
    }

    private static func checkControls(_ line: Bytes) throws {
        let hasControl = has(0x0D, line) || has(0x0A, line) || has(0, line)
        guard !hasControl else {
            throw fault("a header field contains a control character")
        }
    }

    private static func kind(_ name: Bytes) -> Kind {
        // The shortest of these names has 12 characters.
        guard name.count >= 12 else { return .other }
        if equal(name, "content-length") { return .length }
        if equal(name, "transfer-encoding") { return .transferCoding }
        if equal(name, "content-encoding") { return .contentCoding }
        let isSlow = equal(name, "content-type") || equal(name, "content-disposition")
        return isSlow ? .slow : .other
    }

    /// Reads the value of a field that describes the body.
    private mutating func frame(_ kind: Kind, _ value: Bytes) throws {
        switch kind {
        case .length: try readLength(value)
        case .transferCoding:
            guard !isChunked, Self.equal(value, "chunked") else {
                throw Self.fault("'Transfer-Encoding' isn't 'chunked'")
            }
            isChunked = true
        case .contentCoding:
            codings.append(contentsOf: value)
            codings.append(0x2C)
            // Combining marks take long to compare.
            try count(contentSize: value.count)
        case .slow: try count(contentSize: value.count)
        case .other: break
        }
    }

    private mutating func count(contentSize count: Int) throws {
        contentSize += count
        guard contentSize <= 8_192 else {
            throw Self.fault("its content headers exceed 8 KB")
        }
    }

    private mutating func readLength(_ value: Bytes) throws {
        guard let number = Self.number(value), number == length ?? number else {
            throw Self.fault("'Content-Length' isn't a number, or has two different values")
        }
        length = number
    }

    private typealias Bytes = UnsafeBufferPointer<UInt8>

    private static func has(_ byte: Int32, _ text: Bytes) -> Bool {
        text.baseAddress.map { memchr($0, byte, text.count) != nil } == true
    }

    private static func bytes(_ word: StaticString) -> Bytes {
        Bytes(start: word.utf8Start, count: word.utf8CodeUnitCount)
    }

    private static func starts(_ text: Bytes, _ word: StaticString) -> Bool {
        text.starts(with: bytes(word))
    }

    /// Compares case-insensitively with a word of lower-case letters and hyphens. The text has no
    /// carriage return, which the comparison takes for a hyphen.
    private static func equal(_ text: Bytes, _ word: StaticString) -> Bool {
        text.elementsEqual(bytes(word)) { $0 | 0x20 == $1 }
    }

    /// Parses 1 to 18 digits, which always fit in an `Int64`. Nil for anything else, even a sign.
    private static func number(_ text: Bytes) -> Int64? {
        let isNumber = (1...18).contains(text.count) && text.allSatisfy { 0x30...0x39 ~= $0 }
        return isNumber ? text.reduce(0) { $0 * 10 + Int64($1 - 0x30) } : nil
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    /// Removes the blanks around a text.
    private static func trimmed(_ text: Slice<Bytes>) -> Bytes {
        let rest = text.drop { isBlank($0) }
        let last = rest.lastIndex { !isBlank($0) } ?? rest.startIndex - 1
        return Bytes(rebasing: rest[..<(last + 1)])
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
        var joined: [String: String] = [:]
        var names: [String: String] = [:]
        for line in fields.split(separator: 0x0A) {
            let parts = line.split(separator: 0x3A, maxSplits: 1, omittingEmptySubsequences: false)
            let value = parts[1].withUnsafeBufferPointer { Self.text(Self.trimmed($0[...])) }
            let name = String(decoding: parts[0], as: UTF8.self)
            let key = name.lowercased()
            if let known = names[key] {
                // Appended in place, so that a thousand fields with one name take linear time.
                joined[known, default: ""] += ", " + value
            } else {
                names[key] = name
                joined[name] = value
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
