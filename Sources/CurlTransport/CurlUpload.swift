// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)

/// The body of a request on its way to the server.
struct CurlUpload {
    enum Source {
        case none
        case data(Data)
        case stream(InputStream)
    }

    enum Progress {
        /// libcurl asks for bytes whenever it can send some.
        case flowing
        /// libcurl asks for none, because the stream has none yet. (libcurl has paused sending.)
        case waitingForStream
        /// libcurl has all bytes, or the request has no body.
        case complete
    }

    let source: Source
    /// The size in bytes: -1 if unknown.
    let size: Int64
    private(set) var sent: Int64 = 0
    private(set) var progress: Progress

    init(_ request: URLRequest) {
        if let stream = request.httpBodyStream {
            let length = request.value(forHTTPHeaderField: "Content-Length")
            source = .stream(stream)
            size = length.flatMap { Int64($0) } ?? -1
        } else if let data = request.httpBody, !data.isEmpty {
            source = .data(data)
            size = Int64(data.count)
        } else {
            source = .none
            size = 0
        }
        progress = size == 0 ? .complete : .flowing
    }

    /// Whether there is a body, which may turn out to be empty.
    var hasBody: Bool {
        if case .none = source { false } else { true }
    }

    var isStreamed: Bool {
        if case .stream = source { true } else { false }
    }

    var waitsForStream: Bool { progress == .waitingForStream }

    /// Copies the next bytes. Returns how many: 0 at the end, and nil if the stream has none yet.
    mutating func read(
        into buffer: UnsafeMutableRawBufferPointer, _ delegate: any StreamDelegate
    ) throws -> Int? {
        // libcurl 7.88 asks in this state, too, when receiving is resumed. It would take bytes, and stay paused.
        guard progress != .waitingForStream else { return nil }
        var count = 0
        switch source {
        case .none: break
        case .data(let data):
            count = data.dropFirst(Int(sent)).prefix(buffer.count).copyBytes(to: buffer)
        case .stream(let stream):
            guard let read = try read(stream, into: buffer, delegate) else {
                progress = .waitingForStream
                return nil
            }
            count = read
        }
        sent += Int64(count)
        progress = count == 0 || sent == size ? .complete : .flowing
        return count
    }

    private func read(
        _ stream: InputStream, into buffer: UnsafeMutableRawBufferPointer,
        _ delegate: any StreamDelegate
    ) throws -> Int? {
        // Bytes beyond the declared length would be read as another request.
        let left = size < 0 ? .max : size - sent
        let room = Int(min(Int64(buffer.count), left))
        guard room > 0, let start = buffer.bindMemory(to: UInt8.self).baseAddress else { return 0 }
        if stream.streamStatus == .notOpen {
            stream.delegate = delegate
            stream.open()
        }
        // A stream that has no bytes yet returns -1, and its status is `reading`.
        let count = stream.read(start, maxLength: room)
        guard count >= 0 || stream.streamStatus != .reading else { return nil }
        guard count > 0 || count == 0 && size < 0 else {
            // Without an error, asking for it traps.
            let cause = stream.streamStatus == .error ? stream.streamError : nil
            throw cause ?? URLError(.requestBodyStreamExhausted)
        }
        return count
    }

    /// The stream may have bytes. Returns whether it was waited for.
    mutating func resume() -> Bool {
        guard progress == .waitingForStream else { return false }
        progress = .flowing
        return true
    }

    /// Starts the body again. Returns whether that is possible: a stream can be read only once.
    mutating func rewind() -> Bool {
        guard !isStreamed else { return false }
        sent = 0
        progress = size == 0 ? .complete : .flowing
        return true
    }
}
#endif
