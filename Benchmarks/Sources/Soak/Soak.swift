// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import BenchmarkSupport
import Foundation
import ServiceProvider

/// Runs rounds of calls, each against new servers, and measures the resources after each round.
struct Soak: Sendable {
    private static let inFlight = 64
    private static let callsOfRound = 1_280

    let isCurl: Bool
    let seconds: Double
    let seed: Int
    let kinds: [Kind]

    /// Runs the rounds and prints the results. Returns whether all checks passed.
    func run() async throws -> Bool {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("Soak-\(UUID().uuidString)")
        let down = folder.appendingPathComponent("down")
        try FileManager.default.createDirectory(at: down, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        // The library and the platform put temporary files here.
        setenv("TMPDIR", down.path, 1)
        try Data(repeating: 0x63, count: SoakServer.size)
            .write(to: folder.appendingPathComponent("upload"))

        let server = try Child(["serve"])
        let ledger = Ledger(curl: isCurl)
        let before = Sample()
        let (samples, calls) = try await rounds(Addresses(), folder, ledger, server)
        server.end()
        let end = await settled(before)

        let name = isCurl ? "CurlTransport" : "URLSessionTransport"
        print("\(name): \(calls) calls, \(Self.inFlight) in flight, seed \(seed)")
        ledger.printTable()
        let isFlat = Sample.judge(samples, curl: isCurl, calls: calls)
        print("descriptors: \(before.descriptors) before the transport, \(end) after it")
        if end > before.descriptors { print(Sample.files.joined(separator: " ")) }
        let files = try FileManager.default.contentsOfDirectory(atPath: down.path)
        print("files left: \(files.count)", files.prefix(5).joined(separator: " "))
        let isGood = ledger.isGood && isFlat && files.isEmpty && end <= before.descriptors
        print(isGood ? "ok" : "FAILED")
        return isGood
    }

    private func rounds(
        _ addresses: Addresses, _ folder: URL, _ ledger: Ledger, _ server: Child
    ) async throws -> ([Sample], Int) {
        let client = try Client(curl: isCurl, addresses, folder)
        let start = ProcessInfo.processInfo.systemUptime
        var (samples, calls) = ([Sample](), 0)
        addresses.set(server.ask())
        try await probe(client)
        let idle = Sample().descriptors + 4
        while ProcessInfo.processInfo.systemUptime - start < seconds {
            let first = calls
            try await Faults.useNetwork(samples.count, client.patient)
            let watch = Self.watchdog(ledger)
            await withTaskGroup { group in
                for worker in 0..<Self.inFlight {
                    group.addTask {
                        for call in stride(
                            from: first + worker, to: first + Self.callsOfRound, by: Self.inFlight)
                        {
                            await make(call, client, ledger)
                        }
                    }
                }
            }
            watch.cancel()
            calls += Self.callsOfRound
            addresses.set(server.ask())
            // Connections to the servers of this round are closed over time, when they turn out to
            // be dead.
            for _ in 0..<40 {
                try await probe(client)
                if Sample().descriptors <= idle { break }
                try await Task.sleep(nanoseconds: 50_000_000)
            }
            samples.append(Sample())
        }
        return (samples, calls)
    }

    private func probe(_ client: Client) async throws {
        _ = try await client.provider.load(service: client.service(.text, 0))
    }

    /// Ends the program if a round takes too long, because a call that never ends would block it.
    private static func watchdog(_ ledger: Ledger) -> DispatchSourceTimer {
        let timer = DispatchSource.makeTimerSource()
        timer.schedule(deadline: .now() + 120)
        timer.setEventHandler {
            ledger.printTable()
            print("FAILED: not ended after 120 s:", ledger.pending.joined(separator: ", "))
            exit(1)
        }
        timer.resume()
        return timer
    }

    /// Makes a call. The seed decides the kind, and whether and when it is cancelled.
    private func make(_ call: Int, _ client: Client, _ ledger: Ledger) async {
        var dice = Dice(seed: seed, call: call)
        let kind = dice.kind(of: kinds)
        let moment = dice.moment()
        ledger.start(call, kind, mayBeCancelled: moment != nil)
        guard [.handler, .valueHandler, .emptyHandler].contains(kind) else {
            let task = Task { await client.outcome(kind, call) }
            Self.after(moment) { task.cancel() }
            ledger.end(call, await task.value)
            return
        }
        await withCheckedContinuation { continuation in
            let task = client.start(kind, call) { outcome in
                if ledger.end(call, outcome) { continuation.resume() }
            }
            Self.after(moment) { task.cancel() }
        }
    }

    private static func after(
        _ seconds: Double?, _ cancel: @escaping @Sendable () -> Void
    ) {
        guard let seconds else { return }
        DispatchQueue.global().asyncAfter(deadline: .now() + seconds, execute: cancel)
    }

    /// Waits up to 10 s until the descriptors are down to their earlier number. Returns their number.
    private func settled(_ before: Sample) async -> Double {
        for _ in 0..<100 where Sample().descriptors > before.descriptors {
            try? await Task.sleep(nanoseconds: 100_000_000)
        }
        return Sample().descriptors
    }
}
