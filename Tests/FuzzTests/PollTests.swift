// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import Foundation
import TestSupport
import Testing

@testable import CurlTransport

@Suite(.serialized, .opensFiles, .timeLimit) struct PollTests {
    /// A child process has the same sockets. A copy of the descriptor keeps the socket open in the same way.
    @Test func aClosedSocketHasNoEventsAlthoughACopyIsOpen() throws {
        let poll = try #require(CurlPoll())
        var ends: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        let copy = dup(ends[0])
        defer { for file in [copy, ends[1]] { close(file) } }
        poll.add(ends[0])
        poll.watch(ends[0], for: 1)
        poll.remove(ends[0])
        close(ends[0])
        try #require(write(ends[1], "hello", 5) == 5)
        #expect(poll.wait(100).isEmpty)
    }
}
#endif
