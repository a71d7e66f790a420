// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// Everything that differs from platform to platform, and every call into the system.

import Foundation

#if canImport(Darwin)
import Darwin
private let streamType = SOCK_STREAM
private let sendFlags: Int32 = 0
#elseif canImport(Musl)
import Musl
private let streamType = SOCK_STREAM
private let sendFlags = Int32(MSG_NOSIGNAL)
#elseif canImport(Glibc)
import Glibc
private let streamType = Int32(SOCK_STREAM.rawValue)
private let sendFlags = Int32(MSG_NOSIGNAL)
#endif

/// A pipe whose read end every wait of a server watches.
///
/// One byte is written and never read, so that it wakes all waits, those that begin later included.
/// Closing or shutting down the sockets instead would not wake `accept` on Apple platforms.
struct WakePipe: Sendable {
    let readEnd: Int32
    private let writeEnd: Int32

    init() throws(LoopbackError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw lastError("pipe") }
        (readEnd, writeEnd) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }

    func wake() { _ = write(writeEnd, [UInt8(1)], 1) }

    func closeBoth() { for end in [readEnd, writeEnd] { _ = close(end) } }
}

/// A socket whose every wait ends at once when the server stops.
struct LoopbackSocket: Sendable {
    enum Wait { case ready, timedOut, stopped }

    static var now: TimeInterval { ProcessInfo.processInfo.systemUptime }

    private let descriptor: Int32
    private let wakeEnd: Int32

    // Without O_NONBLOCK a send larger than the room left would block past a stop.
    private init(_ descriptor: Int32, _ wakeEnd: Int32) {
        (self.descriptor, self.wakeEnd) = (descriptor, wakeEnd)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        #if canImport(Darwin)
        setOption(SOL_SOCKET, SO_NOSIGPIPE, Int32(1))
        #endif
    }

    /// Listens on a port of 127.0.0.1 that the system chooses.
    static func listening(
        _ wakePipe: WakePipe
    ) throws(LoopbackError) -> (socket: LoopbackSocket, port: Int) {
        let descriptor = socket(AF_INET, streamType, 0)
        guard descriptor >= 0 else { throw lastError("socket") }
        let listener = LoopbackSocket(descriptor, wakePipe.readEnd)
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        #if canImport(Darwin)
        address.sin_len = UInt8(length)
        #endif
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let error: LoopbackError? = withUnsafeMutableBytes(of: &address) { bytes in
            let address = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self)
            if bind(descriptor, address, length) != 0 { return lastError("bind") }
            if listen(descriptor, 1024) != 0 { return lastError("listen") }
            let named = address.map { getsockname(descriptor, $0, &length) }
            return named == 0 ? nil : lastError("getsockname")
        }
        if let error {
            listener.hangUp()
            throw error
        }
        return (listener, Int(UInt16(bigEndian: address.sin_port)))
    }

    /// The next connection, or nil once the server stops.
    func acceptNext() -> LoopbackSocket? {
        while wait(for: POLLIN) == .ready {
            let accepted = accept(descriptor, nil, nil)
            if accepted >= 0 {
                let connection = LoopbackSocket(accepted, wakeEnd)
                connection.setOption(Int32(IPPROTO_TCP), TCP_NODELAY, Int32(1))
                return connection
            }
            // Out of descriptors, the listener stays ready: without a pause this would spin.
            _ = wait(for: 0, until: Self.now + 0.01)
        }
        return nil
    }

    /// Waits for one of the events, at the latest until the uptime `deadline`.
    ///
    /// With no events only an error on the socket makes it ready.
    func wait(for events: Int32, until deadline: TimeInterval = .infinity) -> Wait {
        var watched = [
            pollfd(fd: descriptor, events: Int16(events), revents: 0),
            pollfd(fd: wakeEnd, events: Int16(POLLIN), revents: 0),
        ]
        while true {
            let left = deadline - Self.now
            guard left > 0 else { return .timedOut }
            let milliseconds = (min(left, 1_000_000) * 1000).rounded(.up)
            let count = poll(&watched, 2, Int32(milliseconds))
            if count > 0 { return watched[1].revents != 0 ? .stopped : .ready }
        }
    }

    /// The number of bytes read; 0 once the peer has hung up, time is up, or the server stops.
    func receive(into buffer: inout [UInt8], until deadline: TimeInterval = .infinity) -> Int {
        while wait(for: POLLIN, until: deadline) == .ready {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count >= 0 { return count }
            guard errno == EAGAIN || errno == EINTR else { return 0 }
        }
        return 0
    }

    /// Whether all bytes went out; false when the peer is gone or the server stops.
    func transmit(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                guard wait(for: POLLOUT) == .ready else { return false }
                let unsent = UnsafeRawBufferPointer(rebasing: rest)
                let count = send(descriptor, unsent.baseAddress, unsent.count, sendFlags)
                if count >= 0 {
                    rest = rest.dropFirst(count)
                } else if errno != EAGAIN && errno != EINTR {
                    return false
                }
            }
            return true
        }
    }

    /// Reads and drops whatever comes until the peer hangs up, time is up, or the server stops.
    func drain(until deadline: TimeInterval = .infinity) {
        var dropped = [UInt8](repeating: 0, count: 65_536)
        while receive(into: &dropped, until: deadline) > 0 {}
    }

    func endOutput() { _ = shutdown(descriptor, Int32(SHUT_WR)) }

    func hangUp(resetting: Bool = false) {
        if resetting { setOption(SOL_SOCKET, SO_LINGER, linger(l_onoff: 1, l_linger: 0)) }
        _ = close(descriptor)
    }

    private func setOption<Value>(_ level: Int32, _ name: Int32, _ value: Value) {
        _ = withUnsafeBytes(of: value) {
            setsockopt(descriptor, level, name, $0.baseAddress, socklen_t($0.count))
        }
    }
}

private func lastError(_ call: String) -> LoopbackError {
    let code = errno
    let reason = strerror(code).map { String(cString: $0) } ?? "unknown error"
    return LoopbackError(call: call, code: code, reason: reason)
}
