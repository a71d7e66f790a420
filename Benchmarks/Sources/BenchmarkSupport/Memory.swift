// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// The resident set of this process, in MB.
package enum Memory {
    package static func resident() -> Double { field("VmRSS:") }
    package static func peak() -> Double { field("VmHWM:") }

    /// Gives the memory that `malloc` keeps for later back to the system, so that only memory in
    /// use is measured.
    package static func trim() {
        typealias Trim = @convention(c) (Int) -> Int32
        guard let function = dlsym(nil, "malloc_trim") else { return }
        _ = unsafeBitCast(function, to: Trim.self)(0)
    }

    /// Resets the peak to the current resident set.
    package static func forgetPeak() {
        try? Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
    }

    /// The number of entries in a folder of `/proc/self`: `fd` for open files, `task` for threads.
    package static func entries(_ folder: String) -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/\(folder)"))?.count ?? -1
    }

    private static func field(_ name: String) -> Double {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix(name) } ?? ""
        return (line.split { !$0.isNumber }.first.flatMap { Double($0) } ?? .nan) / 1024
    }
}
