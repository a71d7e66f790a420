// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// A child process that runs this program with other arguments.
package struct Child {
    private let process = Process()
    private let output = Pipe()
    private let input = Pipe()

    package init(_ arguments: [String]) throws {
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
        process.arguments = arguments
        process.standardOutput = output
        process.standardInput = input
        try process.run()
    }

    package func readLine() -> String {
        var line = Data()
        while let byte = try? output.fileHandleForReading.read(upToCount: 1),
            byte != Data("\n".utf8)
        {
            if byte.isEmpty { break }
            line += byte
        }
        return String(decoding: line, as: UTF8.self)
    }

    /// Sends an empty line, and returns the next line of the child's output.
    package func ask() -> String {
        try? input.fileHandleForWriting.write(contentsOf: Data("\n".utf8))
        return readLine()
    }

    package func end() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}
