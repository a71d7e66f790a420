// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import CCurl
import Foundation
import FoundationNetworking

/// Decodes one content coding, and checks that the data is complete.
///
/// libcurl's own decoder doesn't check: it accepts a truncated gzip body as complete.
final class CurlDecoder {
    private let decoder: OpaquePointer
    /// Whether the data read so far is complete.
    private(set) var isComplete = true
    private var buffer = [UInt8](repeating: 0, count: 64 << 10)

    /// The header field that requests an uncompressed body. Streams use it, because one compressed
    /// chunk could expand to more than a slow reader's buffer holds.
    static let none = "Accept-Encoding: identity"
    /// The header field that requests the supported codings.
    static let accepted: String = {
        let known = ["gzip", "deflate", "br"].filter { CurlDecoder($0) != nil }
        return known.isEmpty ? none : "Accept-Encoding: " + known.joined(separator: ", ")
    }()

    /// Creates a decoder. Nil if the coding isn't supported.
    init?(_ coding: String) {
        let name = coding == "x-gzip" ? "gzip" : coding
        guard let decoder = ccurl_decoder_make(name) else { return nil }
        self.decoder = decoder
    }

    deinit { ccurl_decoder_free(decoder) }

    /// Returns the decoders for a `Content-Encoding`, in the order in which to apply them.
    ///
    /// Empty if one of the codings isn't supported: the body is then returned as it is.
    static func decoders(_ codings: String) throws -> [CurlDecoder] {
        let names = codings.lowercased().split(separator: ",").map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        guard names.count <= 5 else { throw CurlHead.fault("it has more than 5 content codings") }
        let decoders = names.filter { $0 != "identity" && !$0.isEmpty }.map { CurlDecoder($0) }
        return decoders.contains { $0 == nil } ? [] : decoders.reversed().compactMap { $0 }
    }

    /// Decodes the next bytes, and passes the output to a closure in chunks.
    func decode(
        _ input: UnsafeRawBufferPointer, _ take: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        var next = input.bindMemory(to: UInt8.self).baseAddress
        var rest = input.count
        guard rest > 0 else { return }
        while true {
            var room = buffer.count
            let result = ccurl_decode(decoder, &next, &rest, &buffer, &room)
            try buffer.withUnsafeBytes { bytes in
                let written = bytes.count - room
                if written > 0 { try take(UnsafeRawBufferPointer(rebasing: bytes[..<written])) }
            }
            switch Int(result) {
            case CCURL_DECODE_FULL: continue
            case CCURL_DECODE_MORE, CCURL_DECODE_END:
                return isComplete = Int(result) == CCURL_DECODE_END
            default: throw URLError(.cannotDecodeRawData, "The compressed body isn't valid.")
            }
        }
    }
}
#endif
