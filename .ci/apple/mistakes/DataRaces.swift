// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// Data races, which the compiler finds after type checking. It must diagnose each line marked WRONG with the text of its mark, and
// no other.

import Combine
import Foundation

func sharedStream(_ stream: InputStream) {
    Task.detached { stream.open() }  // WRONG: passing closure as a 'sending' parameter risks causing data races
}

func usedAfterSending(_ data: Data) async {
    let stream = InputStream(data: data)
    Task.detached { stream.open() }  // WRONG: sending value of non-Sendable type '() async -> ()' risks causing data races
    stream.close()
}

func sent(_ data: Data) async {
    let stream = InputStream(data: data)
    Task.detached { stream.open() }
}

func promises(_ load: @escaping @Sendable () async -> Int) -> Future<Int, Never> {
    Future { promise in
        Task { promise(.success(await load())) }  // WRONG: passing closure as a 'sending' parameter risks causing data races
    }
}

final class Log {
    var lines: [String] = []
}

func logsInBackground(_ log: Log) {
    Task { log.lines.append("a") }  // WRONG: passing closure as a 'sending' parameter risks causing data races
}

@MainActor func sharesFormatter(_ formatter: Formatter) async {
    await Task.detached { _ = formatter }.value  // WRONG: passing closure as a 'sending' parameter
}
