// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

nonisolated extension ServiceMetrics {
    /// The values that are known, in one line: `h2, 192.0.2.7, reused connection, first byte 0.094 s, total 0.098 s`.
    public var summary: String {
        var parts = [protocolName, remoteAddress].compactMap { $0 }
        if isReusedConnection == true { parts.append("reused connection") }
        for (name, seconds) in [
            ("DNS", nameLookup), ("connect", connect), ("TLS", secureConnect),
            ("first byte", firstByte), ("total", total),
        ] {
            guard let seconds else { continue }
            parts.append("\(name) \(String(format: "%.3f", seconds)) s")
        }
        return parts.joined(separator: ", ")
    }
}
