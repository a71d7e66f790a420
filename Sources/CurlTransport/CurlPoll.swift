// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import CCurl
import Foundation

/// What the loop waits for: the sockets that libcurl names, and an alarm that other threads ring.
///
/// All but the alarm belongs to the loop's thread.
final class CurlPoll {
    private let poll = epoll_create1(Int32(EPOLL_CLOEXEC))
    private let alarm = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    /// The sockets of connections: what libcurl wants to know of one, and what the system was asked for.
    /// Between two requests it wants nothing, which the system is told only when there is something: most
    /// often there is the next request first, and two calls less.
    private var sockets: [Int32: (wanted: UInt32, asked: UInt32)] = [:]

    /// Nil where the process can open no more.
    init?() {
        // At its edges, so that it need not be read.
        guard poll >= 0, alarm >= 0, ask(alarm, EPOLLIN.rawValue | EPOLLET.rawValue) else {
            return nil
        }
    }

    deinit {
        for file in [poll, alarm] where file >= 0 { Glibc.close(file) }
    }

    /// Ends the waiting; from any thread.
    func ring() {
        _ = eventfd_write(alarm, 1)
    }

    func open(_ socket: Int32) { sockets[socket] = (0, 0) }

    func close(_ socket: Int32) { sockets[socket] = nil }

    /// What libcurl asks for: 1, to be told when a socket can be read; 2, written; 3, both; 4, nothing.
    func watch(_ socket: Int32, for what: Int32) {
        let read = what & 1 != 0 ? EPOLLIN.rawValue : 0
        let wanted = read | (what & 2 != 0 ? EPOLLOUT.rawValue : 0)
        // One that is no connection of ours may be closed at any time.
        guard let asked = sockets[socket]?.asked else {
            ask(socket, wanted)
            return
        }
        let isLater = wanted == 0 || wanted == asked
        sockets[socket] = (wanted, isLater || !ask(socket, wanted) ? asked : wanted)
    }

    @discardableResult
    private func ask(_ file: Int32, _ events: UInt32) -> Bool {
        var event = epoll_event(events: events, data: epoll_data_t(fd: file))
        if events == 0 { return epoll_ctl(poll, EPOLL_CTL_DEL, file, nil) == 0 }
        return epoll_ctl(poll, EPOLL_CTL_ADD, file, &event) == 0
            || epoll_ctl(poll, EPOLL_CTL_MOD, file, &event) == 0
    }

    /// Waits, for so many milliseconds at most, for what happens, as libcurl is told it.
    func wait(_ milliseconds: Int32) -> [(socket: Int32, what: Int32)] {
        withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: 64) { events in
            let count = epoll_wait(poll, events.baseAddress, 64, milliseconds)
            return events.prefix(Int(max(count, 0))).compactMap { event in
                let socket = event.data.fd
                func has(_ bit: EPOLL_EVENTS) -> Bool { event.events & bit.rawValue != 0 }
                guard socket != alarm else { return nil }
                if sockets[socket]?.wanted == 0 {
                    sockets[socket] = (0, 0)
                    ask(socket, 0)
                    return nil
                }
                let (canRead, canWrite) = (has(EPOLLIN) || has(EPOLLHUP), has(EPOLLOUT))
                let what = (canRead ? 1 : 0) | (canWrite ? 2 : 0) | (has(EPOLLERR) ? 4 : 0)
                return (socket, Int32(what))
            }
        }
    }
}
#endif
