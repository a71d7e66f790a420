// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import CCurl

/// Decodes one content coding, and checks that the data is complete.
///
/// libcurl's own decoder doesn't check: it accepts a truncated gzip body as complete.
final class CurlDecoder {
    private let decoder: OpaquePointer
    /// Whether the data read so far is complete.
    private(set) var isComplete = true
    /// Whether there may be more output without more input.
    private(set) var hasMore = false
    private var buffer = [UInt8](repeating: 0, count: 64 << 10)
    /// The output that hasn't been read yet, as indices of the buffer.
    private var unread = 0..<0

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

    /// How many bytes of the output haven't been read yet.
    var unreadCount: Int { unread.count }

    /// Decodes up to 64 KB into the output, which must have been read before.
    ///
    /// - Returns: How many bytes of the input were read.
    func decode(_ input: UnsafeRawBufferPointer) throws -> Int {
        var next = input.bindMemory(to: UInt8.self).baseAddress
        var rest = input.count
        var room = buffer.count
        let result = Int(ccurl_decode(decoder, &next, &rest, &buffer, &room))
        unread = 0..<(buffer.count - room)
        hasMore = result == CCURL_DECODE_FULL
        switch result {
        case CCURL_DECODE_FULL: break
        case CCURL_DECODE_MORE: isComplete = false
        case CCURL_DECODE_END: isComplete = true
        default: throw URLError(.cannotDecodeRawData, "The compressed body isn't valid.")
        }
        return input.count - rest
    }

    /// Passes the unread output to a closure, which returns how many bytes it has read.
    func read(_ take: (UnsafeRawBufferPointer) throws -> Int) rethrows {
        let count = try buffer.withUnsafeBytes {
            try take(UnsafeRawBufferPointer(rebasing: $0[unread]))
        }
        unread = unread.dropFirst(count)
    }
}
#endif
