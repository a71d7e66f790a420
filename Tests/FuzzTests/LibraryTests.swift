// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import TestSupport
import Testing

@testable import CurlTransport

@Suite(.serialized, .opensFiles, .timeLimit) struct LibraryTests {
    /// A library is never closed, so each transport that opened it again would take more memory.
    @Test func transportsShareTheirLibrary() throws {
        let path = CurlTransport.Configuration().library
        #expect(try CurlLibrary.at(path) === CurlLibrary.at(path))
    }
}
#endif
