// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// Stands in for the `Logger` of swift-log, with the same signatures.
nonisolated struct Logger: Sendable {
    enum Level: String, Sendable {
        case trace, debug, info, notice, warning, error, critical
    }

    struct Message: ExpressibleByStringInterpolation, CustomStringConvertible, Sendable {
        let description: String

        init(stringLiteral value: String) { description = value }
    }

    enum MetadataValue: Hashable, Sendable {
        case string(String)
    }
    typealias Metadata = [String: MetadataValue]

    let write: @Sendable (Level, Message, Metadata) -> Void

    func log(
        level: Level, _ message: @autoclosure () -> Message,
        metadata: @autoclosure () -> Metadata? = nil, source: @autoclosure () -> String? = nil,
        file: String = #fileID, function: String = #function, line: UInt = #line
    ) {
        write(level, message(), metadata() ?? [:])
    }
}
