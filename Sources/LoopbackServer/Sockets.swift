// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// All socket calls, and everything that differs between platforms.

import Foundation

#if canImport(Darwin)
private let flags: Int32 = 0
#else
private let flags = Int32(MSG_NOSIGNAL)
#endif

/// Thrown to end a connection. `close` is also used if the client is gone or the server stops.
struct Ending: Error { let how: LoopbackResponse.Cut }

/// A socket. When the server stops, its waits end immediately.
struct LoopbackSocket: Sendable {
    let descriptor: Int32
    private let wake: pollfd

    init(_ descriptor: Int32, wakeEnd: Int32) {
        wake = pollfd(fd: wakeEnd, events: Int16(POLLIN), revents: 0)
        self.descriptor = descriptor
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        // Without this, a write larger than the free buffer would block and miss a stop.
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        setOption(Int32(IPPROTO_TCP), TCP_NODELAY, [1])
        #if canImport(Darwin)
        setOption(SOL_SOCKET, SO_NOSIGPIPE, [1])
        #endif
    }

    /// Waits for one of the events, and returns whether it occurred in time.
    ///
    /// Infinity means eleven days, because `poll` can't count much further.
    ///
    /// - Throws: If the server stops.
    func wait(for events: Int32, seconds: TimeInterval = .infinity) throws(Ending) -> Bool {
        let milliseconds = (max(0, min(seconds, 1_000_000)) * 1000).rounded(.up)
        var watched = [pollfd(fd: descriptor, events: Int16(events), revents: 0), wake]
        var count: Int32 = -1
        // Waits again if a signal interrupts it.
        while count < 0 {
            count = poll(&watched, 2, Int32(milliseconds))
        }
        guard watched[1].revents == 0 else { throw Ending(how: .close) }
        return count > 0
    }

    func pause(_ seconds: TimeInterval) throws(Ending) {
        // Darwin's `poll` doesn't watch a descriptor without events.
        guard try !wait(for: Int32(POLLHUP), seconds: seconds) else { throw Ending(how: .close) }
    }

    func read() throws(Ending) -> [UInt8] {
        _ = try wait(for: POLLIN)
        let bytes = [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
            var received = -1
            // Reads again after a signal, which would otherwise look like the connection's end.
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

    /// Refuses a request with only a status, and ends the connection.
    func refusal(_ status: String = "400 Bad Request") -> Ending {
        try? write(Data("HTTP/1.1 \(status)\r\nConnection: close\r\n\r\n".utf8))
        _ = shutdown(descriptor, Int32(SHUT_WR))
        // Closing with unread bytes would reset the connection, and the client could lose the
        // response.
        return Ending(how: .stall)
    }

    /// Turns the close into a reset. The numbers are a `struct linger`: on, for 0 seconds.
    func resetOnClose() { setOption(SOL_SOCKET, SO_LINGER, [1, 0]) }

    func hangUp() { _ = close(descriptor) }

    private func setOption(_ level: Int32, _ name: Int32, _ value: [Int32]) {
        _ = setsockopt(descriptor, level, name, value, socklen_t(4 * value.count))
    }
}

/// The socket that accepts connections, and a pipe that ends all waits of the server.
///
/// To stop the server, one byte is written to the pipe. It is never read, so it also ends waits
/// that start later. Closing or shutting down the sockets instead wouldn't wake `accept` on Apple
/// platforms.
struct LoopbackListener: Sendable {
    let port: Int
    private let listening: LoopbackSocket
    private var wakePipe: [Int32] = [-1, -1]

    /// Listens on a port of 127.0.0.1 that the system chooses.
    init() throws(LoopbackError) {
        // SOCK_STREAM is 1 everywhere, but it is an enum in Glibc and a number elsewhere.
        let descriptor = socket(AF_INET, 1, 0)
        // The data of a `sockaddr_in`: 2 bytes for the port, then 127.0.0.1.
        var address = sockaddr()
        address.sa_family = sa_family_t(AF_INET)
        address.sa_data.2 = 127
        address.sa_data.5 = 1
        var length = socklen_t(MemoryLayout<sockaddr>.size)
        do throws(LoopbackError) {
            try check(descriptor, "socket")
            try check(pipe(&wakePipe), "pipe")
            try check(bind(descriptor, &address, length), "bind")
            try check(listen(descriptor, 1024), "listen")
            try check(getsockname(descriptor, &address, &length), "getsockname")
        } catch {
            closeEach(wakePipe + [descriptor])
            throw error
        }
        listening = LoopbackSocket(descriptor, wakeEnd: wakePipe[0])
        port = Int(UInt16(bigEndian: unsafeBitCast(address, to: sockaddr_in.self).sin_port))
    }

    /// Waits for the next connection. Nil once the server stops.
    func nextConnection() -> LoopbackSocket? {
        while (try? listening.wait(for: POLLIN)) == true {
            let accepted = accept(listening.descriptor, nil, nil)
            guard accepted < 0 else { return LoopbackSocket(accepted, wakeEnd: wakePipe[0]) }
            // If the process is out of descriptors, the listener stays ready. The pause avoids a
            // busy loop.
            try? listening.pause(0.01)
        }
        return nil
    }

    func wakeAll() { _ = write(wakePipe[1], [UInt8(1)], 1) }

    func closeAll() { closeEach(wakePipe + [listening.descriptor]) }
}

private func check(_ result: Int32, _ call: String) throws(LoopbackError) {
    guard result >= 0 else { throw LoopbackError(call: call, code: errno) }
}

private func closeEach(_ descriptors: [Int32]) {
    for descriptor in descriptors {
        _ = close(descriptor)
    }
}
