// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import CCurl

/// Receives the response, in the order in which it arrives.
extension CurlTransfer {
    /// How long a turn of the loop decompresses, in nanoseconds. Each transfer decompresses at least one step in a turn.
    private static let decodingTime: UInt64 = 1_000_000
    /// How many bytes a compressed body may be larger than the limit. A small one may be larger than the decompressed
    /// body.
    private static let compressionOverhead: Int64 = 64 << 10

    // MARK: - The headers

    /// Reads a line of the headers. Returns how many bytes were read: 0 ends the transfer.
    func receive(header line: UnsafeRawBufferPointer) -> Int {
        let isGood = act {
            activity = loop.multi.now
            guard try download.head.read(line) else { return }
            if route.addresses == nil {
                try checkTunnel()
            } else {
                try beginBody()
            }
        }
        return isGood ? line.count : 0
    }

    /// Checks the proxy's response to CONNECT. After a refusal, libcurl would read the whole body and block the loop, so
    /// this stops the transfer.
    private func checkTunnel() throws {
        let status = download.head.status
        guard status < 300 else {
            let text = "The proxy refused to open a tunnel (status \(status))."
            throw URLError(.cannotConnectToHost, text)
        }
    }

    private func beginBody() throws {
        download.begin(after: elapsed, method)
        route.connection?.isShared = download.head.isMultiplexed
        try watchEnd()
        try chooseCoding()
        if let builder {
            let response = ServiceResponse(
                request: request, statusCode: download.head.status,
                headers: download.head.headers())
            if let early = try builder.didReceive(head: response) {
                deliver(.built(early))
            }
        }
        loop.multi.reviewLater(self)
    }

    /// Makes libcurl report bytes that it doesn't deliver, if some can follow the response unnoticed. A connection with
    /// such bytes isn't used again (RFC 9112, section 6.3): they would become the next response.
    private func watchEnd() throws {
        let isWatched =
            switch download.framing {
            case .unknown, .close: false
            case .none, .chunks: true
            case .length(let length): length == 0
            }
        if isWatched || version.isMultiplexed {
            try set(CCURL_VERBOSE, isWatched ? 1 : 0)
        }
        if download.head.isChunked, download.head.length != nil {
            try set(CCURL_FORBID_REUSE, 1)
        }
    }

    private func chooseCoding() throws {
        let isPart = download.head.status == 206
        let hasBody = !download.isBodiless(method) && download.head.length != 0
        guard hasBody, !isPart, !download.head.codings.isEmpty else { return }
        do {
            if let decoder = try CurlDecoder.decoder(for: download.head.codings) {
                download.coding = .compressed(decoder)
            }
        } catch {
            // The body of an unsuccessful response is delivered as it is, so that its status isn't lost.
            let isWanted = request.validStatusCodes.contains(download.head.status)
            guard !isWanted || asksForCoding else { throw error }
        }
    }

    // MARK: - What libcurl reports

    /// libcurl has read bytes of the body, as they are on the wire. Only this shows the extensions of chunks.
    func note(read bytes: UnsafeRawBufferPointer) {
        if download.read(framed: bytes) { forbidReuse() }
        let isEnough = download.reachesLimit(with: bytes.count, at: loop.multi.now)
        if isEnough, download.flow == .flowing {
            holdForTurn()
            applyPauses()
        }
    }

    /// libcurl has written a line for people.
    func note(text: UnsafeRawBufferPointer) {
        let line = String(decoding: text, as: UTF8.self)
        if line.hasPrefix("Excess") {
            // Bytes after a response without a body. libcurl 7.88 would use the connection again.
            forbidReuse()
        } else if line.hasPrefix("REFUSED_STREAM") {
            // libcurl sends the request again. On a connection of earlier requests, it does so without this line.
            route.timesRefused += 1
        }
    }

    private func forbidReuse() {
        try? set(CCURL_FORBID_REUSE, 1)
    }

    // MARK: - The body

    /// Reads a chunk of the body. Returns how many bytes were read, or `CCURL_WRITE_PAUSE`.
    func receive(body bytes: UnsafeRawBufferPointer) -> Int {
        guard !loop.lock.withLock({ orders.isHeld }) else {
            download.flow = .heldBySink
            return CCURL_WRITE_PAUSE
        }
        let outputBefore = download.decoded
        var result = CCURL_WRITE_PAUSE
        let isGood = act {
            let isTaken = try decode(bytes)
            // Compressed bytes that decompress to nothing aren't activity.
            if !isCompressed || download.decoded > outputBefore {
                activity = loop.multi.now
            }
            guard isTaken else { return holdForTurn() }
            download.arrived += Int64(bytes.count)
            result = bytes.count
            loop.multi.reviewLater(self)
        }
        return isGood ? result : 0
    }

    private var isCompressed: Bool {
        if case .compressed = download.coding { true } else { false }
    }

    /// Pauses receiving until the next turn.
    private func holdForTurn() {
        download.flow = .heldForTurn
        loop.post(.resumeDownload(self))
    }

    /// Decodes a chunk of the body.
    ///
    /// - Returns: Whether the whole chunk is decoded. Otherwise, libcurl must deliver it again in the next turn.
    private func decode(_ chunk: UnsafeRawBufferPointer) throws -> Bool {
        guard case .compressed(let decoder) = download.coding else {
            try take(chunk)
            return true
        }
        // libcurl may deliver held bytes in smaller chunks.
        guard chunk.count >= download.decodedOfHeldChunk else {
            download.decodedOfHeldChunk -= chunk.count
            return true
        }
        let turn = loop.multi.now
        let end = turn + Self.decodingTime
        guard download.isFirstDecompression(at: turn) || CurlMulti.time() < end else {
            return false
        }
        var rest = chunk[download.decodedOfHeldChunk...]
        while !rest.isEmpty || decoder.hasMore {
            let count = try decoder.decode(UnsafeRawBufferPointer(rebasing: rest), take)
            rest = rest.dropFirst(count)
            guard CurlMulti.time() < end else { break }
        }
        try limit(download.arrived + Int64(rest.startIndex) - Self.compressionOverhead)
        let isDecoded = rest.isEmpty && !decoder.hasMore
        download.decodedOfHeldChunk = isDecoded ? 0 : rest.startIndex
        return isDecoded
    }

    /// Takes bytes of the decoded body.
    private func take(_ bytes: UnsafeRawBufferPointer) throws {
        download.decoded += Int64(bytes.count)
        try limit(download.decoded)
        if let builder {
            try builder.didReceive(chunk: Data(bytes))
        } else if download.decoded == bytes.count {
            let isKnown = !isCompressed && !download.head.isChunked
            let length = isKnown ? download.head.length : nil
            try download.body.start(bytes, length: length, loop.buffers)
        } else {
            try download.body.append(bytes)
        }
    }

    private func limit(_ count: Int64) throws {
        guard let bodyLimit else { return }
        try ServiceRequest.require(bodySize: count, atMost: bodyLimit)
    }

    /// The largest body in bytes. Nil for one that a sink takes as it is.
    private var bodyLimit: Int64? {
        let isInMemory = request.bodySink?.destination ?? .memory == .memory
        let isSuccess = request.validStatusCodes.contains(download.head.status)
        if isInMemory || !isSuccess { return maximumBodySize }
        return isCompressed ? loop.configuration.maximumBodySize : nil
    }
}
#endif
