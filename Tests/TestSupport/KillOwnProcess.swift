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

/// Runs rounds in which a process is killed. On a busy machine, a process may be killed before it does anything. So
/// if there isn't enough to check after the rounds, there are more, and each process gets more time.
///
/// - Parameters:
///   - count: The least number of rounds.
///   - hasEnough: Whether the processes have done enough.
///   - round: Gets the number of the round, and the latest moment for its kill, in microseconds.
public func runKillRounds(
    _ count: Int, until hasEnough: () -> Bool,
    _ round: (_ number: Int, _ latest: useconds_t) async throws -> Void
) async rethrows {
    var number = 0
    while number < count || !hasEnough() && number < 20 * count {
        try await round(number, 60_000 * useconds_t(1 + number / count))
        number += 1
    }
}
#endif
