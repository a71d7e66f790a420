// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// A color of the mock server's pictures.
nonisolated struct BitmapColor {
    let red, green, blue: UInt8
}

nonisolated extension Data {
    /// A bitmap file (BMP) with one pixel, so that the example needs no files with pictures.
    static func bitmap(of color: BitmapColor) -> Data {
        var bytes = Data("BM".utf8)
        bytes.append(number: 58)  // The size of the file.
        bytes.append(number: 0)
        bytes.append(number: 54)  // Where the pixels start.
        bytes.append(number: 40)  // The size of the following header.
        bytes.append(number: 1)  // Width.
        bytes.append(number: 1)  // Height.
        bytes.append(number: 1 | 24 << 16)  // One plane, 24 bits for each pixel.
        bytes.append(number: 0)  // Not compressed.
        bytes.append(number: 4)  // The size of the pixels.
        for _ in 1...4 {
            bytes.append(number: 0)  // The resolution and the palette aren't needed.
        }
        bytes.append(contentsOf: [color.blue, color.green, color.red, 0])
        return bytes
    }

    private mutating func append(number: UInt32) {
        for shift in stride(from: 0, to: 32, by: 8) {
            append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }
}
