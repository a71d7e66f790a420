// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import CCurl
import Foundation
import FoundationNetworking

/// Undoes one content coding, and knows whether the data is complete: libcurl does not, and takes a cut
/// gzip for a whole one.
final class CurlDecoder {
    private let decoder: OpaquePointer
    /// Whether what it has read so far is complete.
    private(set) var isComplete = true
    private var buffer = [UInt8](repeating: 0, count: 64 << 10)

    /// The header field that asks for none: a little of it could be more than a slow reader has room for.
    static let none = "Accept-Encoding: identity"
    /// The header field that asks for what is known.
    static let accepted: String = {
        let known = ["gzip", "deflate", "br"].filter { CurlDecoder($0) != nil }
        return known.isEmpty ? none : "Accept-Encoding: " + known.joined(separator: ", ")
    }()

    /// Nil for a coding that is not known.
    init?(_ coding: String) {
        let name = coding == "x-gzip" ? "gzip" : coding
        guard let decoder = ccurl_decoder_make(name) else { return nil }
        self.decoder = decoder
    }

    deinit { ccurl_decoder_free(decoder) }

    /// Those for the value of `Content-Encoding`, in the order in which they are undone; none where one of
    /// them is not known, and the body is handed over as it is.
    static func decoders(_ codings: String) throws -> [CurlDecoder] {
        let names = codings.lowercased().split(separator: ",").map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        guard names.count <= 5 else { throw CurlHead.fault("it has more than 5 content codings") }
        let decoders = names.filter { $0 != "identity" && !$0.isEmpty }.map { CurlDecoder($0) }
        return decoders.contains { $0 == nil } ? [] : decoders.reversed().compactMap { $0 }
    }

    /// Decodes what comes next, in pieces.
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
            default: throw URLError(.cannotDecodeRawData)
            }
        }
    }
}
#endif
