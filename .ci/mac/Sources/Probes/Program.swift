// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// A run of a program in a process of its own.
struct Program {
    private let process = Process()
    private let output: URL

    /// Starts the program. Its errors go to this program's errors.
    ///
    /// - Parameters:
    ///   - file: Default: nil, which is this program.
    ///   - output: A new file for its output.
    init(_ arguments: [String], of file: URL? = nil, output: URL) throws {
        self.output = output
        try Data().write(to: output)
        process.executableURL = try file ?? Self.executable
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: output)
        try process.run()
    }

    static var executable: URL {
        get throws {
            guard let file = Bundle.main.executableURL else { throw CocoaError(.fileNoSuchFile) }
            return file
        }
    }

    /// Waits for the end of the program, and kills it at the limit.
    ///
    /// - Returns: Whether it ended before the limit.
    func end(within limit: TimeInterval) async throws -> Bool {
        let deadline = uptime + limit
        while process.isRunning, uptime < deadline {
            try await Task.sleep(nanoseconds: 20_000_000)
        }
        guard process.isRunning else { return true }
        try await kill()
        return false
    }

    /// Kills the program, as the system kills an app, and waits for its end.
    func kill() async throws {
        // Not after its end: its number may belong to another process by then.
        if process.isRunning { _ = Foundation.kill(process.processIdentifier, SIGKILL) }
        while process.isRunning {
            try await Task.sleep(nanoseconds: 20_000_000)
        }
    }

    /// How the program ended, such as "status 0" or "signal 9".
    var ending: String {
        let kind = process.terminationReason == .exit ? "status" : "signal"
        return "\(kind) \(process.terminationStatus)"
    }

    var text: String { (try? String(contentsOf: output, encoding: .utf8)) ?? "" }
}
