// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)

/// Follows a chunked body (RFC 9112, section 7.1) by its bytes on the wire.
///
/// libcurl decodes the chunks. This says what libcurl doesn't: whether the last chunk has arrived, with its trailer, and
/// whether bytes follow it.
struct CurlChunks {
    private enum Position {
        /// In the hexadecimal size of a chunk.
        case size(Int64)
        /// Behind the size, in the rest of its line.
        case sizeLine(Int64)
        /// In the data of a chunk. This many of its bytes are left.
        case data(Int64)
        /// Behind the data, before the line break.
        case dataEnd
        /// In a line of the trailer, which is empty so far or not.
        case trailer(isEmpty: Bool)
        case end
    }

    private var position = Position.size(0)
    /// Whether bytes follow the body.
    private(set) var hasExcess = false

    /// Whether the last chunk and its trailer have arrived.
    var isComplete: Bool {
        if case .end = position { true } else { false }
    }

    mutating func read(_ bytes: UnsafeRawBufferPointer) {
        var index = bytes.startIndex
        while index < bytes.endIndex {
            if case .sizeLine = position {
                index = Self.indexOfLineFeed(in: bytes, from: index)
                guard index < bytes.endIndex else { return }
            }
            if case .data(let left) = position {
                let count = min(left, Int64(bytes.endIndex - index))
                position = left == count ? .dataEnd : .data(left - count)
                index += Int(count)
            } else {
                read(bytes[index])
                index += 1
            }
        }
    }

    /// The index of the next line feed, or the end. With `memchr`, because the extension of a chunk may be endless.
    private static func indexOfLineFeed(in bytes: UnsafeRawBufferPointer, from index: Int) -> Int {
        guard let start = bytes.baseAddress else { return bytes.endIndex }
        let found = memchr(start + index, 0x0A, bytes.count - index)
        return found.map { UnsafeRawPointer($0) - start } ?? bytes.endIndex
    }

    /// Reads a byte that isn't data. A line feed alone ends a line, as in libcurl.
    private mutating func read(_ byte: UInt8) {
        let isLineEnd = byte == 0x0A
        switch position {
        case .size(let size), .sizeLine(let size):
            if isLineEnd {
                position = size == 0 ? .trailer(isEmpty: true) : .data(size)
            } else if case .size = position, let digit = Self.hexadecimal(byte) {
                // libcurl refuses a larger size.
                position = .size(size > Int64.max >> 4 ? size : size << 4 + digit)
            } else {
                position = .sizeLine(size)
            }
        case .dataEnd:
            if isLineEnd { position = .size(0) }
        case .trailer(let isEmpty):
            if !isLineEnd {
                position = .trailer(isEmpty: isEmpty && byte == 0x0D)
            } else {
                position = isEmpty ? .end : .trailer(isEmpty: true)
            }
        case .end: hasExcess = true
        case .data: break
        }
    }

    /// The value of a hexadecimal digit; nil for other bytes.
    static func hexadecimal(_ byte: UInt8) -> Int64? {
        switch byte {
        case 0x30...0x39: Int64(byte - 0x30)
        case 0x41...0x46: Int64(byte - 0x41 + 10)
        case 0x61...0x66: Int64(byte - 0x61 + 10)
        default: nil
        }
    }
}
#endif
