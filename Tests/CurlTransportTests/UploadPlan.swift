// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import Foundation
import TestSupport

/// The course of one upload of `UploadStormTests`.
struct UploadPlan: Sendable {
    /// How the transport learns that its stream has bytes.
    enum Telling: CaseIterable { case atOnce, late, onAnotherThread, withinRead }

    enum Response: CaseIterable {
        /// They end after the upload has ended.
        case chunks, length
        case trailer
        /// They may end before the upload does.
        case earlyChunks, earlyLength, earlyTrailer
        /// 413, and the end of the connection.
        case refusal
        /// The connection ends in the middle of the body.
        case cutChunks, cutLength
    }

    let pieces: [Data]
    let telling: Telling
    let response: Response
    /// The size of the response's body, or of the part before a cut.
    let size: Int
    /// Whether the upload ends. If not, its stream waits for ever after the last piece.
    let isEnding: Bool
    let hasSink: Bool
    /// The piece after which the call is cancelled.
    let cancelled: Int?
    /// For the choices that are made while the upload runs.
    let seed: UInt64

    init(using random: inout SeededGenerator) {
        var pieces: [Data] = []
        for number in 0..<Int.random(in: 2...40, using: &random) {
            // Longer than libcurl's buffer, now and then.
            let repeats = [1, 1, 1, 500, 20_000].randomElement(using: &random) ?? 1
            pieces.append(Data(String(repeating: "\(number);", count: repeats).utf8))
        }
        let response = Response.allCases.randomElement(using: &random) ?? .chunks
        self.pieces = pieces
        self.response = response
        telling = Telling.allCases.randomElement(using: &random) ?? .atOnce
        size = Int.random(in: 0...24, using: &random) * 65_536 + 10
        isEnding = [.chunks, .length, .trailer].contains(response) || Bool.random(using: &random)
        hasSink = Bool.random(using: &random)
        cancelled =
            Int.random(in: 0..<8, using: &random) == 0
            ? pieces.indices.randomElement(using: &random) : nil
        seed = random.next()
    }

    /// The body of the whole upload.
    var upload: Data { pieces.reduce(Data(), +) }

    /// The body of the response. It ends like the last chunk of a body.
    var body: Data { Self.pattern.prefix(size - Self.end.count) + Self.end }

    var isChunked: Bool { ![.length, .earlyLength, .cutLength, .refusal].contains(response) }
    var isEarly: Bool { ![.chunks, .length, .trailer].contains(response) }
    var isCut: Bool { [.cutChunks, .cutLength].contains(response) }

    private static let end = Data("0\r\n\r\n".utf8)
    private static let pattern = Data((0..<(2 << 20)).map { UInt8(truncatingIfNeeded: $0 % 251) })
}
#endif
