// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import CCurl

/// Runs one request: handles libcurl's callbacks and collects the response.
///
/// The caller's task creates it, and takes the response at the end. In between, it is used only in turns of the loop, except
/// for its `orders`. The steps:
///
/// 1. `CurlTransport.send` creates the transfer, and `CurlLoop.start` passes it to a turn.
/// 2. `CurlMulti.start` asks `CurlPlaces` for a place (`state`). Then `prepare` makes libcurl's handle, and `CurlMulti.attach`
///    gives it to libcurl. From now on, libcurl calls the functions in `CurlCallbacks`.
/// 3. `CurlTransfer+Route`: libcurl opens a connection or reuses one, and asks whether it may send the request (`route`).
/// 4. `CurlTransfer+Upload`: libcurl asks for the body (`upload`).
/// 5. `CurlTransfer+Download`: libcurl delivers the response (`download`).
/// 6. `CurlMulti.endDone` finds out how the transfer ended, and `CurlMulti.end` takes it from libcurl (`state`).
/// 7. `CurlTransfer+End`: after the turn, the caller gets the response or an error (`outcome`).
final class CurlTransfer: @unchecked Sendable {
    enum State: Equatable {
        /// No turn has seen it.
        case new
        /// The cancellation has arrived before the start.
        case cancelled
        /// The transfer waits for a place, with this ticket.
        case waiting(Int)
        /// It has a place.
        case running
        /// Its caller gets the result.
        case ended
    }

    /// The result for the caller. Indirect, so that a waiting call has only a pointer for it.
    indirect enum Outcome {
        case pending
        /// `download` has the response.
        case collected(ServiceMetrics)
        /// The builder has made the response.
        case built(ServiceResponse)
    }

    /// The orders of a sink's owner.
    struct Orders {
        /// The download is to pause. It does so when the next bytes of the body arrive (`download.flow`).
        var isHeld = false
        /// The transfer is to end.
        var isStopped = false
    }

    let request: ServiceRequest
    let url: URL
    let method: String
    /// Whether the request has a body, which may be empty. libcurl doesn't send that of a HEAD.
    let sendsBody: Bool
    /// libcurl's header lines.
    let lines: [String]
    /// Whether the caller has set `Accept-Encoding`.
    let asksForCoding: Bool
    /// Identifies the host and port of the URL. Two of them may have the same number, by chance.
    let host: Int
    /// The newest version of HTTP that the request allows.
    let version: CurlHTTPVersion
    /// The largest body in memory, in bytes.
    let maximumBodySize: Int64
    /// The longest time without activity, in nanoseconds.
    let idleTimeout: UInt64
    let loop: CurlLoop
    /// The priority of the caller's task.
    let priority = Task.currentPriority
    /// When the request started.
    let start = Date()

    /// Resumed once, because the code that resumes it takes it away. A checked continuation takes 1 % more
    /// instructions for each request.
    var continuation: UnsafeContinuation<Void, any Error>?
    var outcome = Outcome.pending
    /// Used only under `loop.lock`. (A lock of its own costs four allocations.)
    var orders = Orders()

    var state = State.new
    /// The time of the start or of the last activity, in nanoseconds.
    var activity: UInt64 = 0
    // Unchecked, because checking each access takes 3.5 % more instructions for a request (callgrind, 28 November 2026). No
    // mutating function of these types calls back into the transfer.
    @exclusivity(unchecked) var route = CurlRoute()
    @exclusivity(unchecked) var upload: CurlUpload
    @exclusivity(unchecked) var download: CurlDownload
    /// Set only for a request with a sink, which sees the response while it arrives. Without one,
    /// the response is built at the end on the caller's thread, which is less busy than the loop's.
    var builder: ServiceResponseBuilder?
    /// The error with which a callback stopped the transfer.
    var failure: (any Error)?

    /// libcurl's handle.
    var easy: UnsafeMutableRawPointer?
    /// The first and the last node of libcurl's list of header fields.
    var fields: UnsafeMutableRawPointer?
    var lastField: UnsafeMutableRawPointer?
    /// libcurl's error message.
    var message: UnsafeMutablePointer<CChar>?

    /// - Throws: A `URLError` if the request must not be sent, such as for a bad header field.
    init(_ request: borrowing ServiceRequest, _ loop: CurlLoop) throws {
        guard let url = request.urlRequest.url else { throw URLError(.badURL) }
        self.request = copy request
        self.url = url
        self.loop = loop
        host = Self.host(of: url)
        idleTimeout = Self.nanoseconds(request.urlRequest.timeoutInterval)
        method = request.urlRequest.httpMethod ?? "GET"
        upload = CurlUpload(request.urlRequest)
        sendsBody = upload.hasBody || ["POST", "PUT", "PATCH"].contains(method)
        let fields = request.urlRequest.allHTTPHeaderFields ?? [:]
        let isStream = request.bodySink?.destination == .stream
        (lines, asksForCoding) = try Self.lines(
            method, fields, isStream: isStream, loop.library)
        maximumBodySize = request.maximumBodySize ?? loop.configuration.maximumBodySize
        version = .newest(for: url, loop)
        download = CurlDownload(version)
        guard request.bodySink != nil else { return }
        // A sink may outlive the transfer and the loop.
        let control = ServiceTransferControl(
            cancel: { [weak self] in self?.cancelForSink() },
            setPaused: { [weak self] isHeld in self?.hold(isHeld) })
        builder = ServiceResponseBuilder(
            for: self.request, control: control, maximumBodySize: maximumBodySize)
    }

    deinit { message?.deallocate() }

    /// A number for the host and the port of a URL, whatever its case and its user are.
    private static func host(of url: URL) -> Int {
        var text = url.absoluteString
        return text.withUTF8(hash(hostOf:))
    }

    private static func hash(hostOf url: UnsafeBufferPointer<UInt8>) -> Int {
        let authority = url.drop { $0 != 0x2F }.dropFirst(2)
            .prefix { $0 != 0x2F && $0 != 0x3F && $0 != 0x23 }
        let start = authority.lastIndex(of: 0x40).map { $0 + 1 } ?? authority.startIndex
        let address = authority[start...]
        var host = address
        var port = url.dropFirst(4).first == 0x3A ? 80 : 443
        // Not a colon in an IPv6 address.
        if let colon = address.lastIndex(of: 0x3A), address.last != 0x5D {
            host = address[..<colon]
            port = Int(String(decoding: address[(colon + 1)...], as: UTF8.self)) ?? port
        }
        var hasher = Hasher()
        for byte in host {
            hasher.combine(0x41...0x5A ~= byte ? byte | 0x20 : byte)
        }
        hasher.combine(port)
        return hasher.finalize()
    }

    /// Converts seconds to nanoseconds. More than a week counts as a week, and NaN or values that
    /// aren't above 0 count as a minute. (Converting NaN or infinity would trap.)
    static func nanoseconds(_ seconds: TimeInterval) -> UInt64 {
        guard seconds > 0 else { return 60_000_000_000 }
        return UInt64(min(max(seconds, 0.001), ServiceRequest.maximumTimeout) * 1e9)
    }

    func begin(_ continuation: UnsafeContinuation<Void, any Error>) {
        self.continuation = continuation
        loop.start(self)
    }

    // MARK: - Orders of the sink's owner, on any thread

    /// Cancels the transfer, even if the rest of the response arrives first.
    private func cancelForSink() {
        loop.lock.withLock { orders.isStopped = true }
        loop.post(.cancel(self))
    }

    private func hold(_ isHeld: Bool) {
        loop.lock.withLock { orders.isHeld = isHeld }
        if !isHeld { loop.post(.resumeDownload(self)) }
    }

    // MARK: - In a turn of the loop

    /// Runs a callback's work. Returns whether it succeeded: an error stops the transfer.
    func act(_ body: () throws -> Void) -> Bool {
        guard failure == nil, state != .ended else { return false }
        do {
            try body()
            return true
        } catch {
            failure = error
            return false
        }
    }

    var elapsed: TimeInterval { max(0, -start.timeIntervalSinceNow) }

    /// Describes the current step of the transfer, for an error's text.
    var step: String {
        if case .waiting = state { return "waiting for a place" }
        if route.addresses == nil { return "connecting" }
        if download.hasBegun { return "receiving" }
        return upload.progress == .complete ? "waiting" : "sending"
    }

    /// The time by which something must happen. A sink may pause the download for any time.
    var idleEnd: UInt64 { download.flow == .heldBySink ? .max : activity + idleTimeout }

    /// Lets libcurl pause what waits, and resume what doesn't. Sets both directions, because libcurl resumes
    /// a direction that isn't named. Returns libcurl's code.
    @discardableResult
    func applyPauses() -> Int32 {
        guard let easy else { return 0 }
        let sending = upload.waitsForStream ? CCURL_PAUSE_SEND : 0
        let receiving = download.flow == .flowing ? 0 : CCURL_PAUSE_RECV
        return loop.library.curl.pointee.easy_pause(easy, Int32(sending | receiving))
    }
}
#endif
