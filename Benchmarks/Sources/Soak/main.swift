// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

// Mixed calls with faults, for long: each ends once, as it may, and nothing grows. Exit status 1 where it
// is not so. The servers are in another process, so that the figures are the client's alone.
//
//     Soak curl|urlsession SECONDS [SEED [KIND...]]

let words = CommandLine.arguments
switch words.dropFirst().first {
case "serve":
    // A line for each that is asked for: other servers than before.
    var server: SoakServer?
    while readLine() != nil {
        let next = try SoakServer()
        server?.stop()
        server = next
        print(next.addresses)
        fflush(nil)
    }
    server?.stop()
case "curl", "urlsession":
    let isCurl = words[1] == "curl"
    let kinds = words.dropFirst(4).compactMap { Kind(rawValue: $0) }
    let soak = Soak(
        isCurl: isCurl, seconds: words.dropFirst(2).first.flatMap(Double.init) ?? 30,
        seed: words.dropFirst(3).first.flatMap(Int.init) ?? 1,
        kinds: kinds.isEmpty ? Kind.all(curl: isCurl) : kinds)
    exit(try await soak.run() ? 0 : 1)
default:
    print("Soak curl|urlsession SECONDS [SEED [KIND...]]")
    exit(2)
}
