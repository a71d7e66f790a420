// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// Writes the number of the input that each worker of a suite is at, to find the input that ended or
/// froze the process.
struct FuzzProgress: Sendable {
    private let file: FileHandle?

    init(_ suite: String) {
        guard let path = Fuzz.folder?.appendingPathComponent(suite + ".at").path else {
            file = nil
            return
        }
        _ = FileManager.default.createFile(atPath: path, contents: nil)
        file = FileHandle(forWritingAtPath: path)
    }

    func start(_ number: Int, by worker: Int) {
        guard let file else { return }
        // Each worker overwrites its own line, so all lines have the same length.
        let digits = String(number)
        let line = String(repeating: " ", count: 19 - digits.count) + digits + "\n"
        _ = line.withCString { pwrite(file.fileDescriptor, $0, 20, off_t(worker * 20)) }
    }
}
