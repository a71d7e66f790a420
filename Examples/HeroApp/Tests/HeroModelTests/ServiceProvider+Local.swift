// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import HeroModel
import HeroServer
import LoopbackServer
import ServiceProvider

extension ServiceProvider<HeroService> {
    /// A provider that sends its requests to a test server.
    static func local(_ server: LoopbackServer) -> ServiceProvider {
        .heroes(token: { LoopbackServer.sampleToken }, interceptors: [LocalServer(server)])
    }
}
