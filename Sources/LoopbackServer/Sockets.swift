// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// Every call into the socket layer, and all that differs from platform to platform.

import Foundation

#if canImport(Darwin)
private let flags: Int32 = 0
#else
private let flags = Int32(MSG_NOSIGNAL)
#endif

/// Thrown up to the connection's thread to end it; `close` also where the client is gone or the
/// server stops.
struct Ending: Error { let how: LoopbackAnswer.Cut }

/// A socket whose every wait ends at once when the server stops.
struct LoopbackSocket: Sendable {
    let descriptor: Int32
    private let wake: pollfd

    init(_ descriptor: Int32, wakeEnd: Int32) {
        wake = pollfd(fd: wakeEnd, events: Int16(POLLIN), revents: 0)
        self.descriptor = descriptor
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        // Without this a write larger than the room left would block past a stop.
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        setOption(Int32(IPPROTO_TCP), TCP_NODELAY, [1])
        #if canImport(Darwin)
        setOption(SOL_SOCKET, SO_NOSIGPIPE, [1])
        #endif
    }

    /// Whether one of the events came in time; with no events, whether the connection broke.
    ///
    /// "Infinity" is eleven days, the most that `poll` can count. A stop ends the connection.
    func wait(for events: Int32, seconds: TimeInterval = .infinity) throws(Ending) -> Bool {
        let milliseconds = (max(0, min(seconds, 1_000_000)) * 1000).rounded(.up)
        var watched = [pollfd(fd: descriptor, events: Int16(events), revents: 0), wake]
        var count: Int32 = -1
        // A signal that interrupts the wait begins it anew.
        while count < 0 { count = poll(&watched, 2, Int32(milliseconds)) }
        guard watched[1].revents == 0 else { throw Ending(how: .close) }
        return count > 0
    }

    func pause(_ seconds: TimeInterval) throws(Ending) {
        // Darwin's `poll` doesn't watch a descriptor without events.
        if try wait(for: Int32(POLLHUP), seconds: seconds) { throw Ending(how: .close) }
    }

    func read() throws(Ending) -> [UInt8] {
        _ = try wait(for: POLLIN)
        let bytes = [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
            var received = -1
            // A signal must not look like the end of the connection.
            repeat {
                received = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            } while received < 0 && errno == EINTR
            count = max(0, received)
        }
        guard !bytes.isEmpty else { throw Ending(how: .close) }
        return bytes
    }

    func write(_ bytes: Data) throws(Ending) {
        var rest = bytes
        while !rest.isEmpty {
            _ = try wait(for: POLLOUT)
            let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, flags) }
            guard count >= 0 || errno == EAGAIN || errno == EINTR else { throw Ending(how: .close) }
            rest = rest.dropFirst(max(0, count))
        }
    }

    /// Answers no more than a status, for what cannot be served, and ends the connection.
    func refusal(_ status: String = "400 Bad Request") -> Ending {
        try? write(Data("HTTP/1.1 \(status)\r\nConnection: close\r\n\r\n".utf8))
        _ = shutdown(descriptor, Int32(SHUT_WR))
        // Closed with bytes unread, the system resets, and the client may lose the answer.
        return Ending(how: .stall)
    }

    /// Makes the close a reset: a `struct linger` is two numbers, on, and for 0 seconds.
    func resetOnClose() { setOption(SOL_SOCKET, SO_LINGER, [1, 0]) }

    func hangUp() { _ = close(descriptor) }

    private func setOption(_ level: Int32, _ name: Int32, _ value: [Int32]) {
        _ = setsockopt(descriptor, level, name, value, socklen_t(4 * value.count))
    }
}

/// The socket that takes connections, and the pipe that every wait of its server watches.
///
/// One byte is written and never read, so that it wakes all waits, those that begin later included.
/// Closing or shutting down the sockets instead would not wake `accept` on Apple platforms.
struct LoopbackListener: Sendable {
    let port: Int
    private let listening: LoopbackSocket
    private var wakePipe: [Int32] = [-1, -1]

    /// Listens on a port of 127.0.0.1 that the system chooses.
    init() throws(LoopbackError) {
        // SOCK_STREAM is 1 everywhere, but an enum on Glibc and a number elsewhere.
        let descriptor = socket(AF_INET, 1, 0)
        // Its data is that of a `sockaddr_in`: 2 bytes of port, then 127.0.0.1.
        var address = sockaddr()
        address.sa_family = sa_family_t(AF_INET)
        (address.sa_data.2, address.sa_data.5) = (127, 1)
        var length = socklen_t(MemoryLayout<sockaddr>.size)
        do throws(LoopbackError) {
            try check(descriptor, "socket")
            try check(pipe(&wakePipe), "pipe")
            try check(bind(descriptor, &address, length), "bind")
            try check(listen(descriptor, 1024), "listen")
            try check(getsockname(descriptor, &address, &length), "getsockname")
        } catch {
            for end in wakePipe + [descriptor] { _ = close(end) }
            throw error
        }
        listening = LoopbackSocket(descriptor, wakeEnd: wakePipe[0])
        port = Int(UInt16(bigEndian: unsafeBitCast(address, to: sockaddr_in.self).sin_port))
    }

    /// The next connection, or nil once the server stops.
    func nextConnection() -> LoopbackSocket? {
        while (try? listening.wait(for: POLLIN)) == true {
            let accepted = accept(listening.descriptor, nil, nil)
            if accepted >= 0 { return LoopbackSocket(accepted, wakeEnd: wakePipe[0]) }
            // Out of descriptors, the listener stays ready: without a pause this would spin.
            try? listening.pause(0.01)
        }
        return nil
    }

    func wakeAll() { _ = write(wakePipe[1], [UInt8(1)], 1) }

    func closeAll() { for end in wakePipe + [listening.descriptor] { _ = close(end) } }
}

private func check(_ result: Int32, _ call: String) throws(LoopbackError) {
    if result < 0 { throw LoopbackError(call: call, code: errno) }
}
