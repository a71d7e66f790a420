// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import CCurl

/// Reads the response.
extension CurlTransfer {
    /// Reads a line of the headers. Returns how many bytes were read: 0 ends the transfer.
    func read(header line: UnsafeRawBufferPointer) -> Int {
        let isGood = act {
            try head.read(line)
            guard phase != .connecting else {
                // The proxy's response to CONNECT. After a refusal, libcurl would read the whole
                // body and block the loop, so stop here.
                guard head.status < 300 else {
                    let text = "The proxy refused to open a tunnel (status \(head.status))."
                    throw URLError(.cannotConnectToHost, text)
                }
                return
            }
            guard head.isDone, !hasBegun else { return }
            if head.isChunked {
                // Makes libcurl call `didReadChunks`.
                try set(CCURL_VERBOSE, 1)
                if head.length != nil {
                    try set(CCURL_FORBID_REUSE, 1)
                }
            }
            try beginBody()
        }
        return isGood ? line.count : 0
    }

    /// The time by which something must happen. A sink may pause the download for any time.
    var idleEnd: UInt64 { isDownloadPaused ? .max : activity + idleTimeout }

    /// Whether the headers show that the whole response has arrived.
    var isComplete: Bool {
        guard hasBegun, !head.isChunked else { return false }
        return [204, 304].contains(head.status) || head.length == arrived
    }

    private func beginBody() throws {
        hasBegun = true
        phase = .receiving
        firstByte = elapsed
        if !head.codings.isEmpty, head.status != 206, method != "HEAD" {
            decoder = CurlDecoder.decoder(for: head.codings)
        }
        if let builder {
            let response = ServiceResponse(
                request: request, statusCode: head.status, headers: head.headers())
            if let early = try builder.didReceive(head: response) {
                resume(early)
            }
        }
        loop.multi.checkResponse(of: self)
    }

    /// Reads a chunk of the body. Returns how many bytes were read, or `CCURL_WRITE_PAUSE`.
    func read(body bytes: UnsafeRawBufferPointer) -> Int {
        let isHeld = loop.lock.withLock { self.isHeld }
        guard !isHeld else {
            isDownloadPaused = true
            return CCURL_WRITE_PAUSE
        }
        let lastActivity = activity
        let lastDecoded = decoded
        var result = CCURL_WRITE_PAUSE
        let isGood = act {
            guard try decode(bytes) else { return continueLater() }
            arrived += Int64(bytes.count)
            result = bytes.count
            loop.multi.checkResponse(of: self)
        }
        // Compressed bytes that decompress to nothing don't count as activity.
        if decoder != nil, decoded == lastDecoded {
            activity = lastActivity
        }
        return isGood ? result : 0
    }

    /// The largest body in bytes. Nil for one that a sink takes as it is.
    private var bodyLimit: Int64? {
        let isInMemory = request.bodySink?.destination ?? .memory == .memory
        let isSuccess = request.validStatusCodes.contains(head.status)
        if isInMemory || !isSuccess { return maximumBodySize }
        return decoder == nil ? nil : loop.configuration.maximumBodySize
    }

    func limit(_ count: Int64) throws {
        guard let bodyLimit else { return }
        try ServiceRequest.require(bodySize: count, atMost: bodyLimit)
    }

    func take(_ bytes: UnsafeRawBufferPointer) throws {
        decoded += Int64(bytes.count)
        try limit(decoded)
        if let builder {
            try builder.didReceive(chunk: Data(bytes))
        } else if decoded == bytes.count {
            try takeFirst(bytes)
        } else if let buffer {
            try append(bytes, to: buffer)
        } else {
            data.append(contentsOf: bytes)
        }
    }

    /// Reserves memory for the body, unless these are all of its bytes.
    private func takeFirst(_ bytes: UnsafeRawBufferPointer) throws {
        if let length = head.length, !head.isChunked, length > bytes.count {
            if decoder == nil, let buffer = loop.buffers.take(length) {
                self.buffer = buffer
                return try append(bytes, to: buffer)
            }
            data.reserveCapacity(Int(min(length, 1 << 20)))
            data.append(contentsOf: bytes)
        } else {
            data = Data(bytes)
        }
    }

    private func append(_ bytes: UnsafeRawBufferPointer, to buffer: CurlBuffer) throws {
        guard buffer.append(bytes) else {
            throw CurlHead.fault("its body is longer than 'Content-Length'")
        }
    }
}
#endif
