// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import CCurl

extension CurlTransfer {
    /// Writes a part of the request's body. Returns how many bytes, or one of libcurl's codes.
    func write(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        var count = 0
        let isGood = act {
            // libcurl asks only if the upload isn't paused.
            isUploadPaused = false
            phase = .sending
            if let body {
                count = body.dropFirst(Int(sent)).prefix(buffer.count).copyBytes(to: buffer)
            } else if let stream = request.urlRequest.httpBodyStream {
                count = try read(stream, into: buffer)
            }
            guard !isUploadPaused else {
                count = CCURL_READ_PAUSE
                return loop.multi.checkResponse(of: self)
            }
            sent += Int64(count)
            if count == 0 || sent == size { phase = .waiting }
            if count > 0 { builder?.didSend(sent) }
        }
        return isGood ? count : Int(CCURL_READ_ABORT)
    }

    /// Reads from the stream of the body. Pauses the upload if the stream has no bytes yet: it tells
    /// its delegate when it has some.
    private func read(
        _ stream: InputStream, into buffer: UnsafeMutableRawBufferPointer
    ) throws -> Int {
        // Bytes beyond the declared length would be read as another request.
        let left = size < 0 ? .max : size - sent
        let room = Int(min(Int64(buffer.count), left))
        guard room > 0, let start = buffer.bindMemory(to: UInt8.self).baseAddress else { return 0 }
        if stream.streamStatus == .notOpen {
            stream.delegate = self
            stream.open()
        }
        let count = stream.read(start, maxLength: room)
        guard count >= 0 || stream.streamStatus != .reading else {
            isUploadPaused = true
            return 0
        }
        guard count > 0 || count == 0 && size < 0 else {
            // Without an error, asking for it traps.
            let cause = stream.streamStatus == .error ? stream.streamError : nil
            throw cause ?? URLError(.requestBodyStreamExhausted)
        }
        return count
    }

    /// Starts the body again. Returns whether that is possible: a stream can be read only once.
    func rewind() -> Bool {
        sent = 0
        return !isStreamed
    }
}

extension CurlTransfer: StreamDelegate {
    /// The request's body has more bytes. Called on any thread.
    func stream(_ stream: Stream, handle event: Stream.Event) {
        loop.post(.resume(self))
    }
}
#endif
