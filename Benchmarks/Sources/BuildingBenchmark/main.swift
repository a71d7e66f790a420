// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import BenchmarkSupport
import Foundation
import ServiceProvider

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

// Compares building requests with the library and by hand. Both take turns in each round, and the
// median counts. Exits with 1 if the library exceeds a limit.

let rounds = CommandLine.arguments.dropFirst().first.flatMap(Int.init) ?? 15
let provider = ServiceProvider<BenchmarkService>()

@Sendable func library(_ service: BenchmarkService) -> URLRequest? {
    (try? provider.request(service: service))?.urlRequest
}

let workloads = [
    Workload(
        name: "1 query parameter", limit: 0.9, byHand: ByHand.oneParameter,
        byLibrary: { library(.oneParameter) }),
    Workload(
        name: "5 query parameters", limit: 1, byHand: ByHand.fiveParameters,
        byLibrary: { library(.fiveParameters) }),
    Workload(
        name: "20 query parameters", limit: 1, byHand: ByHand.twentyParameters,
        byLibrary: { library(.twentyParameters) }),
    Workload(
        name: "form of 10 fields", limit: 1.15, byHand: ByHand.form, byLibrary: { library(.form) }),
    Workload(
        name: "JSON of 10 fields, Encodable", limit: 1.4, byHand: ByHand.json,
        byLibrary: { library(.encodable) }),
    Workload(
        name: "JSON of 10 fields, parameters", limit: 1.4, byHand: ByHand.json,
        byLibrary: { library(.json) }),
]

/// The nanoseconds for each call, averaged over 2,000 calls, which take a few milliseconds.
func time(_ build: () -> URLRequest?) -> Double {
    let calls = 2_000
    var built = 0
    let start = DispatchTime.now().uptimeNanoseconds
    for _ in 0..<calls where build() != nil { built += 1 }
    let end = DispatchTime.now().uptimeNanoseconds
    guard built == calls else { fatalError("building a request failed") }
    return Double(end - start) / Double(calls)
}

/// The query and body of a request, to check that both requests are equal.
func text(_ request: URLRequest?) -> [String] {
    let body = request?.httpBody.map { String(decoding: $0, as: UTF8.self) } ?? ""
    let query = request?.url?.query?.removingPercentEncoding ?? ""
    let parts = (query + body.replacingOccurrences(of: "%20", with: " ")).split {
        "&,{}".contains($0)
    }
    return parts.map { $0.removingPercentEncoding ?? "" }.sorted()
}

var isGood = true
print("ns for each request, median of \(rounds) interleaved rounds")
for workload in workloads {
    guard text(workload.byHand()) == text(workload.byLibrary()) else {
        print(
            "\(workload.name): the requests differ:", text(workload.byHand()),
            text(workload.byLibrary()))
        exit(1)
    }
    var (byHand, byLibrary) = (Sample(), Sample())
    for _ in 0..<rounds {
        byHand.add(time(workload.byHand))
        byLibrary.add(time(workload.byLibrary))
    }
    let ratio = byLibrary.ratio(to: byHand)
    isGood = isGood && ratio.median <= workload.limit
    print(
        workload.name.padding(toLength: 32, withPad: " ", startingAt: 0),
        "by hand \(Int(byHand.median))", "library \(Int(byLibrary.median))",
        String(format: "ratio %.2f, limit %.2f", ratio.median, workload.limit), separator: "  ")
    try Results.add("building", workload.name, "by hand", "ns", byHand)
    try Results.add("building", workload.name, "ServiceProvider", "ns", byLibrary)
    try Results.add("building", workload.name, "ServiceProvider", "ratio", ratio)
}
exit(isGood ? 0 : 1)
