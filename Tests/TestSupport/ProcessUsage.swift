// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// The resources that this process holds. Each is nil if the system has no `/proc`.
public enum ProcessUsage {
    public static var descriptors: Int? { entries("/proc/self/fd") }

    public static var threads: Int? { entries("/proc/self/task") }

    public static var residentBytes: Int? {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else {
            return nil
        }
        return text.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 * 4096 }
    }

    /// The most memory that the process has had so far.
    public static var peakBytes: Int? {
        let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = text?.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        let kilobytes = line?.split(separator: " ").dropFirst().first.flatMap { Int($0) }
        return kilobytes.map { $0 << 10 }
    }

    private static func entries(_ path: String) -> Int? {
        (try? FileManager.default.contentsOfDirectory(atPath: path))?.count
    }
}
