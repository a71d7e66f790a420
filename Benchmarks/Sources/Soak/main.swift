// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

// Runs mixed calls with faults for a long time. Checks that each call ends once with an allowed
// outcome, and that memory, descriptors, threads and temporary files don't grow. Exits with 1
// otherwise. The servers run in a separate process, so that only the client is measured.
//
//     Soak curl|urlsession SECONDS [SEED [KIND...]]

let words = CommandLine.arguments
switch words.dropFirst().first {
case "serve":
    // For each line of input, replaces the servers with new ones and prints their URLs.
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
    print("Usage: Soak curl|urlsession SECONDS [SEED [KIND...]]")
    exit(2)
}
