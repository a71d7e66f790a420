// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import Testing

extension Trait where Self == OpenFileTrait {
    /// Starts each test of the suite when there is room for its files, because it opens sockets or files.
    ///
    /// Use it with `.serialized`: a test keeps its room until all its arguments are tested.
    public static var opensFiles: Self { OpenFileTrait(files: 32) }

    /// Does the same for a test that opens more files than most. With 0, for a test that opens none but
    /// waits: if it never ends, the process does.
    public static func opensFiles(_ files: Int) -> Self { OpenFileTrait(files: files) }
}

extension Trait where Self == TimeLimitTrait {
    /// The time limit of a test that waits for something. It doesn't include the time before it
    /// starts.
    public static var timeLimit: Self {
        let isLong = areSlowTestsOn || isUnderThreadSanitizer || isUnderAddressSanitizer
        return .timeLimit(.minutes(isLong ? 30 : 3))
    }
}

/// Starts a test when the process may open enough files for it. Otherwise all tests would start
/// together, and need 20,000 files.
public struct OpenFileTrait: SuiteTrait, TestTrait, TestScoping {
    /// How many files the test has open at the same time, at most.
    let files: Int

    /// Whether this test has its room already, by the trait of its suite.
    @TaskLocal private static var isRunning = false

    public var isRecursive: Bool { true }

    public func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? {
        test.isSuite ? nil : self
    }

    public func provideScope(
        for test: Test, testCase: Test.Case?, performing work: @Sendable () async throws -> Void
    ) async throws {
        // The time limit applies to each argument of a test, so waiting for room happens before.
        if testCase != nil { return try await Watchdog.shared.watch(test, work) }
        if Self.isRunning { return try await work() }
        let traits = test.traits.compactMap { $0 as? Self }
        let most = traits.map(\.files).max() ?? files
        try await OpenFileLimit.shared.run(opening: most) {
            try await Self.$isRunning.withValue(true) { try await work() }
        }
    }
}
