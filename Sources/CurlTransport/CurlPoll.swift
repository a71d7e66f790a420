// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import CCurl

/// Waits for libcurl's sockets, and for an alarm that other threads ring to wake the loop.
///
/// The alarm can be rung from any thread. The loop's thread waits, and everything else is used only in a
/// turn of the loop.
final class CurlPoll {
    private let poll = epoll_create1(Int32(EPOLL_CLOEXEC))
    private let alarm = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    private var events = [epoll_event](repeating: epoll_event(), count: 64)
    /// The sockets of connections, each with the events that libcurl wants and those that epoll
    /// watches for.
    ///
    /// Between two requests, libcurl wants no events. epoll goes on watching until an unwanted event occurs: the next
    /// request usually starts first, which saves two system calls. Then epoll watches whether the server closes
    /// the connection.
    private var sockets: [Int32: (wanted: UInt32, watched: UInt32)] = [:]

    /// Nil if the process can't open more files.
    init?() {
        // Edge-triggered, so that the alarm never has to be read.
        guard set(alarm, ccurl_epoll_alarm) else { return nil }
    }

    deinit {
        for file in [poll, alarm] where file >= 0 {
            close(file)
        }
    }

    /// Ends the wait. Can be called from any thread.
    func ring() {
        _ = eventfd_write(alarm, 1)
    }

    func add(_ socket: Int32) {
        sockets[socket] = (0, 0)
    }

    var socketCount: Int { sockets.count }

    /// Call this before the socket is closed. In a child process it may stay open, and epoll would report its events
    /// for ever.
    func remove(_ socket: Int32) {
        guard let watched = sockets.removeValue(forKey: socket)?.watched, watched != 0 else {
            return
        }
        set(socket, 0)
    }

    /// Whether the process has hardly any file descriptors left.
    var isShortOfFiles: Bool {
        let file = dup(alarm)
        defer { if file >= 0 { close(file) } }
        return ccurl_is_short_of_files(file)
    }

    /// Watches a socket.
    ///
    /// - Parameter what: libcurl's number: 1 for reading, 2 for writing, 3 for both, 4 for nothing.
    func watch(_ socket: Int32, for what: Int32) {
        let wanted = ccurl_epoll_events(what)
        // A socket that isn't one of our connections may be closed at any time.
        guard let watched = sockets[socket]?.watched else {
            set(socket, wanted)
            return
        }
        let isKept = wanted == 0 || wanted == watched || !set(socket, wanted)
        sockets[socket] = (wanted, isKept ? watched : wanted)
    }

    @discardableResult
    private func set(_ file: Int32, _ events: UInt32) -> Bool {
        var event = epoll_event(events: events, data: epoll_data_t(fd: file))
        guard events != 0 else { return epoll_ctl(poll, EPOLL_CTL_DEL, file, nil) == 0 }
        return epoll_ctl(poll, EPOLL_CTL_ADD, file, &event) == 0
            || epoll_ctl(poll, EPOLL_CTL_MOD, file, &event) == 0
    }

    /// Waits for events, for at most this many milliseconds.
    func wait(_ milliseconds: Int32) -> ArraySlice<epoll_event> {
        let count = epoll_wait(poll, &events, Int32(events.count), milliseconds)
        return events.prefix(max(Int(count), 0))
    }

    enum Event {
        /// In libcurl's numbers: 1 for reading, 2 for writing, 4 for an error, or a sum of them.
        case wanted(Int32, on: Int32)
        /// The server has closed a connection for which libcurl wants no events.
        case closed(Int32)
        /// The alarm, or what libcurl doesn't want.
        case other
    }

    /// Says what an event means.
    func meaning(of event: epoll_event) -> Event {
        let socket = event.data.fd
        guard socket != alarm else { return .other }
        guard sockets[socket]?.wanted == 0 else {
            return .wanted(ccurl_what(event.events), on: socket)
        }
        guard event.events & ccurl_epoll_closed != 0 else {
            set(socket, ccurl_epoll_closed)
            sockets[socket] = (0, ccurl_epoll_closed)
            return .other
        }
        set(socket, 0)
        sockets[socket] = (0, 0)
        return .closed(socket)
    }
}
#endif
