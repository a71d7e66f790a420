// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Copies of a request share their storage until one is changed.
@Suite struct RequestCopyTests {
    private enum Limit: ServiceRequestOption {
        static var defaultValue: Int? { 30 }
    }

    /// A nil that is set isn't the default.
    @Test func optionsHaveDefaults() throws {
        var request = try TestService().request()
        #expect(request[Limit.self] == 30)
        request[Limit.self] = nil
        #expect(request[Limit.self] == nil)
        request[Limit.self] = 4
        #expect(request[Limit.self] == 4)
    }
}
