// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import CCurl

/// libcurl's multi interface, with the transfers that it runs. Used only in a turn of the loop.
final class CurlMulti {
    /// The transfers that have ended, each with its error. Their callers are resumed after the turn.
    typealias Ended = [(transfer: CurlTransfer, error: (any Error)?)]

    let library: CurlLibrary
    let limits: CurlTransport.Configuration
    let curl: UnsafePointer<ccurl>
    let poll: CurlPoll
    /// Whether the environment names a proxy. Read only once: reading it while another thread changes it
    /// can crash.
    let hasProxy = ProcessInfo.processInfo.environment.contains { name, value in
        ["http_proxy", "https_proxy", "all_proxy"].contains(name.lowercased()) && !value.isEmpty
    }

    // The attribute leaves out Swift's check for overlapping accesses, which takes long in total.
    @exclusivity(unchecked) private var running: [UnsafeMutableRawPointer: CurlTransfer] = [:]
    /// The transfers that wait for their turn. Optional, because a slice keeps its removed elements
    /// alive: each is set to nil when it starts.
    @exclusivity(unchecked) private var waiting: ArraySlice<CurlTransfer?> = []
    @exclusivity(unchecked) private var ended: Ended = []
    /// Transfers that may wait only for their upload, and their sockets.
    @exclusivity(unchecked) var answered: [(CurlTransfer, Int32)] = []
    @exclusivity(unchecked) private var connections = CurlConnections()
    /// The transfers that continue in the next turn.
    @exclusivity(unchecked) private var heldBack: [CurlTransfer] = []
    /// libcurl's handle for all transfers, and the time by which it wants to be called.
    private var multi: UnsafeMutableRawPointer?
    var timer: UInt64 = .max
    /// The time of this turn, in nanoseconds.
    private(set) var now: UInt64 = 0
    /// The earliest time at which a transfer may time out.
    var check: UInt64 = .max

    /// Nil if there isn't enough memory.
    init?(_ library: CurlLibrary, _ limits: CurlTransport.Configuration, _ poll: CurlPoll) {
        (self.library, self.limits, self.poll, curl) = (library, limits, poll, library.curl)
        let owner = Unmanaged.passUnretained(self).toOpaque()
        multi = ccurl_multi(curl, curlCallbacks, owner, limits.maximumTransfers)
        if multi == nil { return nil }
    }

    /// Closes all connections.
    func close() {
        ccurl_enter()
        _ = curl.pointee.multi_cleanup(multi)
        ccurl_leave()
    }

    /// Whether no transfer runs or waits.
    var isIdle: Bool { running.isEmpty && waiting.isEmpty }

    /// Whether a waiting transfer can start now.
    var canStart: Bool { !waiting.isEmpty && running.count < limits.maximumTransfers }

    /// The time of the next turn if nothing happens before, in nanoseconds.
    var next: UInt64 { heldBack.isEmpty ? min(check, timer) : now }

    /// Does everything that is due. Returns the transfers that have ended.
    func run(_ commands: [CurlLoop.Command], _ events: ArraySlice<epoll_event> = []) -> Ended {
        now = Self.time()
        for event in events {
            if let (socket, what) = poll.what(event) { act(on: socket, what) }
        }
        for command in commands { perform(command) }
        startWaiting()
        continueHeldBack()
        if timer <= now { act(on: -1, 0) }
        endDone()
        endAnswered()
        endLate()
        defer { ended = [] }
        return ended
    }

    /// Lets libcurl handle the events of a socket, or its timer if the socket is -1.
    func act(on socket: Int32, _ what: Int32) {
        if socket < 0 { timer = .max }
        var count: Int32 = 0
        _ = curl.pointee.multi_socket_action(multi, socket, what, &count)
    }

    /// - Parameter milliseconds: How long until libcurl wants to be called. Negative: not at all.
    func setTimer(_ milliseconds: Int) {
        timer = milliseconds < 0 ? .max : now + UInt64(milliseconds) * 1_000_000
    }

    func watch(_ socket: Int32, for what: Int32, _ easy: UnsafeMutableRawPointer?) {
        poll.watch(socket, for: what)
        // 4: libcurl doesn't wait for the socket any more.
        guard what == 4, let transfer = easy.flatMap({ running[$0] }), transfer.isStreamed else {
            return
        }
        answered.append((transfer, socket))
    }

    static func time() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    private func perform(_ command: CurlLoop.Command) {
        switch command {
        case .start(let transfer):
            transfer.isBegun = true
            transfer.end = now + CurlTransfer.nanoseconds(limits.maximumTime)
            if transfer.isCancelled { return end(transfer, URLError(.cancelled)) }
            if waiting.isEmpty, running.count < limits.maximumTransfers { return begin(transfer) }
            transfer.place = waiting.endIndex
            waiting.append(transfer)
        case .cancel(let transfer):
            // The cancellation can arrive before the start.
            if transfer.isBegun {
                end(transfer, URLError(.cancelled))
            } else {
                transfer.isCancelled = true
            }
        case .resume(let transfer):
            guard transfer.isPaused, !transfer.isEnded else { return }
            transfer.activity = now
            check = min(check, now + transfer.idleTimeout)
            unpause(transfer)
        }
    }

    private func unpause(_ transfer: CurlTransfer) {
        guard let easy = transfer.easy else { return }
        (transfer.isUploadPaused, transfer.isDownloadPaused) = (false, false)
        transfer.isHeldBack = false
        // libcurl may deliver more of the body during this call.
        let code = curl.pointee.easy_pause(easy, 0)
        // 43: the transfer has ended, and libcurl is about to report that. It doesn't report other
        // errors of this call again.
        if code != 0, code != 43 {
            end(transfer, transfer.failure ?? error(code, of: transfer))
        }
    }

    /// Continues a paused transfer in the next turn.
    func holdBack(_ transfer: CurlTransfer) {
        if !heldBack.contains(where: { $0 === transfer }) { heldBack.append(transfer) }
    }

    private func continueHeldBack() {
        let transfers = heldBack
        heldBack = []
        for transfer in transfers where transfer.isHeldBack && !transfer.isEnded {
            unpause(transfer)
        }
    }

    private func startWaiting() {
        while running.count < limits.maximumTransfers, !waiting.isEmpty {
            let transfer = waiting[waiting.startIndex].take()
            waiting.removeFirst()
            if let transfer {
                transfer.place = nil
                begin(transfer)
            }
        }
    }

    private func begin(_ transfer: CurlTransfer) {
        let easy: UnsafeMutableRawPointer
        do {
            easy = try transfer.easy ?? transfer.prepare()
            if transfer.isRefused { try transfer.set(CCURL_FRESH_CONNECT, 1) }
        } catch { return end(transfer, error) }
        transfer.activity = now
        transfer.phase = .connecting
        check = min(check, now + transfer.idleTimeout, transfer.end)
        running[easy] = transfer
        let code = curl.pointee.multi_add_handle(multi, easy)
        if code != 0 { end(transfer, URLError(.unknown, "libcurl refused a transfer (\(code)).")) }
    }

    func endDone() {
        var left: Int32 = 0
        while let message = curl.pointee.multi_info_read(multi, &left)?.pointee {
            guard message.message == 1, let transfer = running[message.easy] else { continue }
            let code = message.data.code
            if code == 42, transfer.failure == nil, !transfer.isRefused {
                // `mayBeSent` refused the connection before sending: try again on a new one. The handle
                // stays, because it knows the nonce of a Digest.
                remove(transfer)
                _ = transfer.rewind()
                transfer.isRefused = true
                begin(transfer)
                continue
            }
            end(transfer, outcome(of: transfer, code))
        }
    }

    /// Ends the transfers that have timed out. Checks as rarely as possible, because activity keeps
    /// moving their deadlines.
    private func endLate() {
        guard now >= check else { return }
        check = .max
        for transfer in Array(running.values) + waiting.compactMap({ $0 }) where !transfer.isEnded {
            // The idle timeout doesn't apply to a transfer that is queued or paused. After the headers of
            // the response, it applies while only the upload is paused: the response may have ended.
            let isIdle = transfer.easy != nil && !transfer.isDownloadPaused
            // Before the headers, resume the upload instead. If the stream still has no bytes, it pauses
            // again. While it's paused, libcurl may not report that an HTTP/2 connection has failed.
            let isWaiting = isIdle && transfer.isUploadPaused && !transfer.hasBegun
            if isWaiting, transfer.activity + transfer.idleTimeout <= now {
                perform(.resume(transfer))
                if transfer.isEnded { continue }
            }
            let idle = isIdle ? transfer.activity + transfer.idleTimeout : .max
            let next = min(idle, transfer.end)
            if next <= now {
                end(transfer, timeout(of: transfer, isIdle: next == idle))
            } else {
                check = min(check, next)
            }
        }
    }

    private func timeout(of transfer: CurlTransfer, isIdle: Bool) -> URLError {
        let seconds = isIdle ? Double(transfer.idleTimeout) / 1e9 : limits.maximumTime
        let what = isIdle ? "no data was transferred for" : "the request took longer than"
        return URLError(
            .timedOut, "Timed out while \(transfer.phase.rawValue): \(what) \(seconds) seconds.")
    }

    private func remove(_ transfer: CurlTransfer) {
        guard let easy = transfer.easy, running.removeValue(forKey: easy) != nil else { return }
        _ = curl.pointee.multi_remove_handle(multi, easy)
    }

    func end(_ transfer: CurlTransfer, _ error: (any Error)?) {
        guard !transfer.isEnded else { return }
        transfer.isEnded = true
        if let place = transfer.place.take() { waiting[place] = nil }
        remove(transfer)
        if error == nil { transfer.metrics = [transfer.measured()] }
        // Now, because on a busy machine the caller may run much later.
        transfer.release()
        ended.append((transfer, error))
    }

    // MARK: - Connections

    /// Opens a socket for a connection.
    func open(_ address: ccurl_address) -> Int32 {
        let type = address.type | Int32(SOCK_CLOEXEC.rawValue)
        let socket = socket(address.family, type, address.protocol)
        if socket >= 0 {
            // Other sockets have no port.
            if [AF_INET, AF_INET6].contains(address.family) { connections.open(socket) }
            poll.open(socket)
        }
        return socket
    }

    func close(_ socket: Int32) -> Int32 {
        connections.close(socket)
        poll.close(socket)
        return Glibc.close(socket)
    }

    func admits(_ key: CurlConnections.Key, isAgain: Bool) -> Bool {
        connections.admits(key, isAgain: isAgain)
    }
}
#endif
