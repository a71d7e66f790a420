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
    enum Phase: String {
        case queued = "waiting for a place"
        case connecting, sending, waiting, receiving
    }

    enum State: Equatable {
        case new
        /// The cancellation has arrived before the start.
        case cancelled
        /// The transfer waits for a place, with this ticket.
        case waiting(Int)
        case running
        case ended
    }

    let request: ServiceRequest
    let url: URL
    let method: String
    /// Whether libcurl sends a body, which may be empty.
    let sendsBody: Bool
    /// libcurl's header lines.
    let lines: [String]
    /// The size of the request's body: -1 if unknown.
    let size: Int64
    /// Identifies the host and port of the URL. Two of them may have the same number, by chance.
    let host: Int
    /// The newest version of HTTP that the request allows.
    let version: CurlHTTPVersion
    let loop: CurlLoop
    /// Resumed once, because the code that resumes it takes it away. A checked continuation takes 1 % more
    /// instructions for each request.
    var continuation: UnsafeContinuation<Void, any Error>?
    /// The response that the builder returned, for the caller. A list, because an empty one takes less memory in each
    /// waiting call than an Optional.
    var built: [ServiceResponse] = []

    // MARK: For the loop

    /// libcurl's handle.
    var easy: UnsafeMutableRawPointer?
    /// The first and the last node of libcurl's list of header fields.
    var fields: UnsafeMutableRawPointer?
    var lastField: UnsafeMutableRawPointer?
    var state = State.new
    /// Whether a reused connection wasn't safe to use, so that the next attempt needs a new one.
    var isRefused = false
    /// Whether the last address of the host wasn't public, although it had to be.
    var isPrivateAddress = false
    /// The time of the start or of the last activity, in nanoseconds.
    var activity: UInt64 = 0
    /// The longest time without activity, in nanoseconds.
    let idleTimeout: UInt64
    var timesSent = 0
    /// The sockets that were opened for this transfer.
    var sockets: [Int32] = []
    /// The connection over which the request was sent.
    var connection: CurlConnections.Key?
    var phase = Phase.queued
    /// libcurl's error message.
    var message: UnsafeMutablePointer<CChar>?

    // MARK: The request's body

    let body: Data?
    /// Whether the body is a stream.
    let isStreamed: Bool
    var sent: Int64 = 0
    /// Whether libcurl has paused the upload, because its stream has no bytes yet.
    var isUploadPaused = false

    // MARK: The response

    /// Set only for a request with a sink, which sees the response while it arrives. Without one,
    /// the response is built at the end on the caller's thread, which is less busy than the loop's.
    var builder: ServiceResponseBuilder?
    var head: CurlHead
    /// The largest body in memory, in bytes.
    let maximumBodySize: Int64
    var data = Data()
    /// Used instead of `data` for a large body.
    var buffer: CurlBuffer?
    var decoder: CurlDecoder?
    var hasBegun = false
    /// When the request started.
    let start = Date()
    /// The seconds from the start until the headers of the response.
    var firstByte: TimeInterval?
    /// The seconds from the start until the end of the response.
    var total: TimeInterval = 0
    /// Empty until the end, and a list for the same reason.
    var metrics: [ServiceMetrics] = []
    /// How many bytes of the body have arrived, before decompression.
    var arrived: Int64 = 0
    /// The size of the body so far, after decompression.
    var decoded: Int64 = 0
    /// The error with which a callback stopped the transfer.
    var failure: (any Error)?
    /// Whether the sink has paused the transfer. Uses the loop's lock: an extra one costs four
    /// allocations.
    var isHeld = false
    /// Whether the sink has cancelled the transfer. Used under the loop's lock.
    var isStopped = false
    /// Whether libcurl has paused the download, for the sink.
    var isDownloadPaused = false
    var isPaused: Bool { isUploadPaused || isDownloadPaused || isHeldBack }
    var isWaitingForUpload: Bool { isUploadPaused && !isDownloadPaused && !isHeldBack }
    /// Whether the download is paused until the next turn of the loop, so that others get their turn.
    var isHeldBack = false
    /// How many of the bytes that libcurl holds have been decoded already.
    var decodedBefore = 0
    /// The time of the last turn that decompressed bytes.
    var decodingTurn: UInt64 = 0
    /// How many bytes of a chunked body libcurl has read in one turn, and the time of that turn.
    var chunkBytes = 0
    var chunkTurn: UInt64 = 0
    /// The last bytes of a chunked body, if the upload could last longer than the response.
    var lastBytes: [UInt8] = []

    /// - Throws: A `URLError` if the request must not be sent, such as for a bad header field.
    init(_ request: borrowing ServiceRequest, _ loop: CurlLoop) throws {
        guard let url = request.urlRequest.url else { throw URLError(.badURL) }
        self.request = copy request
        self.url = url
        self.loop = loop
        let authority = url.absoluteString.utf8.drop { $0 != 0x2F }.dropFirst(2)
            .prefix { $0 != 0x2F && $0 != 0x3F && $0 != 0x23 }
        var hasher = Hasher()
        authority.withContiguousStorageIfAvailable { hasher.combine(bytes: .init($0)) }
        host = hasher.finalize()
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
        let isStream = request.bodySink?.destination == .stream
        lines = try Self.lines(method, fields, isStream: isStream, loop.library)
        maximumBodySize = request.maximumBodySize ?? loop.configuration.maximumBodySize
        version = .newest(for: url, loop)
        head = CurlHead(version)
        guard request.bodySink != nil else { return }
        // A sink may outlive the transfer and the loop.
        let control = ServiceTransferControl(
            cancel: { [weak self] in self?.stop() },
            setPaused: { [weak self] isHeld in self?.hold(isHeld) })
        builder = ServiceResponseBuilder(
            for: self.request, control: control, maximumBodySize: maximumBodySize)
    }

    /// Converts seconds to nanoseconds. More than a week counts as a week, and NaN or values that
    /// aren't above 0 count as a minute. (Converting NaN or infinity would trap.)
    static func nanoseconds(_ seconds: TimeInterval) -> UInt64 {
        guard seconds > 0 else { return 60_000_000_000 }
        return UInt64(min(max(seconds, 0.001), ServiceRequest.maximumTimeout) * 1e9)
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

    /// Runs a callback's work. Returns whether it succeeded: an error stops the transfer.
    func act(_ body: () throws -> Void) -> Bool {
        guard failure == nil, state != .ended else { return false }
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

#endif
