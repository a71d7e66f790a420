// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// Compiles, but the marked lines need metadata that older systems don't have.

typealias Work = nonisolated(nonsending) () async -> Void

struct Worker {
    var work: Work?  // FINDS a property of this type crashes on macOS 14 and iOS 17: (nonisolated

    mutating func storesTaken() -> Bool {  // FINDS don't have: Worker.storesTaken
        let taken = work.take()
        return taken != nil
    }

    mutating func take() -> Work? {
        let taken = work
        work = nil
        return taken
    }
}

func count(_ work: @escaping Work) -> Int { [work].count }  // FINDS don't have: MistakesMetadata.count

func type() -> Any.Type { Work.self }  // FINDS don't have: MistakesMetadata.type

@MainActor final class Screen {
    var text = ""

    isolated deinit { text = "" }  // FINDS isolated deinit needs macOS 15.4 and iOS 18.4
}
