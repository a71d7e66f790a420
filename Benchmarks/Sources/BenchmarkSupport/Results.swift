// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// Appends lines for `Benchmarks/report` to the file named by the environment variable RESULTS.
///
/// A line has these fields, separated by tabs: benchmark, case, way, measure, median, lowest and
/// highest round.
package enum Results {
    package static func add(
        _ benchmark: String, _ name: String, _ way: String, _ measure: String, _ sample: Sample
    ) throws {
        guard let path = ProcessInfo.processInfo.environment["RESULTS"] else { return }
        let figures = [sample.median, sample.lowest, sample.highest]
            .map { String(format: "%.6g", $0) }
        let line = ([benchmark, name, way, measure] + figures).joined(separator: "\t") + "\n"
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.seekToEnd()
        try file.write(contentsOf: Data(line.utf8))
        try file.close()
    }

    /// Adds a measurement of a single round.
    package static func add(
        _ benchmark: String, _ name: String, _ way: String, _ measure: String, _ value: Double
    ) throws {
        var sample = Sample()
        sample.add(value)
        try add(benchmark, name, way, measure, sample)
    }
}
