// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux) || os(macOS)
import Foundation

/// Kills this process at a random moment. For exit tests.
///
/// - Parameters:
///   - latest: The latest moment, in microseconds from now.
///   - random: Chooses the moment.
public func killOwnProcess(
    withinMicroseconds latest: useconds_t, using random: inout SeededGenerator
) {
    let moment = useconds_t.random(in: 0...latest, using: &random)
    Thread.detachNewThread {
        usleep(moment)
        _ = Foundation.kill(getpid(), SIGKILL)
    }
}
#endif
