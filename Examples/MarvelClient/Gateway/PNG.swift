// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// Writes an uncompressed PNG file (ISO/IEC 15948), which doesn't need a compressor.
struct PNG {
    /// The number of pixels in a row.
    let width: Int
    /// The rows from the top. Each has the red, green and blue of its pixels.
    let rows: [[UInt8]]

    private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// The bytes of the file.
    var data: Data {
        // Eight bits for each of three channels, default compression and filters, not interlaced.
        let head = Self.bytes(width) + Self.bytes(rows.count) + [8, 2, 0, 0, 0]
        // Each row starts with the number of its filter; 0 is none.
        let pixels = Array(rows.map { [0] + $0 }.joined())
        return Data(
            Self.signature + Self.chunk("IHDR", head) + Self.chunk("IDAT", Self.zlib(pixels))
                + Self.chunk("IEND", []))
    }

    /// A chunk: length, name, content, and the CRC of name and content.
    private static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
        let checked = Array(name.utf8) + content
        return bytes(content.count) + checked + bytes(crc32(checked))
    }

    /// A zlib stream (RFC 1950) of stored blocks (RFC 1951, section 3.2.4) of up to 65,535 bytes.
    static func zlib(_ content: [UInt8]) -> [UInt8] {
        var (stream, rest) = ([0x78, 0x01] as [UInt8], content[...])
        repeat {
            let block = rest.prefix(65_535)
            rest = rest.dropFirst(block.count)
            let (low, high) = (UInt8(block.count & 0xFF), UInt8(block.count >> 8))
            stream += [rest.isEmpty ? 1 : 0, low, high, ~low, ~high] + block
        } while !rest.isEmpty
        return stream + bytes(adler32(content))
    }

    /// The four bytes of a number, highest first.
    private static func bytes(_ number: some BinaryInteger) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    /// The Adler-32 checksum (RFC 1950, section 9).
    static func adler32(_ bytes: [UInt8]) -> UInt32 {
        var (low, high): (UInt32, UInt32) = (1, 0)
        for byte in bytes {
            low = (low + UInt32(byte)) % 65_521
            high = (high + low) % 65_521
        }
        return high << 16 | low
    }

    /// The CRC-32 checksum (ISO/IEC 15948, annex D).
    static func crc32(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(0xFFFF_FFFF) { crc, byte in
            crcTable[Int((crc ^ UInt32(byte)) & 0xFF)] ^ (crc >> 8)
        }
    }

    private static let crcTable: [UInt32] = (0..<256).map { number in
        (0..<8).reduce(number) { crc, _ in crc & 1 == 1 ? 0xEDB8_8320 ^ (crc >> 1) : crc >> 1 }
    }
}
