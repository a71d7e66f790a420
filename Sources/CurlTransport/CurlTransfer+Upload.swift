// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import CCurl

/// Sends the request's body.
extension CurlTransfer {
    /// Writes a part of the request's body. Returns how many bytes, or one of libcurl's codes.
    func provideBody(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        var result = Int(CCURL_READ_PAUSE)
        let isGood = act {
            guard let count = try upload.read(into: buffer, self) else {
                return loop.multi.reviewLater(self)
            }
            result = count
            guard count > 0 else { return }
            activity = loop.multi.now
            builder?.didSend(upload.sent)
        }
        return isGood ? result : Int(CCURL_READ_ABORT)
    }
}

extension CurlTransfer: StreamDelegate {
    /// The request's body has more bytes. Called on any thread.
    func stream(_ stream: Stream, handle event: Stream.Event) {
        loop.post(.resumeUpload(self))
    }
}
#endif
