// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

extension LoopbackAnswer {
    /// Adds a header, after those of the same name.
    public func header(_ name: String, _ value: String) -> Self {
        changed { $0.headers.append((name, value)) }
    }

    /// Sends the body in chunks of at most `size` bytes, 16 KB by default.
    public func chunked(size: Int = 16_384) -> Self {
        changed { $0.framing = .chunked(size: size) }
    }

    /// Ends the body by closing the connection, without declaring a length.
    public func untilClose() -> Self { changed { $0.framing = .untilClose } }

    /// Sends a wrong or odd `Content-Length` on purpose, in place of the right one.
    ///
    /// The body itself stays as it is; after one that is too short, the connection stays open
    /// unless the answer closes it.
    public func declaringLength(_ text: String) -> Self {
        changed {
            $0.headers.removeAll { $0.name.lowercased() == "content-length" }
            $0.headers.append(("Content-Length", text))
        }
    }

    /// Waits this many seconds before the first byte of the head.
    public func delayed(by seconds: TimeInterval) -> Self { changed { $0.headDelay = seconds } }

    /// Waits this many seconds between the head and the body.
    public func delayingBody(by seconds: TimeInterval) -> Self {
        changed { $0.bodyDelay = seconds }
    }

    /// Sends the whole answer, head included, in pieces with a wait between them.
    public func dripping(bytes: Int, every seconds: TimeInterval) -> Self {
        changed { $0.drip = (max(1, bytes), seconds) }
    }

    /// Breaks the connection off within the head, after this many bytes of it.
    ///
    /// 0 breaks it off before the answer; more than there are, right after the head. Of a raw
    /// answer all bytes count.
    public func cut(_ how: Cut, afterHeadBytes count: Int) -> Self {
        changed { $0.cut = (how, .head(max(0, count))) }
    }

    /// Breaks the connection off within the body, after this many bytes of it.
    ///
    /// The bytes are counted as they are sent, the lines around chunks included. More than there
    /// are break it off right after the answer, which has then not announced it.
    public func cut(_ how: Cut, afterBodyBytes count: Int) -> Self {
        changed { $0.cut = (how, .body(max(0, count))) }
    }

    /// Sends these fields after a chunked body; without chunks they have no effect.
    public func trailers(_ trailers: [(name: String, value: String)]) -> Self {
        changed { $0.trailers = trailers }
    }

    /// Adds "Connection: close", and closes the connection after the answer.
    public func closing() -> Self { changed { $0.closes = true } }

    /// Keeps the connection open after a raw answer.
    public func keepingAlive() -> Self { changed { $0.closes = false } }

    private func changed(_ change: (inout LoopbackAnswer) -> Void) -> Self {
        var copy = self
        change(&copy)
        return copy
    }
}
