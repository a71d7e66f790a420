// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Testing

@testable import HeroApp

/// Two calls that run at the same time.
@Suite(.timeLimit(.minutes(1))) @MainActor struct LoaderTests {
    @Test func theOlderCallCountsIfTheNewerOneIsCancelledAfterIt() async {
        let loader = Loader<String>()
        let (steps, step) = AsyncStream.makeStream(of: Void.self)
        var running = 0
        let older = Task {
            await loader.load {
                running += 1
                for await _ in steps { break }
                return "older"
            }
        }
        await until { running == 1 }
        let newer = Task {
            await loader.load {
                running += 1
                try await Task.sleep(for: .seconds(3_600))
                return "newer"
            }
        }
        await until { running == 2 }
        step.yield()
        await older.value
        #expect(loader.phase == .loading)
        newer.cancel()
        await newer.value
        #expect(loader.phase == .loaded("older"))
    }

    @Test func theOlderCallDoesNotCountIfItEndsAfterTheNewerOne() async {
        let loader = Loader<String>()
        let (steps, step) = AsyncStream.makeStream(of: Void.self)
        var isRunning = false
        let older = Task {
            await loader.load {
                isRunning = true
                for await _ in steps { break }
                return "older"
            }
        }
        await until { isRunning }
        await loader.load { "newer" }
        step.yield()
        await older.value
        #expect(loader.phase == .loaded("newer"))
        // If a call is cancelled immediately, the screen shows the earlier value again.
        await loader.load { throw CancellationError() }
        #expect(loader.phase == .loaded("newer"))
    }
}
