// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import CCurl

/// Tracks libcurl's connections: checks an idle one before it is reused, and shuts down those that aren't needed.
///
/// Bytes that arrive on an idle connection (a late second response, a 408) aren't a response to the
/// next request, but libcurl would read them as one. A connection that the server has closed can't
/// be reused either.
struct CurlConnections {
    /// Identifies a connection by the addresses that libcurl reports for it.
    struct Key: Hashable {
        let remote: String
        let local: String
        let remotePort: Int32
        let localPort: Int32

        /// The local port suffices to find most connections.
        func hash(into hasher: inout Hasher) {
            hasher.combine(localPort)
        }
    }

    /// A connection that has carried a request.
    final class Connection {
        let key: Key
        let socket: Int32
        /// Whether several requests can use it at a time, and the server may send frames at any time. Then libcurl
        /// checks the connection itself.
        var isShared: Bool
        /// How many requests use it.
        fileprivate(set) var users = 0
        /// The time at which the last request ended, in nanoseconds.
        fileprivate var idleSince: UInt64 = 0
        /// Whether it is shut down, and libcurl must close it.
        fileprivate var isShutDown = false

        fileprivate init(_ key: Key, _ socket: Int32, isShared: Bool) {
            self.key = key
            self.socket = socket
            self.isShared = isShared
        }
    }

    enum Entry {
        case refused
        /// Nil if the connection's socket isn't known.
        case admitted(Connection?)
    }

    /// How long connections beyond `maximumIdle` are kept, in nanoseconds. A connection is idle between two requests,
    /// too.
    private static let spareTime: UInt64 = 1_000_000_000

    /// The shortest time between two looks at all connections, in nanoseconds.
    private static let checkTime: UInt64 = 50_000_000
    /// The time between two sweeps, in nanoseconds. libcurl looks at its connections once in a second at most.
    private static let sweepTime: UInt64 = 1_010_000_000

    private var connections: [Key: Connection] = [:]
    private var sockets: [Int32: Connection] = [:]
    private let maximumIdle: Int
    private let idleTime: UInt64
    private(set) var idleCount = 0
    private var shutDownCount = 0
    /// The time at which `mustSweep(now:)` must be called, in nanoseconds.
    private(set) var nextCheck: UInt64 = .max
    /// The earliest time of the next sweep.
    private var nextSweep: UInt64 = 0

    init(maximumIdle: Int, idleTime: UInt64) {
        self.maximumIdle = max(maximumIdle, 0)
        self.idleTime = idleTime
    }

    // MARK: - Requests

    /// Lets a request use a connection.
    ///
    /// - Parameters:
    ///   - opened: The sockets that were opened for the request. It is the first to use them.
    ///   - isAgain: Whether the request has already failed on another connection. Then only a new
    ///     connection is accepted.
    ///   - mayBeShared: Whether a new connection may be one of HTTP/2. The first response says so.
    ///   - hasInput: Whether the TLS library holds bytes of the connection.
    mutating func admit(
        _ key: Key, opened: [Int32], isAgain: Bool, mayBeShared: Bool, hasInput: () -> Bool
    ) -> Entry {
        guard let connection = connections[key] else {
            return .admitted(add(key, opened, isShared: mayBeShared))
        }
        guard !connection.isShutDown else { return .refused }
        let isFit =
            connection.isShared || !isAgain && Self.isQuiet(connection.socket) && !hasInput()
        guard isFit else { return .refused }
        if connection.users == 0 {
            idleCount -= 1
        }
        connection.users += 1
        return .admitted(connection)
    }

    private mutating func add(_ key: Key, _ opened: [Int32], isShared: Bool) -> Connection? {
        let socket = opened.last { ccurl_has_ports($0, key.localPort, key.remotePort) }
        guard let socket else { return nil }
        let connection = Connection(key, socket, isShared: isShared)
        connection.users = 1
        connections[key] = connection
        sockets[socket] = connection
        return connection
    }

    /// Whether no bytes, no end and no error have arrived. False if a signal interrupts this.
    private static func isQuiet(_ socket: Int32) -> Bool {
        var file = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return poll(&file, 1, 0) == 0
    }

    /// A request no longer uses a connection.
    mutating func leave(_ connection: Connection, now: UInt64) {
        connection.users -= 1
        let isOpen = sockets[connection.socket] === connection
        guard connection.users == 0, isOpen else { return }
        connection.idleSince = now
        idleCount += 1
        let time = idleCount > maximumIdle ? min(Self.spareTime, idleTime) : idleTime
        nextCheck = min(nextCheck, now + time)
    }

    /// libcurl closes a socket.
    mutating func close(_ socket: Int32) {
        guard let connection = sockets.removeValue(forKey: socket) else { return }
        connections[connection.key] = nil
        if connection.users == 0 {
            idleCount -= 1
        }
        if connection.isShutDown {
            shutDownCount -= 1
        }
    }

    // MARK: - Idle connections

    /// The server has closed a connection.
    mutating func noteEnd(of socket: Int32, now: UInt64) {
        guard let connection = sockets[socket], connection.users == 0 else { return }
        shutDown(connection)
        nextCheck = min(nextCheck, now)
    }

    /// Shuts down all idle connections.
    mutating func shutDownAll(now: UInt64) {
        for connection in sockets.values where connection.users == 0 {
            shutDown(connection)
        }
        nextCheck = min(nextCheck, now)
    }

    /// Shuts down the idle connections that have been kept long enough. Returns whether libcurl must look for connections
    /// that are shut down.
    mutating func mustSweep(now: UInt64) -> Bool {
        nextCheck = .max
        shutDownIdle(now: now)
        guard shutDownCount > 0 else { return false }
        let isTime = now >= nextSweep
        if isTime {
            nextSweep = now + Self.sweepTime
        }
        nextCheck = min(nextCheck, nextSweep)
        return isTime
    }

    private mutating func shutDownIdle(now: UInt64) {
        let idle = sockets.values.filter { $0.users == 0 && !$0.isShutDown }
            .sorted { $0.idleSince > $1.idleSince }
        for (index, connection) in idle.enumerated() {
            let time = index < maximumIdle ? idleTime : min(Self.spareTime, idleTime)
            let end = connection.idleSince + time
            if end <= now {
                shutDown(connection)
            } else {
                // Not once for each of many connections.
                nextCheck = min(nextCheck, max(end, now + Self.checkTime))
            }
        }
    }

    /// libcurl takes a connection for broken that is shut down in both directions.
    private mutating func shutDown(_ connection: Connection) {
        guard !connection.isShutDown else { return }
        connection.isShutDown = true
        shutDownCount += 1
        _ = shutdown(connection.socket, Int32(SHUT_RDWR))
    }
}
#endif
