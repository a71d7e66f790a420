// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// Data races, which the compiler finds after type checking. It must diagnose each line marked WRONG, and no other.

import Foundation

func sharedStream(_ stream: InputStream) {
    Task.detached { stream.open() }  // WRONG
}

func usedAfterSending(_ data: Data) async {
    let stream = InputStream(data: data)
    Task.detached { stream.open() }  // WRONG
    stream.close()
}

func sent(_ data: Data) async {
    let stream = InputStream(data: data)
    Task.detached { stream.open() }
}
