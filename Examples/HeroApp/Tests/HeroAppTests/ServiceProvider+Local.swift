// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import LoopbackServer
import ServiceProvider
import ServiceProviderTesting

@testable import HeroApp

extension ServiceProvider<HeroService> {
    /// A provider that sends its requests to a test server.
    ///
    /// - Parameters:
    ///   - server: The server.
    ///   - first: The responses to the first requests, in order. The server gets the others.
    static func local(_ server: LoopbackServer, after first: ServiceStub...) -> ServiceProvider {
        let (stubs, stub) = AsyncStream.makeStream(of: ServiceStub.self)
        first.forEach { stub.yield($0) }
        stub.finish()
        let queue = ServiceStubs { _ in
            for await stub in stubs { return stub }
            return nil
        }
        return .heroes(
            token: { LoopbackServer.sampleToken }, interceptors: [queue, LocalServer(server)])
    }
}
