// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import Testing

/// Ends the process if a test is still running one minute after its time limit. At its limit, a test
/// is cancelled, but it may wait for something that a cancellation doesn't end.
final class Watchdog: Sendable {
    static let shared = Watchdog()

    private struct Watched {
        let name: String
        let deadline: TimeInterval
    }

    private let running = Locked<[UUID: Watched]>([:])

    private init() {
        // A thread of its own, because a freeze may block the threads of Swift's tasks.
        Thread.detachNewThread { [running] in
            while true {
                Thread.sleep(forTimeInterval: 1)
                let now = ProcessInfo.processInfo.systemUptime
                if let late = running({ $0.values.first { $0.deadline < now } }) { end(late.name) }
            }
        }
    }

    /// Runs one case of a test.
    func watch(_ test: Test, _ work: () async throws -> Void) async throws {
        let limit = test.timeLimit.map { TimeInterval($0.components.seconds) } ?? 600
        let deadline = ProcessInfo.processInfo.systemUptime + limit + 60
        let id = UUID()
        running { $0[id] = Watched(name: test.name, deadline: deadline) }
        defer { running { $0[id] = nil } }
        try await work()
    }
}

private func end(_ test: String) -> Never {
    let text = "error: the test '\(test)' is still running one minute after its time limit.\n"
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    // Otherwise the processes of exit tests would go on, and keep the output open.
    for child in children() { kill(child, SIGKILL) }
    _exit(1)
}

/// The processes that this one has started. Empty if the system has no `/proc`.
private func children() -> [pid_t] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.compactMap { pid_t($0) }.filter { id in
        let text = (try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8)) ?? ""
        // Behind the program's name: the state and the parent.
        let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
        return fields.dropFirst().first == "\(getpid())"
    }
}
