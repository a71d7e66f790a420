// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)

/// A response on its way to the caller.
struct CurlDownload {
    /// Whether libcurl delivers the response.
    enum Flow {
        case flowing
        /// libcurl has paused receiving until the next turn of the loop, so that other transfers get theirs.
        case heldForTurn
        /// libcurl has paused receiving until the sink resumes it, which may take any time.
        case heldBySink
    }

    /// How the end of the body is found (RFC 9112, section 6.3).
    enum Framing {
        /// The headers aren't complete.
        case unknown
        /// The response has no body.
        case none
        case length(Int64)
        case chunks(CurlChunks)
        /// The server closes the connection.
        case close
    }

    /// How the body is decompressed.
    enum Coding {
        /// It is delivered as it arrives.
        case identity
        case compressed(CurlDecoder)
    }

    /// The work that a turn of the loop has done for the transfer. It is limited: otherwise, one response could delay
    /// all others.
    private struct Turn {
        var time: UInt64 = 0
        /// How many bytes of a chunked body libcurl has read.
        var framedBytes = 0
        var hasDecompressed = false
    }

    /// How many bytes of a chunked body libcurl reads in a turn. Without a limit, libcurl 7.88 reads 6 MB, which take
    /// 50 ms if they are an extension.
    private static let framedLimit = 128 << 10

    var head: CurlHead
    var flow = Flow.flowing
    private(set) var framing = Framing.unknown
    var coding = Coding.identity
    /// The seconds from the start until the headers of the response. Nil before.
    private(set) var firstByte: TimeInterval?
    /// How many bytes of the body have arrived, before decompression.
    var arrived: Int64 = 0
    /// The size of the body so far, after decompression.
    var decoded: Int64 = 0
    /// How many of the bytes that libcurl holds have been decompressed already.
    var decodedOfHeldChunk = 0
    /// The body, if no sink takes it.
    var body = CurlBody()
    private var turn = Turn()

    init(_ version: CurlHTTPVersion) {
        head = CurlHead(version)
    }

    /// Whether the headers of the response are complete.
    var hasBegun: Bool { firstByte != nil }

    /// Whether the response can't have a body.
    func isBodiless(_ method: String) -> Bool {
        method == "HEAD" || [204, 304].contains(head.status)
    }

    /// The headers are complete, this many seconds after the start.
    mutating func begin(after seconds: TimeInterval, _ method: String) {
        firstByte = seconds
        if isBodiless(method) {
            framing = .none
        } else if head.isChunked {
            framing = .chunks(CurlChunks())
        } else {
            framing = head.length.map { .length($0) } ?? .close
        }
    }

    /// Whether the whole response has arrived. False if only libcurl knows it.
    var isComplete: Bool {
        switch framing {
        case .unknown, .close: false
        case .none: true
        case .length(let length): length == arrived
        case .chunks(let chunks): chunks.isComplete
        }
    }

    /// libcurl has read these bytes of a chunked body. Returns whether bytes follow the body.
    mutating func read(framed bytes: UnsafeRawBufferPointer) -> Bool {
        guard case .chunks(var chunks) = framing else { return false }
        chunks.read(bytes)
        framing = .chunks(chunks)
        return chunks.hasExcess
    }

    // MARK: - The limits of a turn

    /// Adds bytes of a chunked body to those of this turn. Returns whether they are enough.
    mutating func reachesLimit(with count: Int, at time: UInt64) -> Bool {
        begin(turn: time)
        turn.framedBytes += count
        return turn.framedBytes >= Self.framedLimit
    }

    /// Returns whether this is the first time that the transfer decompresses in a turn.
    mutating func isFirstDecompression(at time: UInt64) -> Bool {
        begin(turn: time)
        defer { turn.hasDecompressed = true }
        return !turn.hasDecompressed
    }

    private mutating func begin(turn time: UInt64) {
        guard turn.time != time else { return }
        turn = Turn()
        turn.time = time
    }
}

/// The body of a response in memory.
struct CurlBody {
    private enum Storage {
        case data(Data)
        /// Memory from a pool, for a large body of a known size.
        case buffer(CurlBuffer)
    }

    private var storage = Storage.data(Data())

    var data: Data {
        switch storage {
        case .data(let data): data
        case .buffer(let buffer): buffer.data
        }
    }

    /// Takes the first bytes.
    ///
    /// - Parameters:
    ///   - length: The size of the whole body, if it is known and not compressed.
    ///   - pool: The memory for a large body.
    mutating func start(
        _ bytes: UnsafeRawBufferPointer, length: Int64?, _ pool: CurlBuffers
    ) throws {
        guard let length, length > bytes.count else {
            storage = .data(Data(bytes))
            return
        }
        if let buffer = pool.take(length) {
            storage = .buffer(buffer)
        } else {
            storage = .data(Data(capacity: Int(min(length, 1 << 20))))
        }
        try append(bytes)
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) throws {
        switch storage {
        case .data(var data):
            // Otherwise, two owners of the data would make `append` copy it.
            storage = .data(Data())
            data.append(contentsOf: bytes)
            storage = .data(data)
        case .buffer(let buffer):
            guard buffer.append(bytes) else {
                throw CurlHead.fault("its body is longer than 'Content-Length'")
            }
        }
    }
}
#endif
