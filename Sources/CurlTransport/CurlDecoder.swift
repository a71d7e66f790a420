// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import CCurl

/// Decodes a body in gzip or deflate, and checks that it is complete.
///
/// libcurl's own decoder doesn't check: it accepts a truncated gzip body as complete.
final class CurlDecoder {
    private let decoder: OpaquePointer
    /// Whether the data read so far is complete.
    private(set) var isComplete = true
    /// Whether there may be more output without more input.
    private(set) var hasMore = false
    private var buffer = [UInt8](repeating: 0, count: 64 << 10)

    /// The header field that requests an uncompressed body. Streams use it, because one compressed
    /// chunk could expand to more than a slow reader's buffer holds.
    static let none = "Accept-Encoding: identity"
    /// The header field that requests a compressed body, if possible.
    static let accepted = CurlDecoder(isGzip: true) == nil ? none : "Accept-Encoding: gzip"

    /// Nil if zlib is missing.
    private init?(isGzip: Bool) {
        guard let decoder = ccurl_decoder_make(isGzip) else { return nil }
        self.decoder = decoder
    }

    deinit { ccurl_decoder_free(decoder) }

    /// Returns the decoder for the values of `Content-Encoding`. Nil if the body isn't encoded.
    ///
    /// - Throws: A `URLError` that names the coding if it can't be decoded.
    static func decoder(for codings: [UInt8]) throws -> CurlDecoder? {
        let names = String(decoding: codings, as: UTF8.self).lowercased().split(separator: ",")
            .map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { $0 != "identity" && !$0.isEmpty }
        guard let name = names.first else { return nil }
        let isGzip = name == "gzip" || name == "x-gzip"
        guard names.count == 1, isGzip || name == "deflate" else {
            let text = "The body's content coding, \(description(of: names)), can't be decoded."
            throw URLError(.cannotDecodeRawData, text)
        }
        guard let decoder = CurlDecoder(isGzip: isGzip) else {
            throw URLError(.cannotDecodeRawData, "zlib, which decodes '\(name)', is missing.")
        }
        return decoder
    }

    /// Names a coding that IANA has registered. A text never quotes what a server chose.
    private static func description(of names: [String]) -> String {
        guard names.count == 1, let name = names.first else { return "a list of several" }
        let known = ["br", "compress", "dcb", "dcz", "exi", "pack200-gzip", "x-compress", "zstd"]
        return known.contains(name) ? "'\(name)'" : "an unknown one"
    }

    /// Decodes up to 64 KB, and passes them to a closure.
    ///
    /// - Returns: How many bytes of the input were read.
    func decode(
        _ input: UnsafeRawBufferPointer, _ take: (UnsafeRawBufferPointer) throws -> Void
    ) throws -> Int {
        var next = input.bindMemory(to: UInt8.self).baseAddress
        var rest = input.count
        var room = buffer.count
        let result = Int(ccurl_decode(decoder, &next, &rest, &buffer, &room))
        hasMore = result == CCURL_DECODE_FULL
        switch result {
        case CCURL_DECODE_FULL: break
        case CCURL_DECODE_MORE: isComplete = false
        case CCURL_DECODE_END: isComplete = true
        default: throw URLError(.cannotDecodeRawData, "The compressed body isn't valid.")
        }
        if room < buffer.count {
            try buffer.withUnsafeBytes {
                try take(UnsafeRawBufferPointer(rebasing: $0.dropLast(room)))
            }
        }
        return input.count - rest
    }
}
#endif
