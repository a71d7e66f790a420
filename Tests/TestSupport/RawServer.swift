// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import Foundation

/// A server that does things LoopbackServer can't: other kinds of addresses, endless responses, and
/// connections that it never accepts or reads.
public final class RawServer: Sendable {
    public enum Address: Sendable { case ipv4, ipv6, unix(String) }

    /// The server's end of a connection. Its methods block.
    public struct Connection: Sendable {
        fileprivate let socket: Int32
        fileprivate let state: State

        /// Returns the next bytes, or no bytes at the end.
        public func read() -> Data {
            var bytes = [UInt8](repeating: 0, count: 65_536)
            let count = recv(socket, &bytes, bytes.count, 0)
            return Data(bytes.prefix(max(0, count)))
        }

        /// Reads until the headers are complete, or the connection ends. May include the start of a
        /// body.
        @discardableResult public func readHead() -> String {
            var data = Data()
            while data.range(of: Data("\r\n\r\n".utf8)) == nil {
                let next = read()
                if next.isEmpty { break }
                data += next
            }
            return String(decoding: data, as: UTF8.self)
        }

        public func readToTheEnd() { while !read().isEmpty {} }

        /// - Returns: Whether the client accepted all of it.
        @discardableResult public func write(_ text: String) -> Bool { write(Data(text.utf8)) }

        @discardableResult public func write(_ data: Data) -> Bool {
            var rest = data
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes {
                    send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { return false }
                state.countSent(count)
                rest = rest.dropFirst(count)
            }
            return true
        }

        /// Waits until the client's system has everything that was written, at most a minute. Returns at
        /// once if the client closes the connection.
        public func waitUntilReceived() {
            // No event reports that the client's system has confirmed the last byte.
            let end = ProcessInfo.processInfo.systemUptime + 60
            var unconfirmed: Int32 = 0
            while ioctl(socket, UInt(TIOCOUTQ), &unconfirmed) == 0, unconfirmed > 0, isOpen,
                ProcessInfo.processInfo.systemUptime < end
            {
                sched_yield()
            }
        }

        private var isOpen: Bool {
            var byte: UInt8 = 0
            return recv(socket, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) > 0
                || errno == EAGAIN
        }

        /// Forwards data to a port of 127.0.0.1 and back. Ends when either side closes, or when
        /// data arrives from the client while `isGood` returns false.
        public func relay(to port: Int, while isGood: @escaping @Sendable () -> Bool = { true }) {
            let other = Connection(socket: RawServer.connect(to: port), state: state)
            let isDone = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                pass(to: other, while: isGood)
                isDone.signal()
            }
            other.pass(to: self) { true }
            isDone.wait()
            close(other.socket)
        }

        private func pass(to other: Connection, while isGood: () -> Bool) {
            while case let data = read(), !data.isEmpty, isGood(), other.write(data) {}
            other.endOutput()
        }

        /// Waits until the server stops, without reading anything.
        public func waitForStop() {
            var ending = pollfd(fd: socket, events: 0, revents: 0)
            while poll(&ending, 1, -1) <= 0 {}
        }

        /// Closes the sending direction.
        public func endOutput() { _ = shutdown(socket, Int32(SHUT_WR)) }
    }

    fileprivate final class State: Sendable {
        private struct Values {
            var sockets: Set<Int32> = []
            var isStopping = false
            var connectionCount = 0
            var endedCount = 0
            var sentCount = 0
        }

        private let values = Locked(Values())

        var connectionCount: Int { values { $0.connectionCount } }
        var sentCount: Int { values { $0.sentCount } }

        func countConnection() { values { $0.connectionCount += 1 } }
        func countSent(_ more: Int) { values { $0.sentCount += more } }
        func countEnd() { values { $0.endedCount += 1 } }

        /// Returns false after a minute.
        func waitForEnds(_ wanted: Int) -> Bool { values.wait { $0.endedCount >= wanted } }

        func add(_ socket: Int32) {
            values { values in
                values.sockets.insert(socket)
                if values.isStopping { _ = shutdown(socket, Int32(SHUT_RDWR)) }
            }
        }

        func close(_ socket: Int32) {
            values { values in
                values.sockets.remove(socket)
                _ = Glibc.close(socket)
            }
        }

        func stop() {
            values { values in
                values.isStopping = true
                for socket in values.sockets {
                    _ = shutdown(socket, Int32(SHUT_RDWR))
                }
            }
            while !values.wait(until: { $0.sockets.isEmpty }) {}
        }
    }

    public struct Failure: Error { let code = errno }

    /// The number of connections accepted so far.
    public var connectionCount: Int { state.connectionCount }

    /// The number of bytes sent so far, on all connections.
    public var sentCount: Int { state.sentCount }

    /// Waits on its own thread until `count` connections have been served to their end. Returns
    /// false after a minute.
    public func hasEnded(_ count: Int = 1) async -> Bool {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [state] in
                continuation.resume(returning: state.waitForEnds(count))
            }
        }
    }

    /// The port. 0 for a Unix domain socket.
    public let port: Int
    private let state = State()

    /// - Parameters:
    ///   - backlog: How many connections may wait to be accepted.
    ///   - serve: Runs for each connection, on its own thread. Default: nil, which accepts none.
    public init(
        _ address: Address = .ipv4, backlog: Int32 = 128,
        serve: (@Sendable (Connection) -> Void)? = nil
    ) throws {
        let socket = try Self.listener(at: address, backlog)
        port = Self.port(of: socket)
        state.add(socket)
        Thread.detachNewThread { [state] in
            while serve != nil {
                let accepted = accept(socket, nil, nil)
                if accepted < 0 {
                    // EINVAL: the server stops. Other errors pass, such as too many open files.
                    if errno == EINVAL { break }
                    Thread.sleep(forTimeInterval: 0.01)
                    continue
                }
                // Otherwise a child process would keep the connection open.
                _ = fcntl(accepted, F_SETFD, FD_CLOEXEC)
                state.add(accepted)
                state.countConnection()
                Thread.detachNewThread {
                    serve?(Connection(socket: accepted, state: state))
                    state.countEnd()
                    state.close(accepted)
                }
            }
            // Ready when the server stops, because the socket no longer listens then.
            var ending = pollfd(fd: socket, events: 0, revents: 0)
            while poll(&ending, 1, -1) <= 0 {}
            if case .unix(let path) = address { _ = unlink(path) }
            state.close(socket)
        }
    }

    deinit { stop() }

    /// Ends all connections, and waits until they're closed. Call it at the end of a test: without
    /// a later use, the server may be released too early.
    public func stop() { state.stop() }

    /// Returns a socket that has started to connect to this server, without waiting for the
    /// connection.
    public func connectedSocket() -> Int32 {
        Self.connect(to: port, Int32(SOCK_NONBLOCK.rawValue))
    }

    private static func connect(to port: Int, _ flags: Int32 = 0) -> Int32 {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue) | flags
        let descriptor = socket(AF_INET, type, 0)
        var name = loopback
        name.sin_port = UInt16(port).bigEndian
        _ = withUnsafePointer(to: name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        return descriptor
    }

    /// 127.0.0.1, any port.
    private static var loopback: sockaddr_in {
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return name
    }

    private static func listener(at address: Address, _ backlog: Int32) throws -> Int32 {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let (descriptor, result): (Int32, Int32)
        switch address {
        case .ipv4:
            (descriptor, result) = bound(socket(AF_INET, type, 0), to: loopback)
        case .ipv6:
            var name = sockaddr_in6()
            name.sin6_family = sa_family_t(AF_INET6)
            name.sin6_addr = in6addr_loopback
            (descriptor, result) = bound(socket(AF_INET6, type, 0), to: name)
        case .unix(let path):
            var name = sockaddr_un()
            name.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8) }
            (descriptor, result) = bound(socket(AF_UNIX, type, 0), to: name)
        }
        guard result == 0, listen(descriptor, backlog) == 0 else { throw Failure() }
        return descriptor
    }

    private static func bound<Name>(_ socket: Int32, to name: Name) -> (Int32, Int32) {
        let result = withUnsafePointer(to: name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, socklen_t(MemoryLayout<Name>.size))
            }
        }
        return (socket, result)
    }

    private static func port(of socket: Int32) -> Int {
        var name = sockaddr_in6()
        var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let result = withUnsafeMutablePointer(to: &name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &size) }
        }
        guard result == 0, [AF_INET, AF_INET6].contains(Int32(name.sin6_family)) else { return 0 }
        // IPv4 addresses have the port at the same offset.
        return Int(UInt16(bigEndian: name.sin6_port))
    }
}
#endif
