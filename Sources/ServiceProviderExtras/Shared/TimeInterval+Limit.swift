// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

#if canImport(ServiceProvider)
import ServiceProvider
#endif

nonisolated extension TimeInterval {
    /// This number of seconds, from 0 to a week; 0 for NaN. Longer waits, such as infinity, would
    /// trap in Dispatch and in ranges.
    var atMostAWeek: TimeInterval { self > 0 ? min(self, ServiceRequest.maximumTimeout) : 0 }
}
