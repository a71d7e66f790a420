// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import CCurl

/// Runs one request: handles libcurl's callbacks and collects the response.
///
/// The caller's task creates it. From its start to its end it is used only on the loop's thread,
/// except for `isHeld` and `isStopped`. After that, the caller's task calls `response()`.
final class CurlTransfer: @unchecked Sendable {
    enum Phase: String { case connecting, sending, waiting, receiving }

    let request: ServiceRequest
    let url: URL
    let method: String
    /// Whether libcurl sends a body, which may be empty.
    let sendsBody: Bool
    /// libcurl's URL and header lines, and the size of the body (-1 if unknown).
    let target: String
    let lines: [String]
    let size: Int64
    /// For Digest authentication.
    let credential: URLCredential?
    /// Only over TLS. libcurl before 8.4.0 could take a truncated HTTP/2 body for a complete one.
    let allowsHTTP2: Bool
    let loop: CurlLoop
    /// Resumed once, because whoever resumes it takes it away. A checked continuation takes 1 % more
    /// instructions for each request.
    var continuation: UnsafeContinuation<Void, any Error>?
    /// The response that the builder returned, for the caller.
    var built: ServiceResponse?

    // MARK: For the loop

    /// libcurl's handle, and the first and the last node of its list of header fields.
    var easy: UnsafeMutableRawPointer?
    var (fields, lastField): (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?)
    var (isBegun, isCancelled, isEnded) = (false, false, false)
    /// Its place among those that wait for their turn.
    var place: Int?
    /// Whether a reused connection wasn't safe to use, so that the next attempt needs a new one.
    var isRefused = false
    /// The last address of the host to which the transfer wasn't allowed to connect.
    var refusedAddress: CurlAddress?
    /// The time of the last activity, and the time by which the transfer must end, in nanoseconds.
    var activity: UInt64 = 0
    var end: UInt64 = .max
    /// The longest time without activity, in nanoseconds.
    let idleTimeout: UInt64
    var timesSent = 0
    /// Whether the last response was a 401 that libcurl may answer with the credential, and how many
    /// of them it has answered.
    var (isChallenged, challenges) = (false, 0)
    var phase = Phase.connecting
    /// libcurl's error message.
    var message: UnsafeMutablePointer<CChar>?

    // MARK: The response

    /// Set only for a request with a sink, which sees the response while it arrives. Without one,
    /// the response is built at the end on the caller's thread, which is less busy than the loop's.
    var builder: ServiceResponseBuilder?
    /// The attribute leaves out Swift's check for overlapping accesses, which would take as long as
    /// reading a header line.
    @exclusivity(unchecked) var head: CurlHead
    @exclusivity(unchecked) var data = Data()
    /// Used instead of `data` for a large body.
    var buffer: CurlBuffer?
    var decoders: [CurlDecoder] = []
    var hasBegun = false
    /// When the request started, and the seconds from then until the headers and the end of the
    /// response.
    let start = Date()
    var firstByte: TimeInterval?
    var total: TimeInterval = 0
    /// Empty until the end, because a waiting call should take little memory.
    var metrics: [ServiceMetrics] = []
    var (unpacked, decoded) = (Int64(0), Int64(0))
    /// The error with which a callback stopped the transfer.
    var failure: (any Error)?
    let body: Data?
    /// Whether the request's body is a stream.
    let isStreamed: Bool
    var (offset, sent) = (0, Int64(0))
    /// How many bytes of the response's body have arrived, before decompression.
    var arrived: Int64 = 0
    /// Whether the upload ends without the rest of its stream.
    var isUploadOver = false

    /// Whether the sink has paused the transfer. Uses the loop's lock: an extra one costs four
    /// allocations.
    private var isHeld = false
    /// Whether the sink has cancelled the transfer. Used under the loop's lock.
    var isStopped = false
    /// Whether libcurl has paused the upload, because its stream has no bytes yet, or the download, for
    /// the sink.
    var (isUploadPaused, isDownloadPaused) = (false, false)
    var isPaused: Bool { isUploadPaused || isDownloadPaused }
    /// Whether the download is paused until the next turn of the loop, so that others get their turn.
    var isHeldBack = false
    /// How many of the bytes that libcurl holds have been decoded already.
    var decodedBefore = 0
    /// The time of the last turn that decompressed bytes.
    var decodingTurn: UInt64 = 0
    /// How many bytes of a chunked body libcurl has read in one turn, and the time of that turn.
    var chunkBytes = 0
    var chunkTurn: UInt64 = 0

    /// - Throws: A `URLError` if the request must not be sent, such as for a bad header field.
    init(_ request: borrowing ServiceRequest, _ loop: CurlLoop) throws {
        guard let url = request.urlRequest.url else { throw URLError(.badURL) }
        (self.request, self.url, self.loop) = (copy request, url, loop)
        idleTimeout = Self.nanoseconds(request.urlRequest.timeoutInterval)
        body = request.urlRequest.httpBody
        method = request.urlRequest.httpMethod ?? "GET"
        isStreamed = request.urlRequest.httpBodyStream != nil
        sendsBody =
            body?.isEmpty == false || isStreamed || ["POST", "PUT", "PATCH"].contains(method)
        let fields = request.urlRequest.allHTTPHeaderFields ?? [:]
        if isStreamed {
            let length = fields.first { $0.key.lowercased() == "content-length" }?.value
            size = length.flatMap { Int64($0) } ?? -1
        } else {
            size = Int64(body?.count ?? 0)
        }
        (target, lines) = try Self.wire(
            url, method, fields,
            isStream: request.bodySink?.destination == .stream,
            loop.library)
        if let find = loop.limits.digestCredential {
            let isAuthorized = lines.contains { $0.lowercased().hasPrefix("authorization:") }
            credential = isAuthorized ? nil : find(url)
        } else {
            credential = nil
        }
        let isNew = loop.library.curl.pointee.version >= 0x080400
        allowsHTTP2 = loop.limits.allowsHTTP2 && isNew && url.scheme?.lowercased() == "https"
        head = CurlHead(allowsHTTP2: allowsHTTP2)
        guard request.bodySink != nil else { return }
        // A sink may outlive the transfer and the loop.
        let control = ServiceTransferControl(
            cancel: { [weak self] in self?.stop() },
            pause: { [weak self] isHeld in self?.hold(isHeld) })
        builder = ServiceResponseBuilder(for: self.request, control: control)
    }

    /// Converts seconds to nanoseconds. More than a week counts as a week, and NaN or values that
    /// aren't above 0 count as a minute. (Converting NaN or infinity would trap.)
    static func nanoseconds(_ seconds: TimeInterval) -> UInt64 {
        seconds > 0
            ? UInt64(min(max(seconds, 0.001), ServiceRequest.maximumTimeout) * 1e9) : 60_000_000_000
    }

    deinit { message?.deallocate() }

    func begin(_ continuation: UnsafeContinuation<Void, any Error>) {
        self.continuation = continuation
        loop.start(self)
    }

    /// Cancels the transfer, even if the rest of the response arrives first.
    private func stop() {
        loop.lock.withLock { isStopped = true }
        loop.post(.cancel(self))
    }

    private func hold(_ isHeld: Bool) {
        loop.lock.withLock { self.isHeld = isHeld }
        if !isHeld { loop.post(.resume(self)) }
    }

    // MARK: - Callbacks from libcurl

    /// Reads a line of the headers. Returns whether the transfer continues.
    func read(header line: UnsafeRawBufferPointer) -> Bool {
        act {
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
            if head.isChunked, head.length != nil {
                try set(CCURL_FORBID_REUSE, 1)
            }
            // So that libcurl calls `didReadChunks`.
            if head.isChunked { try set(CCURL_VERBOSE, 1) }
            isChallenged = credential != nil && head.status == 401
            if !isChallenged { try beginBody() }
        }
    }

    /// Whether the headers show that the whole response has arrived.
    var isAnswered: Bool {
        guard hasBegun, !head.isChunked else { return false }
        return [204, 304].contains(head.status) || head.length == arrived
    }

    /// Begins the body of the response. After a challenge, this waits until libcurl delivers the
    /// body or ends: libcurl may send the request again instead.
    func beginBody() throws {
        (hasBegun, phase) = (true, .receiving)
        firstByte = elapsed
        if !head.codings.isEmpty, head.status != 206, method != "HEAD" {
            decoders = try CurlDecoder.decoders(String(decoding: head.codings, as: UTF8.self))
        }
        if builder != nil { try deliverHeaders() }
        loop.multi.checkAnswer(of: self)
    }

    private func deliverHeaders() throws {
        let fields = head.headers()
        let response = ServiceResponse(
            request: request, statusCode: head.status, headers: fields)
        if let response = try builder?.didReceive(response) {
            resume(response)
        }
    }

    /// Reads a chunk of the body. Returns how many bytes were read, or `CCURL_WRITE_PAUSE`.
    func read(body bytes: UnsafeRawBufferPointer) -> Int {
        if loop.lock.withLock({ isHeld }) {
            isDownloadPaused = true
            return CCURL_WRITE_PAUSE
        }
        let lastActivity = activity
        let lastUnpacked = unpacked
        var isDecoded = false
        let isGood = act {
            if isChallenged, !hasBegun { try beginBody() }
            isDecoded = try decode(bytes)
            guard isDecoded else { return continueLater() }
            arrived += Int64(bytes.count)
            loop.multi.checkAnswer(of: self)
        }
        // Compressed bytes that decompress to nothing don't count as activity.
        if !decoders.isEmpty, unpacked == lastUnpacked { activity = lastActivity }
        guard isGood else { return 0 }
        return isDecoded ? bytes.count : CCURL_WRITE_PAUSE
    }

    func limit(_ count: Int64) throws {
        guard count <= loop.limits.maximumBodySize else {
            let text = "The body is larger than \(loop.limits.maximumBodySize) bytes."
            throw URLError(.dataLengthExceedsMaximum, text)
        }
    }

    func take(_ bytes: UnsafeRawBufferPointer) throws {
        decoded += Int64(bytes.count)
        let isInMemory = request.bodySink?.destination ?? .memory == .memory
        let isSuccess = request.validStatusCodes.contains(head.status)
        if isInMemory || !isSuccess { try limit(decoded) }
        if let builder { return try builder.didReceive(Data(bytes)) }
        if decoded == bytes.count {
            // The whole body at once.
            if head.length == decoded { return data = Data(bytes) }
            reserve()
        }
        if let buffer {
            let isWhole = buffer.append(bytes)
            guard isWhole else { throw CurlHead.fault("its body is longer than 'Content-Length'") }
        } else {
            data.append(contentsOf: bytes)
        }
    }

    /// Reserves memory for a body whose first bytes have arrived.
    private func reserve() {
        guard !head.isChunked, let length = head.length else { return }
        buffer = decoders.isEmpty ? loop.buffers.take(length) : nil
        if buffer == nil { data.reserveCapacity(Int(min(length, 1 << 20))) }
    }

    /// Runs a callback's work. Returns whether it succeeded: an error stops the transfer.
    func act(_ body: () throws -> Void) -> Bool {
        guard failure == nil, !isEnded else { return false }
        activity = loop.multi.now
        do {
            try body()
            return true
        } catch {
            failure = error
            return false
        }
    }

    var elapsed: TimeInterval { max(0, -start.timeIntervalSinceNow) }
}

extension URLError {
    init(_ code: Code, _ text: String) {
        self.init(code, userInfo: [NSLocalizedDescriptionKey: text])
    }
}
#endif
