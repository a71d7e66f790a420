// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// How many files a test may open at the same time: less than 1,000, and fewer if the process's limit
/// is below 1,024.
public let maximumOpenFiles = OpenFileLimit.limit - OpenFileLimit.idleFiles

/// Shares the files that this process may open between its tests.
///
/// A test starts when there's room for the files that it may open. The files that are already open
/// take room, too: an ended test may leave connections that close later, and a shared session keeps
/// some. The files of a running test count twice, as open and as promised, because an open file
/// doesn't say which test opened it. That only starts fewer tests.
final class OpenFileLimit: Sendable {
    static let shared = OpenFileLimit()

    /// The process's limit of open files. More than 1,024 would only start more tests than there is
    /// work for.
    static let limit: Int = {
        #if os(Linux)
        let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
        let files = RLIMIT_NOFILE
        #endif
        var limit = rlimit()
        getrlimit(files, &limit)
        return Int(min(limit.rlim_cur, 1_024))
    }()

    /// The most files that the process has open when no test runs.
    static let idleFiles = 80

    /// The room for files that are opened outside a test, such as those of Swift Testing.
    private static let spareFiles = 16

    /// How many seconds a test waits for the files of ended tests to close when no other test runs.
    private static let patience = 1.0

    private struct Waiting {
        let files: Int
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var queue: [Waiting] = []
        var runningCount = 0
        /// How many files the running tests may open.
        var promised = 0
        /// When the last running test ended.
        var idleSince = TimeInterval.zero

        /// Removes the first waiting test from the queue if it may start.
        mutating func next() -> Waiting? {
            guard let first = queue.first, hasRoom(for: first) || isIdleForLong else { return nil }
            promised += first.files
            runningCount += 1
            return queue.removeFirst()
        }

        func hasRoom(for test: Waiting) -> Bool {
            openFileCount() + promised + test.files <= OpenFileLimit.limit
                - OpenFileLimit.spareFiles
        }

        /// Whether no test has run for a while. Then a test starts even without enough room, because
        /// waiting longer wouldn't help.
        var isIdleForLong: Bool {
            runningCount == 0
                && ProcessInfo.processInfo.systemUptime - idleSince > OpenFileLimit.patience
        }

        mutating func end(_ files: Int) {
            promised -= files
            runningCount -= 1
            idleSince = ProcessInfo.processInfo.systemUptime
        }
    }

    private let state = Locked(State())

    private init() {
        // No event reports that a file of an ended test closes, so this thread looks again and again.
        Thread.detachNewThread { [self] in
            while true {
                Thread.sleep(forTimeInterval: 0.02)
                startNext()
            }
        }
    }

    /// Runs a test when there is room, in the order of the calls. A test that needs more files than
    /// there are runs alone.
    func run(opening wanted: Int, _ test: () async throws -> Void) async throws {
        let files = min(wanted, maximumOpenFiles)
        await withCheckedContinuation { continuation in
            state { $0.queue.append(Waiting(files: files, continuation: continuation)) }
            startNext()
        }
        defer {
            state { $0.end(files) }
            startNext()
        }
        try await test()
    }

    private func startNext() {
        while let next = state({ $0.next() }) { next.continuation.resume() }
    }
}

/// Counts the process's open files. Asks for each number, because listing a folder of the system
/// would open another file.
private func openFileCount() -> Int {
    (0..<Int32(OpenFileLimit.limit)).count { fcntl($0, F_GETFD) != -1 }
}
