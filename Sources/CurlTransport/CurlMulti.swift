// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import CCurl

/// libcurl's multi interface, with the transfers that it runs. Used only in a turn of the loop.
final class CurlMulti {
    /// The calls and drains that have ended in a turn. Their callers are resumed after it.
    struct Ended {
        struct Call {
            let transfer: CurlTransfer
            let error: (any Error)?
            let metrics: ServiceMetrics?
        }

        var calls: [Call] = []
        /// Those that wait for the end of all transfers.
        var drains: [UnsafeContinuation<Void, Never>] = []
    }

    let configuration: CurlTransport.Configuration
    let curl: UnsafePointer<ccurl>
    let proxies: CurlProxies
    /// libcurl's list of the hosts that have an address by hand. Nil if no host has one.
    let addressOverrides: UnsafeMutableRawPointer?
    let poll: CurlPoll
    /// libcurl's handle for all transfers, and the time by which it wants to be called.
    let multi: UnsafeMutableRawPointer
    private var timer: UInt64 = .max
    /// libcurl's handle for closing idle connections, while libcurl has it.
    var sweeper: UnsafeMutableRawPointer?

    var running: [UnsafeMutableRawPointer: CurlTransfer] = [:]
    var places: CurlPlaces
    var connections: CurlConnections
    private var ended = Ended()

    /// The running transfers that send a stream.
    var streamUploads: [UnsafeMutableRawPointer: StreamUpload] = [:]
    /// Those that may have ended in this turn.
    var toReview: [CurlTransfer] = []

    /// The time of this turn, in nanoseconds.
    private(set) var now: UInt64 = 0
    /// The earliest time at which a transfer may time out.
    private var nextTimeoutCheck: UInt64 = .max
    /// The time at which all transfers end. Nil unless the transport drains.
    private var drainEnd: UInt64?
    private var drains: [UnsafeContinuation<Void, Never>] = []

    init(
        _ library: CurlLibrary, _ configuration: CurlTransport.Configuration, _ poll: CurlPoll
    ) throws(CurlUnavailable) {
        self.configuration = configuration
        self.poll = poll
        curl = library.curl
        proxies = try CurlProxies(configuration.proxy)
        addressOverrides = try Self.list(configuration.dnsOverride, curl)
        let places = configuration.maximumTransfers
        self.places = CurlPlaces(places, perHost: configuration.maximumTransfersPerHost)
        connections = CurlConnections(
            maximumIdle: configuration.maximumIdleConnections,
            idleTime: CurlTransfer.nanoseconds(configuration.maximumIdleTime))
        var callbacks = curlCallbacks
        // `connections` decides which idle ones are closed. So libcurl keeps all that can be in use.
        guard let multi = ccurl_multi(curl, &callbacks, 2 * places) else {
            throw CurlUnavailable(reason: "there isn't enough memory")
        }
        self.multi = multi
        let owner = Unmanaged.passUnretained(self).toOpaque()
        ccurl_set_owner(curl, multi, owner)
    }

    /// libcurl's list of "HOST::ADDRESS:", which is for any port.
    private static func list(
        _ addresses: [String: String], _ curl: UnsafePointer<ccurl>
    ) throws(CurlUnavailable) -> UnsafeMutableRawPointer? {
        var first: UnsafeMutableRawPointer?
        var last: UnsafeMutableRawPointer?
        for (host, address) in addresses {
            let isIPv6 = address.contains(":") && !address.hasPrefix("[")
            guard isValid(host: host, address: address) else {
                throw CurlUnavailable(
                    reason: "'dnsOverride' has a host or an address that isn't valid")
            }
            let line = isIPv6 ? "\(host)::[\(address)]:" : "\(host)::\(address):"
            guard let node = ccurl_slist_append(curl, last, line) else {
                throw CurlUnavailable(reason: "there isn't enough memory")
            }
            first = first ?? node
            last = node
        }
        return first
    }

    /// libcurl would ignore an entry that isn't valid, and connect to the host's real address.
    private static func isValid(host: String, address: String) -> Bool {
        let isText = host.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F && $0 != 0x3A }
        let isName = isText && !host.isEmpty && !host.hasSuffix(".")
        let isBracketed = address.hasPrefix("[") && address.hasSuffix("]")
        let plain = isBracketed ? String(address.dropFirst().dropLast()) : address
        var bytes = in6_addr()
        let isIPv4 = !isBracketed && inet_pton(AF_INET, plain, &bytes) == 1
        return isName && (isIPv4 || inet_pton(AF_INET6, plain, &bytes) == 1)
    }

    /// Closes all connections.
    func closeAll() {
        ccurl_enter()
        endSweep()
        _ = curl.pointee.multi_cleanup(multi)
        curl.pointee.slist_free_all(addressOverrides)
        ccurl_leave()
    }

    /// Whether no transfer runs or waits.
    var isIdle: Bool { places.isEmpty }

    /// Whether a waiting transfer can start now.
    var canStart: Bool { places.hasNext }

    /// The time of the next turn if nothing happens before, in nanoseconds.
    var next: UInt64 {
        min(nextTimeoutCheck, timer, connections.nextCheck, drainEnd ?? .max)
    }

    var statistics: CurlTransport.Statistics {
        var statistics = CurlTransport.Statistics()
        statistics.runningTransfers = places.running
        statistics.waitingTransfers = places.waiting.count
        statistics.openConnections = poll.socketCount
        statistics.idleConnections = connections.idleCount
        return statistics
    }

    static func time() -> UInt64 { DispatchTime.now().uptimeNanoseconds }

    // MARK: - A turn

    /// Does everything that is due. Returns the calls and drains that have ended.
    func run(_ commands: [CurlLoop.Command], _ events: ArraySlice<epoll_event> = []) -> Ended {
        now = Self.time()
        for event in events {
            handle(event)
        }
        for command in commands {
            perform(command)
        }
        while let transfer = places.next() { attach(transfer) }
        if timer <= now {
            timer = .max
            act(on: -1, 0)
        }
        closeIdle()
        endDone()
        endReviewed()
        endLate()
        drain()
        defer { ended = Ended() }
        return ended
    }

    private func handle(_ event: epoll_event) {
        switch poll.meaning(of: event) {
        case .wanted(let what, let socket): act(on: socket, what)
        case .closed(let socket): connections.noteEnd(of: socket, now: now)
        case .other: break
        }
    }

    /// Lets libcurl handle the events of a socket, or its timer if the socket is -1.
    func act(on socket: Int32, _ what: Int32) {
        var count: Int32 = 0
        _ = curl.pointee.multi_socket_action(multi, socket, what, &count)
    }

    /// - Parameter milliseconds: How long until libcurl wants to be called. Negative: not at all.
    func setTimer(_ milliseconds: Int) {
        timer = milliseconds < 0 ? .max : now + UInt64(milliseconds) * 1_000_000
    }

    private func perform(_ command: CurlLoop.Command) {
        switch command {
        case .start(let transfer): start(transfer)
        case .cancel(let transfer):
            guard transfer.state == .new else { return end(transfer, URLError(.cancelled)) }
            transfer.state = .cancelled
        case .resumeUpload(let transfer):
            // This isn't activity: the stream may have no bytes.
            if transfer.upload.resume() { resume(transfer) }
        case .resumeDownload(let transfer): resumeDownload(of: transfer)
        case .drain(let end, let waiter):
            drainEnd = min(drainEnd ?? .max, end)
            if let waiter { drains.append(waiter) }
        }
    }

    // MARK: - Transfers

    private func start(_ transfer: CurlTransfer) {
        guard transfer.state == .new else { return end(transfer, URLError(.cancelled)) }
        guard drainEnd == nil else {
            return end(transfer, URLError(.cancelled, "The transport is shutting down."))
        }
        setActive(transfer)
        if places.add(transfer) {
            attach(transfer)
        }
    }

    private func setActive(_ transfer: CurlTransfer) {
        transfer.activity = now
        nextTimeoutCheck = min(nextTimeoutCheck, now + transfer.idleTimeout)
    }

    private func attach(_ transfer: CurlTransfer) {
        do {
            let easy = try transfer.easy ?? transfer.prepare()
            if transfer.route.needsNewConnection {
                try transfer.set(CCURL_FRESH_CONNECT, 1)
            }
            running[easy] = transfer
            if transfer.upload.isStreamed {
                streamUploads[easy] = StreamUpload(transfer: transfer)
            }
            let code = curl.pointee.multi_add_handle(multi, easy)
            guard code == 0 else {
                throw URLError(.unknown, "libcurl refused a transfer (\(code)).")
            }
        } catch {
            end(transfer, error)
        }
    }

    private func resumeDownload(of transfer: CurlTransfer) {
        switch transfer.download.flow {
        case .flowing: return
        case .heldForTurn: break
        case .heldBySink: setActive(transfer)
        }
        transfer.download.flow = .flowing
        resume(transfer)
    }

    private func resume(_ transfer: CurlTransfer) {
        guard transfer.state == .running else { return }
        // libcurl may deliver more of the body during this call.
        let code = transfer.applyPauses()
        reviewLater(transfer)
        // A bad argument: the transfer has ended, and libcurl is about to report that. It doesn't report other
        // errors of this call again.
        if code != 0, code != CCURL_BAD_FUNCTION_ARGUMENT {
            end(transfer, transfer.failure ?? error(code, of: transfer))
        }
    }

    func endDone() {
        var left: Int32 = 0
        while let message = curl.pointee.multi_info_read(multi, &left)?.pointee {
            guard message.message == CCURL_MESSAGE_DONE else { continue }
            if message.easy == sweeper {
                endSweep()
            } else if let transfer = running[message.easy] {
                endDone(transfer, message.data.code)
            }
        }
    }

    private func endDone(_ transfer: CurlTransfer, _ code: Int32) {
        guard code != 0, transfer.failure == nil else {
            return end(transfer, finalError(of: transfer, code))
        }
        if code == CCURL_ABORTED_BY_CALLBACK, transfer.route.refusal == .unfitConnection,
            !transfer.route.needsNewConnection
        {
            // `mayBeSent` refused the connection before sending: try again on a new one.
            detach(transfer)
            _ = transfer.upload.rewind()
            transfer.route.needsNewConnection = true
            attach(transfer)
        } else if canWaitForFiles(transfer) {
            waitForFiles(transfer)
        } else {
            end(transfer, finalError(of: transfer, code))
        }
    }

    /// Ends the transfers that have timed out. Checks as rarely as possible, because activity keeps
    /// moving their deadlines.
    private func endLate() {
        guard now >= nextTimeoutCheck else { return }
        nextTimeoutCheck = .max
        for transfer in Array(running.values) + places.waiting.values where transfer.state != .ended
        {
            if transfer.idleEnd <= now {
                let seconds = Double(transfer.idleTimeout) / 1e9
                let text = "no data was transferred for \(seconds) seconds."
                end(transfer, URLError(.timedOut, "Timed out while \(transfer.step): \(text)"))
            } else {
                nextTimeoutCheck = min(nextTimeoutCheck, transfer.idleEnd)
            }
        }
        // Soon enough, and not once for each of many transfers.
        nextTimeoutCheck = max(nextTimeoutCheck, now + 1_000_000)
    }

    /// Takes a transfer from libcurl.
    func detach(_ transfer: CurlTransfer) {
        guard let easy = transfer.easy, running.removeValue(forKey: easy) != nil else { return }
        _ = curl.pointee.multi_remove_handle(multi, easy)
        if transfer.upload.isStreamed {
            streamUploads[easy] = nil
        }
    }

    func end(_ transfer: CurlTransfer, _ error: (any Error)?) {
        guard transfer.state != .ended else { return }
        places.remove(transfer)
        transfer.state = .ended
        let metrics = transfer.measured()
        detach(transfer)
        transfer.leaveConnection()
        // Now, because on a busy machine the caller may run much later.
        transfer.release()
        ended.calls.append(Ended.Call(transfer: transfer, error: error, metrics: metrics))
    }

    // MARK: - Draining

    /// Ends the remaining transfers if the time is over. Resumes the callers of a drain once no transfer is left.
    private func drain() {
        guard let end = drainEnd else { return }
        if end <= now {
            drainEnd = .max
            for transfer in Array(running.values) + places.waiting.values {
                self.end(transfer, URLError(.cancelled, "The transport is shutting down."))
            }
        }
        guard places.isEmpty, !drains.isEmpty else { return }
        connections.shutDownAll(now: now)
        swap(&ended.drains, &drains)
    }
}
#endif
