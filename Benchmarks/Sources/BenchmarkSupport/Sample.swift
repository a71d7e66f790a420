// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// The values of one measurement, one for each round.
package struct Sample: Sendable {
    package private(set) var values: [Double] = []

    package init() {}

    package mutating func add(_ value: Double) { values.append(value) }

    package var lowest: Double { values.min() ?? .nan }
    package var highest: Double { values.max() ?? .nan }

    package var median: Double {
        values.isEmpty ? .nan : values.sorted()[values.count / 2]
    }

    /// The ratios for each round. A disturbance that slows down a whole round doesn't affect them.
    package func ratio(to base: Sample) -> Sample {
        var ratio = Sample()
        ratio.values = zip(values, base.values).map { $0 / $1 }
        return ratio
    }
}
