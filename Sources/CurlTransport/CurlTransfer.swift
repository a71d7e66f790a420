// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import CCurl
import Foundation
import FoundationNetworking
import ServiceProvider

/// One exchange: what libcurl asks for and tells, and what comes of it.
///
/// Made by who waits for it, it belongs to the loop's thread from its start to its end, but for `isHeld`;
/// then `response()` is read by who waits.
final class CurlTransfer: @unchecked Sendable {
    enum Phase: String { case connecting, sending, waiting, receiving }

    let request: ServiceRequest
    let url: URL
    /// The URL and the header fields as libcurl takes them, and the size of the body; -1 when unknown.
    let target: String
    let lines: [String]
    let size: Int64
    /// Over TLS only; before libcurl 8.4.0, a body that was cut over HTTP/2 could count as whole.
    let allowsHTTP2: Bool
    let loop: CurlLoop
    private var continuation: CheckedContinuation<Void, any Error>?
    /// The response that the builder made, for the caller.
    private var told: ServiceResponse?

    // MARK: For the loop

    /// The handle, and the list of header fields that it has.
    var (easy, fields): (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?)
    var (isBegun, isCancelled, isEnded) = (false, false, false)
    /// Whether it was kept from a connection that was not clean, or not new, and is to get a new one.
    var isRefused = false
    /// When anything happened last, and until when all must be done, in nanoseconds.
    var activity: UInt64 = 0
    var end: UInt64 = .max
    let patience: UInt64
    var timesSent = 0
    var phase = Phase.connecting
    /// What libcurl says of an error.
    var message: UnsafeMutablePointer<CChar>?

    // MARK: The exchange

    /// For those who are to see the answer as it arrives. Of all others only the end counts, and they are
    /// made a response where they are waited for, which is a thread less busy than the loop's.
    private var builder: ServiceResponseBuilder?
    var head: CurlHead
    private var data = Data()
    private var decoders: [CurlDecoder] = []
    private var hasBegun = false
    private var (received, unpacked, decoded) = (Int64(0), Int64(0), Int64(0))
    /// Why the exchange was stopped by this side.
    var failure: (any Error)?
    private var body: Data?
    private var (offset, sent) = (0, Int64(0))

    /// Touched under the loop's lock alone: one of its own is four allocations.
    private var isHeld = false
    /// Whether libcurl holds the transfer back.
    var isPaused = false

    /// - Throws: A `URLError` for what must not go over a wire.
    init(_ request: ServiceRequest, _ loop: CurlLoop) throws {
        guard let url = request.urlRequest.url else { throw URLError(.badURL) }
        (self.request, self.url, self.loop) = (request, url, loop)
        patience = Self.nanoseconds(request.urlRequest.timeoutInterval)
        body = request.urlRequest.httpBody
        let fields = request.urlRequest.allHTTPHeaderFields ?? [:]
        let length = fields.first { $0.key.lowercased() == "content-length" }?.value
        size =
            request.urlRequest.httpBodyStream == nil
            ? Int64(body?.count ?? 0) : length.flatMap { Int64($0) } ?? -1
        (target, lines) = try Self.wire(
            url, request.urlRequest.httpMethod, fields,
            isStream: request.bodySink?.destination == .stream,
            loop.library)
        let isNew = loop.library.curl.pointee.version >= 0x080400
        allowsHTTP2 = loop.limits.allowsHTTP2 && isNew && url.scheme?.lowercased() == "https"
        head = CurlHead(allowsHTTP2: allowsHTTP2)
        guard request.bodySink != nil else { return }
        // A sink may outlive the transfer and the loop.
        let control = ServiceTransferControl(
            cancel: { [weak self] in self.map { $0.loop.post(.cancel($0)) } },
            pause: { [weak self] isHeld in self?.hold(isHeld) })
        builder = ServiceResponseBuilder(for: request, control: control)
    }

    /// Of seconds, a week at most; of what are none, a minute. (NaN and infinity would trap.)
    static func nanoseconds(_ seconds: TimeInterval) -> UInt64 {
        seconds > 0 ? UInt64(min(max(seconds, 0.001), ServiceRequest.aWeek) * 1e9) : 60_000_000_000
    }

    deinit { message?.deallocate() }

    func begin(_ continuation: CheckedContinuation<Void, any Error>) {
        self.continuation = continuation
        loop.post(.start(self))
    }

    private func hold(_ isHeld: Bool) {
        loop.lock.withLock { self.isHeld = isHeld }
        if !isHeld { loop.post(.resume(self)) }
    }

    // MARK: - What libcurl tells

    /// - Returns: Whether to go on.
    func read(header line: UnsafeRawBufferPointer) -> Bool {
        act {
            try head.read(line)
            guard phase != .connecting else {
                // A proxy's, that is to give a tunnel. libcurl would read all that follows, at once.
                guard head.status < 300 else {
                    let text = "The proxy gives no tunnel: it answered \(head.status)."
                    throw URLError(.cannotConnectToHost, text)
                }
                return
            }
            if !hasBegun { phase = .waiting }
            guard head.isDone, !hasBegun else { return }
            (hasBegun, phase) = (true, .receiving)
            if !head.codings.isEmpty, head.status != 206, request.urlRequest.httpMethod != "HEAD" {
                decoders = try CurlDecoder.decoders(String(decoding: head.codings, as: UTF8.self))
            }
            if head.isChunked, head.length != nil {
                try set(CCURL_FORBID_REUSE, 1)
            }
            if builder != nil {
                try tellHead()
            } else if let length = head.length {
                data.reserveCapacity(Int(min(length, 1 << 20)))
            }
        }
    }

    private func tellHead() throws {
        let fields = head.headers()
        let response = ServiceResponse(
            request: request, statusCode: head.status, headers: fields)
        if let response = try builder?.didReceive(response) {
            resume(response)
        }
    }

    /// - Returns: How many bytes were taken.
    func read(body bytes: UnsafeRawBufferPointer) -> Int {
        if loop.lock.withLock({ isHeld }) {
            isPaused = true
            return CCURL_WRITE_PAUSE
        }
        return act {
            received += Int64(bytes.count)
            try decode(bytes, from: 0)
        } ? bytes.count : 0
    }

    private func decode(_ bytes: UnsafeRawBufferPointer, from index: Int) throws {
        guard index < decoders.count else { return try take(bytes) }
        try decoders[index].decode(bytes) {
            // Of each coding: what comes out of the first may be much, and nothing in the end.
            unpacked += Int64($0.count)
            try limit(unpacked)
            try decode($0, from: index + 1)
        }
    }

    private func limit(_ count: Int64) throws {
        guard count <= loop.limits.maximumBodySize else {
            let text = "The body has more than \(loop.limits.maximumBodySize) bytes."
            throw URLError(.dataLengthExceedsMaximum, text)
        }
    }

    private func take(_ bytes: UnsafeRawBufferPointer) throws {
        decoded += Int64(bytes.count)
        let isInMemory = request.bodySink?.destination ?? .memory == .memory
        let isSuccess = request.validStatusCodes.contains(head.status)
        if isInMemory || !isSuccess { try limit(decoded) }
        if builder != nil {
            try builder?.didReceive(Data(bytes))
        } else {
            data.append(contentsOf: bytes)
        }
    }

    /// - Returns: How many bytes were written.
    func write(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        var count = 0
        let isGood = act {
            phase = .sending
            // More than was announced would be another request.
            let room = size < 0 ? buffer.count : Int(min(Int64(buffer.count), size - sent))
            if let stream = request.urlRequest.httpBodyStream, room > 0 {
                if stream.streamStatus == .notOpen { stream.open() }
                let start = buffer.bindMemory(to: UInt8.self).baseAddress
                count = start.map { stream.read($0, maxLength: room) } ?? 0
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

    /// Begins the body anew.
    func rewind() -> Bool {
        (offset, sent) = (0, 0)
        return request.urlRequest.httpBodyStream == nil
    }

    /// Does something, and stops the exchange where that fails.
    private func act(_ body: () throws -> Void) -> Bool {
        guard failure == nil, !isEnded else { return false }
        activity = loop.now
        do {
            try body()
            return true
        } catch {
            failure = error
            return false
        }
    }

    // MARK: - The end

    /// - Parameter wire: How many bytes of the body came, as libcurl counts.
    func check(wire: Int64) throws {
        if let failure { throw failure }
        guard hasBegun else {
            throw URLError(
                .networkConnectionLost, "The connection was lost within the head of the answer.")
        }
        let hasBody = request.urlRequest.httpMethod != "HEAD" && ![204, 304].contains(head.status)
        if hasBody, !head.isChunked, let length = head.length, wire != length {
            throw URLError(
                .networkConnectionLost, "The body ended after \(wire) of \(length) bytes.")
        }
        guard received == 0 || decoders.allSatisfy(\.isComplete) else {
            throw URLError(.cannotDecodeRawData, "The compressed body is not complete.")
        }
    }

    /// Ends it, once, for who waits.
    func complete(_ error: (any Error)?) {
        do {
            let response = try builder?.end(error)
            if let error { throw error }
            resume(response)
        } catch {
            continuation.take()?.resume(throwing: error)
        }
    }

    private func resume(_ response: ServiceResponse?) {
        guard let waiter = continuation.take() else { return }
        told = response
        loop.synchronize()
        waiter.resume()
    }

    /// The answer, for who has waited for it: made only now where nobody has observed the exchange.
    func response() throws -> ServiceResponse {
        if let told { return told }
        let head = head
        return ServiceResponse(
            request: request, statusCode: head.status, headers: head.headers(), data: data)
    }
}

extension URLError {
    init(_ code: Code, _ text: String) {
        self.init(code, userInfo: [NSLocalizedDescriptionKey: text])
    }
}
#endif
