// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import Testing

extension Trait where Self == FileTurn {
    /// Gives each test of the suite its turn, because it opens sockets or files.
    ///
    /// Use it with `.serialized`: a test holds its turn until all its arguments are tested.
    public static var opensFiles: Self { FileTurn(files: 32) }

    /// Does the same for a test that opens more files than most.
    public static func opensFiles(_ files: Int) -> Self { FileTurn(files: files) }
}

extension Trait where Self == TimeLimitTrait {
    /// The time limit of a test that waits for something. It doesn't include the time before its
    /// turn.
    public static var timeLimit: Self {
        let isLong = areSlowTestsOn || isUnderThreadSanitizer || isUnderAddressSanitizer
        return .timeLimit(.minutes(isLong ? 30 : 3))
    }
}

/// How many files a test may open at the same time: less than 1,000, and fewer if the process's limit
/// is below 1,024.
public let maximumOpenFiles = FileTurns.shared.files

/// Runs as many tests at the same time as the process may open files for. All tests would start at
/// once otherwise, and need 20,000 files.
public struct FileTurn: SuiteTrait, TestTrait, TestScoping {
    /// How many files the test has open at the same time, at most.
    let files: Int

    /// Whether this test has its turn already, by the trait of its suite.
    @TaskLocal private static var isRunning = false

    public var isRecursive: Bool { true }

    public func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? {
        test.isSuite ? nil : self
    }

    public func provideScope(
        for test: Test, testCase: Test.Case?, performing work: @Sendable () async throws -> Void
    ) async throws {
        // The time limit applies to each argument of a test, so waiting for a turn happens before.
        if testCase != nil { return try await Watchdog.shared.watch(test, work) }
        if Self.isRunning { return try await work() }
        let traits = test.traits.compactMap { $0 as? Self }
        let most = traits.map(\.files).max() ?? files
        try await FileTurns.shared.run(opening: most) {
            try await Self.$isRunning.withValue(true) { try await work() }
        }
    }
}

/// The files that all tests of this process may still open.
final class FileTurns: Sendable {
    static let shared = FileTurns(files: maximumFiles - ownFiles)

    /// The files that the process has open without a test, such as idle connections of shared sessions.
    private static let ownFiles = 80

    /// The process's limit of open files. More than 1,024 would only start more tests than there is
    /// work for.
    private static var maximumFiles: Int {
        #if os(Linux)
        let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
        let files = RLIMIT_NOFILE
        #endif
        var limit = rlimit()
        getrlimit(files, &limit)
        return Int(min(limit.rlim_cur, 1_024))
    }

    private struct Waiting {
        let files: Int
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var free: Int
        var queue: [Waiting] = []

        /// Removes the first waiting test from the queue if there are enough files for it.
        mutating func next() -> Waiting? {
            guard let first = queue.first, first.files <= free else { return nil }
            free -= first.files
            return queue.removeFirst()
        }
    }

    let files: Int
    private let state: Locked<State>

    init(files: Int) {
        self.files = files
        state = Locked(State(free: files))
    }

    /// Runs a test when it's its turn, in the order of the calls. A test that needs more files than
    /// there are runs alone.
    func run(opening wanted: Int, _ test: () async throws -> Void) async throws {
        let needed = min(wanted, files)
        await withCheckedContinuation { continuation in
            state { $0.queue.append(Waiting(files: needed, continuation: continuation)) }
            startNext()
        }
        defer {
            state { $0.free += needed }
            startNext()
        }
        try await test()
    }

    private func startNext() {
        while let next = state({ $0.next() }) { next.continuation.resume() }
    }
}
