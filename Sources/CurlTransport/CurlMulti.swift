// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import CCurl

/// libcurl's multi interface, with the transfers that it runs. Used only in a turn of the loop.
final class CurlMulti {
    /// The transfers that have ended, each with its error. Their callers are resumed after the turn.
    typealias Ended = [(transfer: CurlTransfer, error: (any Error)?)]

    let configuration: CurlTransport.Configuration
    let curl: UnsafePointer<ccurl>
    private let poll: CurlPoll
    /// The URL of the proxy: empty for none. Nil if libcurl finds it in the environment.
    let proxy: String?

    private var running: [UnsafeMutableRawPointer: CurlTransfer] = [:]
    private var places: CurlPlaces
    private var ended: Ended = []
    /// The transfers whose response has ended, although the stream of their upload may have more bytes to come.
    private var finished: [CurlTransfer] = []
    private var connections = CurlConnections()
    /// libcurl's handle for all transfers, and the time by which it wants to be called.
    private var multi: UnsafeMutableRawPointer?
    private var timer: UInt64 = .max
    /// The time of this turn, in nanoseconds.
    private(set) var now: UInt64 = 0
    /// The earliest time at which a transfer may time out.
    private var check: UInt64 = .max

    /// Nil if there isn't enough memory.
    init?(_ library: CurlLibrary, _ configuration: CurlTransport.Configuration, _ poll: CurlPoll) {
        self.configuration = configuration
        self.poll = poll
        curl = library.curl
        proxy = Self.proxy(configuration.proxy)
        places = CurlPlaces(configuration.maximumTransfers)
        let owner = Unmanaged.passUnretained(self).toOpaque()
        var callbacks = curlCallbacks
        multi = ccurl_multi(curl, &callbacks, owner, configuration.maximumTransfers)
        guard multi != nil else { return nil }
    }

    /// Reads the environment only once: reading it while another thread changes it can crash.
    private static func proxy(_ proxy: CurlTransport.Configuration.Proxy) -> String? {
        let names = ["http_proxy", "https_proxy", "all_proxy"]
        switch proxy {
        case .none: return ""
        case .url(let url): return url
        case .environment:
            let hasProxy = ProcessInfo.processInfo.environment.contains { name, value in
                names.contains(name.lowercased()) && !value.isEmpty
            }
            return hasProxy ? nil : ""
        }
    }

    /// Closes all connections.
    func closeAll() {
        ccurl_enter()
        _ = curl.pointee.multi_cleanup(multi)
        ccurl_leave()
    }

    /// Whether no transfer runs or waits.
    var isIdle: Bool { places.isEmpty }

    /// Whether a waiting transfer can start now.
    var canStart: Bool { places.hasNext }

    /// The time of the next turn if nothing happens before, in nanoseconds.
    var next: UInt64 { min(check, timer) }

    /// Does everything that is due. Returns the transfers that have ended.
    func run(_ commands: [CurlLoop.Command], _ events: ArraySlice<epoll_event> = []) -> Ended {
        now = Self.time()
        for event in events {
            if let (socket, what) = poll.what(event) {
                act(on: socket, what)
            }
        }
        for command in commands {
            perform(command)
        }
        while let transfer = places.next() { begin(transfer) }
        if timer <= now {
            timer = .max
            act(on: -1, 0)
        }
        endDone()
        for transfer in finished where transfer.isWaitingForUpload {
            end(transfer, outcome(of: transfer, 0))
        }
        finished = []
        endLate()
        defer { ended = [] }
        return ended
    }

    /// Lets libcurl handle the events of a socket, or its timer if the socket is -1.
    private func act(on socket: Int32, _ what: Int32) {
        var count: Int32 = 0
        _ = curl.pointee.multi_socket_action(multi, socket, what, &count)
    }

    /// - Parameter milliseconds: How long until libcurl wants to be called. Negative: not at all.
    func setTimer(_ milliseconds: Int) {
        timer = milliseconds < 0 ? .max : now + UInt64(milliseconds) * 1_000_000
    }

    func watch(_ socket: Int32, for what: Int32, _ easy: UnsafeMutableRawPointer?) {
        poll.watch(socket, for: what)
        // 4: libcurl doesn't wait for the socket any more. The response is complete, or the connection
        // is closed.
        guard what == 4, let easy else { return }
        if let transfer = running[easy], transfer.isStreamed {
            finished.append(transfer)
        }
    }

    /// Call this when a transfer has received something, or has paused its upload. libcurl would wait for
    /// the rest of the upload.
    func checkResponse(of transfer: CurlTransfer) {
        if transfer.isUploadPaused, transfer.isComplete {
            finished.append(transfer)
        }
    }

    static func time() -> UInt64 { DispatchTime.now().uptimeNanoseconds }

    private func perform(_ command: CurlLoop.Command) {
        switch command {
        case .start(let transfer):
            guard transfer.state == .new else { return end(transfer, URLError(.cancelled)) }
            transfer.activity = now
            check = min(check, now + transfer.idleTimeout)
            if places.add(transfer) {
                begin(transfer)
            }
        case .cancel(let transfer):
            guard transfer.state == .new else { return end(transfer, URLError(.cancelled)) }
            transfer.state = .cancelled
        case .resume(let transfer):
            guard transfer.isPaused, transfer.state == .running else { return }
            if !transfer.isHeldBack {
                transfer.activity = now
                check = min(check, now + transfer.idleTimeout)
            }
            unpause(transfer)
        }
    }

    private func unpause(_ transfer: CurlTransfer) {
        guard let easy = transfer.easy else { return }
        // It goes on, so it hasn't finished.
        finished.removeAll { $0 === transfer }
        transfer.isUploadPaused = false
        transfer.isDownloadPaused = false
        transfer.isHeldBack = false
        // libcurl may deliver more of the body during this call.
        let code = curl.pointee.easy_pause(easy, 0)
        // 43: the transfer has ended, and libcurl is about to report that. It doesn't report other
        // errors of this call again.
        if code != 0, code != 43 {
            end(transfer, transfer.failure ?? error(code, of: transfer))
        }
    }

    private func begin(_ transfer: CurlTransfer) {
        transfer.phase = .connecting
        do {
            let easy = try transfer.easy ?? transfer.prepare()
            if transfer.isRefused {
                try transfer.set(CCURL_FRESH_CONNECT, 1)
            }
            running[easy] = transfer
            let code = curl.pointee.multi_add_handle(multi, easy)
            guard code == 0 else {
                throw URLError(.unknown, "libcurl refused a transfer (\(code)).")
            }
        } catch {
            end(transfer, error)
        }
    }

    private func endDone() {
        var left: Int32 = 0
        while let message = curl.pointee.multi_info_read(multi, &left)?.pointee {
            guard message.message == 1, let transfer = running[message.easy] else { continue }
            let code = message.data.code
            if code == 42, transfer.failure == nil, !transfer.isRefused {
                // `mayBeSent` refused the connection before sending: try again on a new one.
                stop(transfer)
                _ = transfer.rewind()
                transfer.isRefused = true
                begin(transfer)
            } else {
                end(transfer, outcome(of: transfer, code))
            }
        }
    }

    /// Ends the transfers that have timed out. Checks as rarely as possible, because activity keeps
    /// moving their deadlines.
    private func endLate() {
        guard now >= check else { return }
        check = .max
        for transfer in Array(running.values) + places.waiting.values where transfer.state != .ended
        {
            // If the stream of an upload still has no bytes, the upload pauses again. While it's paused,
            // libcurl may not report that an HTTP/2 connection has failed.
            if transfer.idleEnd <= now, transfer.isUploadPaused, !transfer.hasBegun {
                perform(.resume(transfer))
            }
            if transfer.idleEnd <= now {
                let seconds = Double(transfer.idleTimeout) / 1e9
                let text = "no data was transferred for \(seconds) seconds."
                end(
                    transfer,
                    URLError(.timedOut, "Timed out while \(transfer.phase.rawValue): \(text)"))
            } else {
                check = min(check, transfer.idleEnd)
            }
        }
        // Soon enough, and not once for each of many transfers.
        check = max(check, now + 1_000_000)
    }

    /// Takes a transfer from libcurl.
    private func stop(_ transfer: CurlTransfer) {
        guard let easy = transfer.easy, running.removeValue(forKey: easy) != nil else { return }
        _ = curl.pointee.multi_remove_handle(multi, easy)
    }

    func end(_ transfer: CurlTransfer, _ error: (any Error)?) {
        guard transfer.state != .ended else { return }
        places.remove(transfer)
        transfer.state = .ended
        stop(transfer)
        if error == nil {
            transfer.metrics = [transfer.measured()]
        }
        // Now, because on a busy machine the caller may run much later.
        transfer.release()
        ended.append((transfer, error))
    }

    // MARK: - Connections

    /// Opens a socket for a connection.
    func open(_ address: ccurl_address) -> Int32 {
        let socket = socket(address.family, address.type | ccurl_close_on_exec, address.protocol)
        guard socket >= 0 else { return socket }
        poll.add(socket)
        return socket
    }

    func willClose(_ socket: Int32) {
        connections.close(socket)
        poll.remove(socket)
    }

    func admits(_ transfer: CurlTransfer, over key: CurlConnections.Key) -> Bool {
        connections.admits(key, opened: transfer.sockets, isAgain: transfer.timesSent > 0)
    }
}
#endif
