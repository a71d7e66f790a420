// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import TestSupport
import Testing

/// Runs a check on many random inputs. Each input is generated from the seed and its own number, so
/// it can be run alone. First, it runs the check on the inputs in `Tests/FuzzSeeds`, which libFuzzer
/// found.
///
/// - `FUZZ_INPUTS`: The number of inputs. By default, each suite runs for a few seconds.
/// - `FUZZ_SEED`: The seed. A different seed generates different inputs.
/// - `FUZZ_FROM`: The number of the first input. Default: 0.
/// - `FUZZ_FOLDER`: The folder where suites write samples for other tools, and the numbers of the
///   running inputs in case the process ends. See `.ci/fuzz`.
enum Fuzz {
    /// An input that failed its check, and why.
    struct Failure: Error {
        let problem: String
        let input: String
    }

    static let seed = number("FUZZ_SEED") ?? 2_026
    private static let first = number("FUZZ_FROM") ?? 0

    static let folder = ProcessInfo.processInfo.environment["FUZZ_FOLDER"].map {
        URL(fileURLWithPath: $0)
    }

    private static func number(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }

    /// Returns the random generator of an input.
    static func random(_ number: Int) -> SeededGenerator {
        var mixed = SeededGenerator(state: UInt64(bitPattern: Int64(number)))
        let state = mixed.next() ^ UInt64(bitPattern: Int64(seed))
        return SeededGenerator(state: state)
    }

    /// - Parameters:
    ///   - suite: The name of the suite, to filter by.
    ///   - count: The number of inputs, unless `FUZZ_INPUTS` is set.
    ///   - width: The number of inputs that run at the same time.
    ///   - check: Throws ``Failure``. Any other error is also a failure.
    static func run(
        _ suite: String, count: Int, width: Int = 1,
        check:
            @escaping @Sendable (_ number: Int, _ random: inout SeededGenerator) async throws
            -> Void
    ) async throws {
        #if os(Linux)
        if let arguments = GuidedFuzz.arguments {
            return await GuidedFuzz.run(suite, arguments, check: check)
        }
        #endif
        // libFuzzer's inputs have hosts such as "[1]", which other tools refuse.
        if number("FUZZ_FROM") == nil, folder == nil {
            for (index, line) in lines(of: suite).enumerated() {
                let bytes = Array(Data(base64Encoded: String(line)) ?? Data())
                await one(SeededGenerator(bytes: bytes), index, check) {
                    "line \(index + 1) of Tests/FuzzSeeds/\(suite).txt"
                }
            }
        }
        let end = first + (number("FUZZ_INPUTS") ?? count)
        let progress = FuzzProgress(suite)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<width {
                group.addTask {
                    for number in stride(from: first + worker, to: end, by: width) {
                        progress.start(number, by: worker)
                        // Swift's tasks share only a few threads, and other tests need them.
                        if number % 16 == 0 { await Task.yield() }
                        await one(random(number), number, check) {
                            "FUZZ_SEED=\(seed) FUZZ_FROM=\(number) FUZZ_INPUTS=1 "
                                + "swift test --filter FuzzTests.\(suite)"
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// The inputs that libFuzzer found for a suite, in Base64.
    private static func lines(of suite: String) -> [Substring] {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../FuzzSeeds/\(suite).txt")
        return (try? String(contentsOf: file, encoding: .utf8))?.split(separator: "\n") ?? []
    }

    /// - Parameter again: Says how to run the input alone.
    private static func one(
        _ random: SeededGenerator, _ number: Int,
        _ check: (Int, inout SeededGenerator) async throws -> Void, again: () -> String
    ) async {
        var random = random
        do {
            try await check(number, &random)
        } catch {
            let failure = error as? Failure ?? Failure(problem: "\(error)", input: "")
            Issue.record("\(failure.problem)\n\(again())\n\(failure.input.prefix(4_000))")
        }
    }
}

/// Throws a failure unless the condition is true.
func require(
    _ condition: Bool, _ problem: @autoclosure () -> String, _ input: @autoclosure () -> String
) throws {
    if !condition { throw Fuzz.Failure(problem: problem(), input: input()) }
}
