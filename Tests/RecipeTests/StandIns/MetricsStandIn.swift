// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// Gets what the stand-ins for the metrics of swift-metrics record in this task.
nonisolated struct MetricsStandIn: Sendable {
    @TaskLocal static var current: MetricsStandIn?

    let count: @Sendable (String) -> Void
    let record: @Sendable (String, Double) -> Void

    static func line(_ label: String, _ dimensions: [(String, String)]) -> String {
        ([label] + dimensions.map { "\($0)=\($1)" }).joined(separator: " ")
    }
}

/// Stands in for the `Counter` of swift-metrics, with the same signatures.
nonisolated final class Counter: Sendable {
    private let line: String

    init(label: String, dimensions: [(String, String)] = []) {
        line = MetricsStandIn.line(label, dimensions)
    }

    func increment() { MetricsStandIn.current?.count(line) }
}

/// Stands in for the `Recorder` of swift-metrics, with the same signatures.
nonisolated class Recorder {
    private let line: String

    init(label: String, dimensions: [(String, String)] = [], aggregate: Bool = true) {
        line = MetricsStandIn.line(label, dimensions)
    }

    func record(_ value: some BinaryFloatingPoint) {
        MetricsStandIn.current?.record(line, Double(value))
    }
}
