// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import CCurl

extension CurlTransfer {
    /// Writes a part of the request's body. Returns how many bytes, or `CCURL_READ_ABORT`.
    func write(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        var count = 0
        let isGood = act {
            phase = .sending
            if isUploadOver { return }
            // Bytes beyond the declared length would be read as another request.
            let room = size < 0 ? buffer.count : Int(min(Int64(buffer.count), size - sent))
            if let stream = request.urlRequest.httpBodyStream, room > 0 {
                if stream.streamStatus == .notOpen {
                    stream.delegate = self
                    stream.open()
                }
                let start = buffer.bindMemory(to: UInt8.self).baseAddress
                count = start.map { stream.read($0, maxLength: room) } ?? 0
                // A stream without bytes yet. It tells its delegate when it has some.
                if count < 0, stream.streamStatus == .reading {
                    (isUploadPaused, count) = (true, CCURL_READ_PAUSE)
                    loop.multi.checkAnswer(of: self)
                    return
                }
                guard count > 0 || count == 0 && size < 0 else {
                    let cause = stream.streamStatus == .error ? stream.streamError : nil
                    throw cause ?? URLError(.requestBodyStreamExhausted)
                }
            } else if let body {
                let chunk = body.dropFirst(offset).prefix(buffer.count)
                count = chunk.copyBytes(to: buffer)
            }
            (offset, sent) = (offset + count, sent + Int64(count))
            if count == 0 || sent == size { phase = .waiting }
            if count > 0 { builder?.didSend(sent) }
        }
        return isGood ? count : Int(CCURL_READ_ABORT)
    }

    /// Starts the body again. Returns whether that is possible: a stream can be read only once.
    func rewind() -> Bool {
        (offset, sent) = (0, 0)
        return !isStreamed
    }
}

extension CurlTransfer: StreamDelegate {
    /// The request's body has more bytes. Called on any thread.
    func stream(_ stream: Stream, handle event: Stream.Event) { loop.post(.resume(self)) }
}
#endif
