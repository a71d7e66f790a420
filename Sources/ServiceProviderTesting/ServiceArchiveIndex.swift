// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// Finds the entries of an archive, so that they can be read one by one. An archive may be larger than memory.
nonisolated struct ServiceArchiveIndex {
    /// The place of each element of `log.entries`, with the spaces around it. The elements may be invalid.
    private(set) var entries: [Range<Int>] = []
    /// The archive without these elements. Whether it's JSON decides whether the archive is. It's cut off after 16 MB,
    /// because a large file that isn't an archive mustn't fill the memory.
    private(set) var rest: [UInt8] = []
    private static let maximumRest = 16 << 20

    private var depth = 0
    private var isInString = false
    private var isEscaped = false
    /// The last string, as it's written, if it may be the name of a member of the archive or of its log.
    private var string: [UInt8] = []
    /// The name of the member whose value follows.
    private var name: [UInt8] = []
    private var isInLog = false
    private var isInEntries = false
    /// Where the current entry starts.
    private var start = 0
    /// Whether the array of entries has had nothing but spaces.
    private var isEmpty = true

    init(_ source: ServiceArchiveSource) throws {
        try source.forEachPiece { piece, offset in
            piece.withUnsafeBytes { bytes in
                read(bytes, at: offset)
            }
        }
    }

    private mutating func read(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            let wasInEntries = isInEntries
            read(byte, at: offset + index)
            index += 1
            guard wasInEntries && isInEntries else {
                if rest.count < Self.maximumRest {
                    rest.append(byte)
                }
                continue
            }
            isEmpty = isEmpty && byte <= 0x20
            // Most bytes are in strings of entries.
            while isInString, !isEscaped, index < bytes.count, Self.isPlain(bytes[index]) {
                index += 1
            }
        }
    }

    /// Whether a byte is a part of a string's text: it doesn't end the string, and doesn't escape the next byte.
    private static func isPlain(_ byte: UInt8) -> Bool {
        byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    private mutating func read(_ byte: UInt8, at offset: Int) {
        guard !isInString else {
            readString(byte)
            return
        }
        switch byte {
        case UInt8(ascii: "\""):
            isInString = true
            string = []
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            enter(byte, at: offset)
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            leave(at: offset)
        case UInt8(ascii: ":") where depth <= 2:
            name = Self.unescaped(string)
        case UInt8(ascii: ",") where isInEntries && depth == 3:
            entries.append(start..<offset)
            start = offset + 1
            isEmpty = false
        default:
            break
        }
    }

    private mutating func readString(_ byte: UInt8) {
        // The longest form of a name has six bytes for each character.
        if depth <= 2, string.count <= 64 {
            string.append(byte)
        }
        if isEscaped {
            isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
            isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
            isInString = false
        }
    }

    private mutating func enter(_ bracket: UInt8, at offset: Int) {
        depth += 1
        let isObject = bracket == UInt8(ascii: "{")
        if depth == 2 {
            isInLog = isObject && name == Array("log".utf8)
        } else if depth == 3, isInLog, !isObject, name == Array("entries".utf8) {
            isInEntries = true
            isEmpty = true
            start = offset + 1
        }
    }

    private mutating func leave(at offset: Int) {
        if depth == 3, isInEntries {
            isInEntries = false
            if !isEmpty {
                entries.append(start..<offset)
            }
        }
        depth -= 1
    }

    /// The name of a member. `string` includes the quote at its end.
    private static func unescaped(_ string: [UInt8]) -> [UInt8] {
        guard string.contains(UInt8(ascii: "\\")) else { return string.dropLast() }
        let text = try? JSONDecoder().decode(String.self, from: Data("\"".utf8 + string))
        return Array((text ?? "").utf8)
    }
}
