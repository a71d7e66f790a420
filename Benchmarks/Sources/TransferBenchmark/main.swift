// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import BenchmarkSupport
import Foundation
import LoopbackServer

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

// Measures the memory for a big body: the peak growth of the resident set over the idle process.
// Each way runs in its own process, and so does the server. Exits with 1 if the library takes more
// than 32 MB, or 16 MB on libcurl, or 60 MB for 10,000 requests at the same time, or 100 MB for
// 20,000 calls that wait behind three interceptors (5 KB for each).
//
//     TransferBenchmark [MEGABYTES [REQUESTS-IN-A-ROW]]

func limit(_ name: String) -> Double {
    if name.contains("waiting calls") { return 100 }
    return name.contains("at once") ? 60 : name.hasPrefix("curl: ") ? 16 : 32
}
let arguments = CommandLine.arguments
switch arguments.dropFirst().first {
case "serve": try await serve(file: URL(fileURLWithPath: arguments[2]))
case "measure":
    try await measure(
        arguments[2], baseURL: arguments[3], folder: arguments[4], row: Int(arguments[5]) ?? 0)
default:
    let counts = arguments.dropFirst().compactMap(Int.init)
    try await compare(megabytes: counts.first ?? 512, row: counts.dropFirst().first ?? 200_000)
}

/// Runs the server process, which sends the file and counts received bytes.
func serve(file: URL) async throws {
    let server = try LoopbackServer(recordingBodiesUpTo: 0) { request in
        switch request.path {
        case "/file": LoopbackResponse(body: .file(file))
        case "/sink": .text("\(request.bodySize)")
        case "/small": .text(String(repeating: "a", count: 2_000))
        default: .text("warm")
        }
    }
    print(server.baseURL)
    fflush(nil)
    // Runs until the parent closes the pipe.
    while readLine() != nil {}
    server.stop()
}

/// Runs a child process, which prints the growth in MB, the seconds, and a description of the
/// result.
func measure(_ name: String, baseURL: String, folder: String, row: Int) async throws {
    let way = try Way(name, baseURL: baseURL, folder: URL(fileURLWithPath: folder), row: row)
    try await way.warmUp()
    let idle = Memory.resident()
    Memory.forgetPeak()
    let start = ProcessInfo.processInfo.systemUptime
    let event = try await way.run(name)
    let seconds = ProcessInfo.processInfo.systemUptime - start
    print(Memory.peak() - idle, seconds, event, separator: "\t")
}

func compare(megabytes: Int, row: Int) async throws {
    let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("TransferBenchmark-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("big.bin")
    try Data().write(to: file)
    let handle = try FileHandle(forWritingTo: file)
    for index in 0..<megabytes {
        try handle.write(contentsOf: Data(repeating: UInt8(index % 251), count: 1 << 20))
    }
    try handle.close()

    let server = try Child(["serve", file.path])
    let baseURL = server.readLine()
    print("\(megabytes) MB. Columns: peak growth of the resident set in MB, seconds, result")
    var isGood = true
    for name in Way.names {
        let child = try Child(["measure", name, baseURL, folder.path, "\(row)"])
        let fields = child.readLine().split(separator: "\t").map(String.init)
        child.end()
        let growth = fields.first.flatMap(Double.init) ?? .infinity
        let isOver = !name.hasPrefix("bare") && growth > limit(name)
        isGood = isGood && !isOver
        let seconds = fields.dropFirst().first.flatMap(Double.init) ?? .nan
        print(
            name.padding(toLength: 48, withPad: " ", startingAt: 0),
            String(format: "%8.1f %7.2f", growth, seconds), fields.last ?? "",
            isOver ? "OVER \(Int(limit(name))) MB" : "")
        // URLSession on Linux can't slow down the server, so a slow reader's buffer gets full.
        if fields.last?.hasPrefix("failed") != false { continue }
        try Results.add("memory", "\(megabytes) MB", name, "MB", growth)
        try Results.add("memory", "\(megabytes) MB", name, "seconds", seconds)
    }
    server.end()
    exit(isGood ? 0 : 1)
}
