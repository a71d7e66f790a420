// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import CCurl

/// Decoding. In a turn of the loop, it is limited: otherwise, one response could delay all the others. A few compressed
/// bytes can take long to decode, and a chunk can have an extension of any length.
extension CurlTransfer {
    /// How long a turn decompresses, in nanoseconds. Each transfer decodes at least one step in a turn.
    private static let decodingTime: UInt64 = 1_000_000
    /// How many bytes of a chunked body libcurl reads in a turn. Without a limit, libcurl 7.88 reads 6 MB, which take
    /// 50 ms if they are an extension.
    private static let chunkLimit = 128 << 10
    /// How many bytes a compressed body may be larger than `maximumBodySize`. A small one may be larger than the
    /// decompressed body.
    private static let compressionOverhead: Int64 = 64 << 10

    /// Decodes a chunk of the body.
    ///
    /// - Returns: Whether the whole chunk is decoded. Otherwise, libcurl must deliver it again in the next turn.
    func decode(_ chunk: UnsafeRawBufferPointer) throws -> Bool {
        guard let decoder else {
            try take(chunk)
            return true
        }
        // libcurl may deliver held bytes in smaller chunks.
        guard chunk.count >= decodedBefore else {
            decodedBefore -= chunk.count
            return true
        }
        let turn = loop.multi.now
        let end = turn + Self.decodingTime
        let isFirst = decodingTurn != turn
        decodingTurn = turn
        guard isFirst || CurlMulti.time() < end else { return false }
        var rest = chunk[decodedBefore...]
        while !rest.isEmpty || decoder.hasMore {
            let count = try decoder.decode(UnsafeRawBufferPointer(rebasing: rest), take)
            rest = rest.dropFirst(count)
            guard CurlMulti.time() < end else { break }
        }
        try limit(arrived + Int64(rest.startIndex) - Self.compressionOverhead)
        let isDecoded = rest.isEmpty && !decoder.hasMore
        decodedBefore = isDecoded ? 0 : rest.startIndex
        return isDecoded
    }

    /// libcurl has read bytes of a chunked body. It calls nothing else for an extension.
    func didReadChunks(_ bytes: UnsafeRawBufferPointer) {
        if isStreamed {
            lastBytes = Array((lastBytes + bytes.suffix(5)).suffix(5))
        }
        if chunkTurn != loop.multi.now {
            chunkTurn = loop.multi.now
            chunkBytes = 0
        }
        chunkBytes += bytes.count
        if chunkBytes >= Self.chunkLimit, !isHeldBack, !isDownloadPaused, let easy {
            continueLater()
            // What isn't named is resumed, also an upload that waits for its stream.
            let upload = isUploadPaused ? CCURL_PAUSE_SEND : 0
            let paused = Int32(CCURL_PAUSE_RECV | upload)
            _ = loop.library.curl.pointee.easy_pause(easy, paused)
        }
    }

    /// Pauses the download until the next turn.
    func continueLater() {
        isHeldBack = true
        loop.post(.resume(self))
    }
}
#endif
