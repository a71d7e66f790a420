// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// Tracks the input that each worker of a suite is at, to find the input that ended or froze the
/// process.
final class FuzzProgress: @unchecked Sendable {
    // Unchecked, because the compiler can't see that the `var` is only used under `lock`.
    private var places: [(number: Int, since: Date)?]
    private let lock = NSLock()
    private let suite: String
    private let file: FileHandle?

    init(_ suite: String, width: Int) throws {
        self.suite = suite
        places = Array(repeating: (-1, Date()), count: width)
        guard let path = Fuzz.folder?.appendingPathComponent(suite + ".at").path else {
            file = nil
            return
        }
        _ = FileManager.default.createFile(atPath: path, contents: nil)
        file = FileHandle(forWritingAtPath: path)
    }

    func start(_ number: Int, by worker: Int) {
        lock.withLock { places[worker] = (number, Date()) }
        guard let file else { return }
        // Each worker overwrites its own line, so all lines have the same length.
        let digits = String(number)
        let line = String(repeating: " ", count: 19 - digits.count) + digits + "\n"
        _ = line.withCString { pwrite(file.fileDescriptor, $0, 20, off_t(worker * 20)) }
    }

    func end(_ worker: Int) { lock.withLock { places[worker] = nil } }

    /// Returns when all workers are done. Ends the process if an input takes five minutes.
    func watch() async throws {
        while case let left = lock.withLock({ places.compactMap { $0 } }), !left.isEmpty {
            if let frozen = left.first(where: { Date().timeIntervalSince($0.since) > 300 }) {
                fatalError("Frozen: input \(frozen.number) of \(suite), seed \(Fuzz.seed)")
            }
            try await Task.sleep(nanoseconds: 50_000_000)
        }
    }
}
