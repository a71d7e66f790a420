// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import ServiceProvider
import TestSupport
import Testing

@Suite struct ResultTests {
    @Test func getReturnsTheValueOrThrows() throws {
        #expect(try ServiceResult.success(4).get() == 4)
        #expect(try ServiceResult<Int>.empty.get() == nil)
        #expect(throws: ServiceError.self) { try ServiceResult<Int>.failure(.cancelled).get() }
    }
}
