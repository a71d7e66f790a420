// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// Measures processor time and requests per second. In each round, all ways take turns, in an order that
// moves by one from round to round, because the way after URLSession runs faster than after another.
// `Benchmarks/end-to-end` starts the server and this program:
//   EndToEndBenchmark URL REQUESTS IN-FLIGHT ROUNDS [CA-FILE]

import BenchmarkSupport
import CurlInC
import CurlTransport
import Foundation
import ServiceProvider

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

struct FileService: Service, Sendable {
    let baseURL: String
    var path: String { "" }
}

struct Figures {
    var (perSecond, processor) = (Sample(), Sample())
}

func processorSeconds() -> Double {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
    return seconds(usage.ru_utime) + seconds(usage.ru_stime)
}

/// Runs a closure `requests` times, `inFlight` at a time. Returns the number of bytes received.
func load(
    requests: Int, inFlight: Int, _ one: @escaping @Sendable () async throws -> Int
) async throws -> Int {
    try await withThrowingTaskGroup(of: Int.self) { group in
        for worker in 0..<inFlight {
            group.addTask {
                var bytes = 0
                for _ in stride(from: worker, to: requests, by: inFlight) {
                    bytes += try await one()
                }
                return bytes
            }
        }
        return try await group.reduce(0, +)
    }
}

/// Does the same from the main actor, as apps do.
@MainActor func loadFromMainActor(
    requests: Int, inFlight: Int, _ one: @escaping @MainActor () async throws -> Int
) async throws -> Int {
    let workers = (0..<inFlight).map { worker in
        Task { @MainActor in
            var bytes = 0
            for _ in stride(from: worker, to: requests, by: inFlight) {
                bytes += try await one()
            }
            return bytes
        }
    }
    var bytes = 0
    for worker in workers { bytes += try await worker.value }
    return bytes
}

/// Starts each call in the handler of the one before it, as apps with handlers do.
@MainActor final class HandlerCalls {
    private var left: Int
    private var running = 0
    private var bytes = 0
    private let end: (Int) -> Void

    init(_ requests: Int, end: @escaping (Int) -> Void) {
        left = requests
        self.end = end
    }

    func start() {
        guard left > 0 else { return }
        left -= 1
        running += 1
        curl.load(service: service) { result in
            self.bytes += (try? result.get())?.count ?? 0
            self.running -= 1
            self.start()
            if self.running == 0 { self.end(self.bytes) }
        }
    }
}

let words = CommandLine.arguments
guard words.count > 4, let url = URL(string: words[1]), let requests = Int(words[2]),
    let inFlight = Int(words[3]), let rounds = Int(words[4])
else {
    print("Usage: EndToEndBenchmark URL REQUESTS IN-FLIGHT ROUNDS [CA-FILE]")
    exit(2)
}
let authorities = words.count > 5 ? words[5] : nil
let service = FileService(baseURL: words[1])
var configuration = CurlTransport.Configuration()
configuration.certificateAuthorities = authorities.map { URL(fileURLWithPath: $0) }
let curl = ServiceProvider<FileService>(transport: try CurlTransport(configuration: configuration))
let session = ServiceProvider<FileService>()
let bareSession = URLSession(configuration: .default)
let delegate = BareDelegate()
// As in `URLSessionTransport`, because with a cache, cancelling a request can crash the process.
let withoutCache = URLSessionConfiguration.default
withoutCache.urlCache = nil
let delegateSession = URLSession(
    configuration: withoutCache, delegate: delegate, delegateQueue: nil)
let bareCurl = try BareCurl(authorities: authorities)
let curlInC = curl_in_c_make(authorities)
let curlBesideLoop = curl_in_c_make(authorities)
guard curl_in_c_start_loop(curlBesideLoop) == 0 else { exit(1) }

var ways: [(name: String, run: () async throws -> Int)] = [
    ("bare libcurl", { try bareCurl.run(words[1], requests: requests, inFlight: inFlight) }),
    ("libcurl in C", { curl_in_c_run(curlInC, words[1], requests, inFlight) }),
    (
        "two threads in C",
        { curl_in_c_run_beside_loop(curlBesideLoop, words[1], requests, inFlight) }
    ),
    (
        "CurlTransport",
        {
            try await load(requests: requests, inFlight: inFlight) {
                try await curl.load(service: service).count
            }
        }
    ),
    (
        "CurlTransport, main actor",
        {
            try await loadFromMainActor(requests: requests, inFlight: inFlight) {
                try await curl.load(service: service).count
            }
        }
    ),
    (
        "CurlTransport, handler",
        {
            await withCheckedContinuation { continuation in
                let calls = HandlerCalls(requests) { continuation.resume(returning: $0) }
                for _ in 0..<inFlight { calls.start() }
            }
        }
    ),
]
// URLSession trusts only the system's authorities, so it can't connect to the TLS server.
if authorities == nil {
    ways += [
        (
            "URLSessionTransport",
            {
                try await load(requests: requests, inFlight: inFlight) {
                    try await session.load(service: service).count
                }
            }
        ),
        (
            "URLSession with a delegate",
            {
                try await load(requests: requests, inFlight: inFlight) {
                    try await delegate.run(delegateSession.dataTask(with: url))
                }
            }
        ),
        (
            "bare URLSession",
            {
                try await load(requests: requests, inFlight: inFlight) {
                    try await withCheckedThrowingContinuation { continuation in
                        bareSession.dataTask(with: url) { data, _, error in
                            continuation.resume(
                                with: Result {
                                    if let error { throw error }
                                    return data?.count ?? 0
                                })
                        }.resume()
                    }
                }
            }
        ),
    ]
}

// For profiling, the environment variable ONLY selects some ways by name, separated by semicolons.
if let only = ProcessInfo.processInfo.environment["ONLY"]?.components(separatedBy: ";") {
    ways = ways.filter { only.contains($0.name) }
}
var figures = Array(repeating: Figures(), count: ways.count)
var size: Int?
for round in 0...rounds {
    for turn in ways.indices {
        let index = (turn + round) % ways.count
        let (start, processor) = (Date(), processorSeconds())
        let bytes = try await ways[index].run()
        let seconds = Date().timeIntervalSince(start)
        guard bytes == size ?? bytes, bytes > 0 else {
            fatalError("\(ways[index].name): \(bytes) bytes")
        }
        size = bytes
        // The first round warms up connections and caches.
        guard round > 0 else { continue }
        figures[index].perSecond.add(Double(requests) / seconds)
        figures[index].processor.add((processorSeconds() - processor) / Double(requests) * 1e6)
    }
}
print("\(words[1]), \(inFlight) in flight, median of \(rounds) rounds of \(requests) requests")
let name = "\(url.scheme ?? "") \(url.lastPathComponent), \(inFlight) in flight"
for (way, own) in zip(ways, figures) {
    var line = String(
        format: "%-26@ %5.0f µs of processor %8.0f/s", way.name as NSString, own.processor.median,
        own.perSecond.median)
    for (base, figures) in zip(ways, figures)
    where base.name.contains("are ") || base.name.hasSuffix("in C")
        || base.name.hasSuffix("delegate")
    {
        let ratio = own.perSecond.ratio(to: figures.perSecond)
        line += String(format: "  %5.2f of %@", ratio.median, base.name as NSString)
        try Results.add("end-to-end", name, way.name, "of \(base.name)", ratio)
    }
    print(line)
    try Results.add("end-to-end", name, way.name, "requests/s", own.perSecond)
    try Results.add("end-to-end", name, way.name, "processor µs", own.processor)
}
