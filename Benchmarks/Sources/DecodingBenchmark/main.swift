// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// Measures how long the main queue and the main actor are blocked while 50 responses of 1 MB
// arrive, 4 at a time, and are decoded. The ways take turns in one run. The server is in a separate
// process. Exits with 1 if the library's longest work on the main thread takes more than a quarter
// of the time of decoding there.
//
//     DecodingBenchmark [ROUNDS]

import BenchmarkSupport
import Foundation
import LoopbackServer

struct Stalls {
    var (queue, actor, work, seconds) = (Sample(), Sample(), Sample(), Sample())
}

let arguments = CommandLine.arguments
Task {
    do {
        if arguments.dropFirst().first == "serve" { try serve() }
        try await compare(rounds: arguments.dropFirst().first.flatMap(Int.init) ?? 9)
    } catch {
        fatalError("\(error)")
    }
}
// Runs the main queue on the main thread, as in an app.
RunLoop.main.run()

/// Runs the server process.
func serve() throws -> Never {
    let page = try Page.megabyte()
    let server = try LoopbackServer { _ in .data(page, contentType: "application/json") }
    print(server.baseURL)
    fflush(nil)
    // Runs until the parent closes the pipe.
    while readLine() != nil {}
    server.stop()
    exit(0)
}

@MainActor func compare(rounds: Int) async throws -> Never {
    let server = try Child(["serve"])
    let ways = try Way.all(baseURL: server.readLine())
    var stalls = Array(repeating: Stalls(), count: ways.count)
    for round in 0...rounds {
        for (index, way) in ways.enumerated() {
            let start = ProcessInfo.processInfo.systemUptime
            let heartbeat = Heartbeat()
            let heroes = try await load(way)
            heartbeat.stop()
            guard heroes == 50 * (way.name == Way.idle ? 0 : Page.count) else {
                fatalError("\(way.name): \(heroes) heroes")
            }
            // The first round warms up connections and caches.
            guard round > 0 else { continue }
            stalls[index].queue.add(heartbeat.queue)
            stalls[index].actor.add(heartbeat.actor)
            stalls[index].work.add(heartbeat.work)
            stalls[index].seconds.add(ProcessInfo.processInfo.systemUptime - start)
        }
    }
    server.end()
    print("50 responses of 1 MB, median of \(rounds) rounds. Columns: longest time between two")
    print("beats of the main queue and of the main actor, most work between two beats (ms);")
    print("total seconds")
    for (way, own) in zip(ways, stalls) {
        print(
            way.name.padding(toLength: 40, withPad: " ", startingAt: 0),
            String(
                format: "%8.1f %8.1f %8.1f %8.2f", own.queue.median, own.actor.median,
                own.work.median, own.seconds.median))
        try Results.add("decoding", "50 responses of 1 MB", way.name, "queue ms", own.queue)
        try Results.add("decoding", "50 responses of 1 MB", way.name, "actor ms", own.actor)
        try Results.add("decoding", "50 responses of 1 MB", way.name, "work ms", own.work)
        try Results.add("decoding", "50 responses of 1 MB", way.name, "seconds", own.seconds)
    }
    let work = Dictionary(uniqueKeysWithValues: zip(ways.map(\.name), stalls.map(\.work.median)))
    let limit = (work[Way.naive] ?? 0) / 4
    let isGood = work.allSatisfy { !Way.isLibrary($0.key) || $0.value <= limit }
    if !isGood { print("OVER \(limit) ms of work") }
    exit(isGood ? 0 : 1)
}

/// Loads 50 pages, 4 at a time. Returns the number of heroes.
@MainActor func load(_ way: Way) async throws -> Int {
    let workers = (0..<4).map { worker in
        Task {
            var heroes = 0
            for _ in stride(from: worker, to: 50, by: 4) { heroes += try await way.load() }
            return heroes
        }
    }
    var heroes = 0
    for worker in workers { heroes += try await worker.value }
    return heroes
}
