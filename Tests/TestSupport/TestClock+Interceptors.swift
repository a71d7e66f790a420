// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import ServiceProvider
import ServiceProviderSupport

extension TestClock {
    /// This clock, for interceptors.
    public var clock: ServiceClock {
        var clock = ServiceClock()
        clock.now = { self.now }
        clock.sleep = { try await self.sleep($0) }
        return clock
    }
}
