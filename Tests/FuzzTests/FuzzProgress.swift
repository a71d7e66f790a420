// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// Where the workers of a suite are: for who wants to know which input has ended the process, or never
/// ends itself.
final class FuzzProgress: @unchecked Sendable {
    // Unchecked, because the compiler cannot see that the `var` is used under `lock` only.
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

    func begin(_ number: Int, by worker: Int) {
        lock.withLock { places[worker] = (number, Date()) }
        guard let file else { return }
        // Lines of one length, each worker's at a place of its own.
        let digits = String(number)
        let line = String(repeating: " ", count: 19 - digits.count) + digits + "\n"
        _ = line.withCString { pwrite(file.fileDescriptor, $0, 20, off_t(worker * 20)) }
    }

    func end(_ worker: Int) { lock.withLock { places[worker] = nil } }

    /// Returns when all workers are done. An input that takes five minutes freezes: the process ends.
    func watch() async throws {
        while case let left = lock.withLock({ places.compactMap { $0 } }), !left.isEmpty {
            if let frozen = left.first(where: { Date().timeIntervalSince($0.since) > 300 }) {
                fatalError("Frozen: input \(frozen.number) of \(suite), seed \(Fuzz.seed)")
            }
            try await Task.sleep(nanoseconds: 50_000_000)
        }
    }
}
