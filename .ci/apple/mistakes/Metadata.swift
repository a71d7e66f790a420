// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// Compiles, but functions whose names begin with "wrong" need metadata that older systems don't have.

typealias Work = nonisolated(nonsending) () async -> Void

struct Worker {
    var work: Work?

    mutating func wrongTake() -> Bool {
        let taken = work.take()
        return taken != nil
    }

    mutating func take() -> Work? {
        let taken = work
        work = nil
        return taken
    }
}

func wrongElements(_ work: @escaping Work) -> Int { [work].count }

func wrongType() -> Any.Type { Work.self }
