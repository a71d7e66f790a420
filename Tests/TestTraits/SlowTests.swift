// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import Testing

/// Whether slow tests run. A test that is slow at its full size may run at a smaller one without them.
public let areSlowTestsOn = ProcessInfo.processInfo.environment["SLOW_TESTS"] != nil

extension Trait where Self == ConditionTrait {
    /// Runs the test only if `SLOW_TESTS` is set in the environment.
    public static var slow: Self {
        .enabled(if: areSlowTestsOn, "Set SLOW_TESTS=1 to run slow tests")
    }
}
