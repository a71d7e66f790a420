// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import Dispatch
import Foundation
import TestSupport

/// Runs the check of a suite on inputs that libFuzzer chooses: it changes inputs that reached new
/// code. See `.ci/fuzz-guided`, which builds the tests with libFuzzer.
enum GuidedFuzz {
    typealias Check =
        @Sendable (_ number: Int, _ random: inout SeededGenerator) async throws -> Void

    /// libFuzzer's arguments, one in each line, or nil for a run without it.
    static let arguments = ProcessInfo.processInfo.environment["FUZZ_GUIDED"]

    // libFuzzer's function has no context argument, and one suite runs in each process.
    nonisolated(unsafe) private static var check: Check?

    /// Ends the process if an input fails, so that libFuzzer writes it to a file.
    static func run(_ suite: String, _ arguments: String, check: @escaping Check) async {
        self.check = check
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                runDriver([suite] + arguments.split(separator: "\n").map(String.init))
                continuation.resume()
            }
        }
    }

    private typealias Target = @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
    private typealias Driver =
        @convention(c) (
            UnsafeMutablePointer<CInt>,
            UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
            Target
        ) -> CInt

    private static func runDriver(_ arguments: [String]) {
        guard let symbol = dlsym(nil, "LLVMFuzzerRunDriver") else {
            fatalError("The tests were built without libFuzzer: use .ci/fuzz-guided.")
        }
        let driver = unsafeBitCast(symbol, to: Driver.self)
        var texts = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
            .allocate(capacity: arguments.count + 1)
        for (index, argument) in arguments.enumerated() { texts[index] = strdup(argument) }
        texts[arguments.count] = nil
        var count = CInt(arguments.count)
        _ = driver(&count, &texts) { bytes, count in
            GuidedFuzz.one(Array(UnsafeBufferPointer(start: bytes, count: count)))
            return 0
        }
    }

    private static func one(_ bytes: [UInt8]) {
        guard let check else { return }
        let isDone = DispatchSemaphore(value: 0)
        Task.detached {
            var random = SeededGenerator(bytes: bytes)
            do {
                try await check(0, &random)
            } catch {
                let failure = error as? Fuzz.Failure ?? Fuzz.Failure(problem: "\(error)", input: "")
                FileHandle.standardError.write(
                    Data("FAILED: \(failure.problem)\n\(failure.input.prefix(4_000))\n".utf8))
                abort()
            }
            isDone.signal()
        }
        isDone.wait()
    }
}
#endif
