// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import BenchmarkSupport
import Foundation

/// The resources that the process uses while no call is running.
struct Sample {
    let memory: Double
    let descriptors = Double(Self.files.count)
    let threads = Double(Memory.entries("task"))

    init() {
        Memory.trim()
        memory = Memory.resident()
    }

    /// The targets of open descriptors. Timers are left out, because Dispatch creates and keeps
    /// them.
    static var files: [String] {
        let folder = "/proc/self/fd/"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.compactMap {
            try? FileManager.default.destinationOfSymbolicLink(atPath: folder + $0)
        }.filter { !$0.contains("timerfd") }
    }

    /// The checked resources, and how much each may grow between the warm-up and the end.
    static func rows(curl isCurl: Bool, calls: Int) -> [(String, KeyPath<Sample, Double>, Double)] {
        // URLSession on Linux leaks about 150 bytes for each request.
        let platform = isCurl ? 0 : Double(calls) * 400 / 1e6
        return [
            ("memory, MB", \.memory, 8 + platform), ("descriptors", \.descriptors, 8),
            ("threads", \.threads, 8),
        ]
    }

    static func median(_ values: some Collection<Sample>, _ field: KeyPath<Sample, Double>)
        -> Double
    {
        let sorted = values.map { $0[keyPath: field] }.sorted()
        return sorted.isEmpty ? .nan : sorted[sorted.count / 2]
    }

    /// Compares and prints the medians of the second and the last fifth of the samples. The first
    /// fifth is the warm-up.
    ///
    /// - Returns: Whether all growth is within the limits.
    static func judge(_ samples: [Sample], curl isCurl: Bool, calls: Int) -> Bool {
        let fifth = samples.count / 5
        guard fifth > 0 else {
            print("FAILED: \(samples.count) rounds are too few to measure growth")
            return false
        }
        print(Table.line(["", "warm", "       end   growth  allowed"]))
        var isGood = true
        for (name, field, limit) in rows(curl: isCurl, calls: calls) {
            let warm = median(samples[fifth..<2 * fifth], field)
            let end = median(samples.suffix(fifth), field)
            isGood = isGood && end - warm <= limit
            let numbers = String(format: "%10.1f %8.1f %8.1f", end, end - warm, limit)
            print(Table.line([name, String(format: "%.1f", warm), numbers]))
        }
        return isGood
    }
}
