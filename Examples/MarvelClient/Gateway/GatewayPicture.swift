// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// A picture of a character: a symmetric pattern of squares in one color.
///
/// It is generated from the picture's path. So it needs no artwork by others, and is the same in
/// every run.
struct GatewayPicture: Sendable {
    /// The extension of every picture.
    static let `extension` = "png"

    /// The pictures by path. Characters without a picture at Marvel share one.
    static let all: [String: GatewayPicture] = {
        let pictures = GatewayCharacter.all.map {
            ("\($0.picturePath).\(`extension`)", GatewayPicture(seed: $0.picturePath))
        }
        return Dictionary(pictures) { first, _ in first }
    }()

    /// The number of squares in each row and column, and the side of a square in pixels.
    private static let squares = (count: 5, pixels: 30)
    /// The background color: red, green and blue.
    private static let paper: [UInt8] = [244, 244, 240]

    /// The color of the squares: red, green and blue.
    let color: [UInt8]
    /// Which squares are filled, row by row.
    let isFilled: [[Bool]]

    init(seed: String) {
        let digits = MD5.hexDigest(seed.utf8).compactMap(\.hexDigitValue)
        // The color is never too light to be seen on the background.
        color = stride(from: 0, to: 6, by: 2).map { UInt8(digits[$0] * 12 + digits[$0 + 1]) }
        isFilled = (0..<Self.squares.count).map { row in
            let half = (0..<3).map { digits[6 + 3 * row + $0] % 2 == 0 }
            return half + half.dropLast().reversed()
        }
    }

    /// The picture as a PNG file.
    var png: Data {
        let side = Self.squares.count * Self.squares.pixels
        let rows = isFilled.flatMap { squares in
            let pixels = squares.flatMap { isFilled in
                repeatElement(isFilled ? color : Self.paper, count: Self.squares.pixels).joined()
            }
            return repeatElement(pixels, count: Self.squares.pixels)
        }
        return PNG(width: side, rows: rows).data
    }
}
