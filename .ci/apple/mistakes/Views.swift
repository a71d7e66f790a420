// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// Mistakes in SwiftUI code. For each platform, the compiler must diagnose each line marked
// WRONG, and no other. visionOS 1 has the APIs of iOS 17, so lines marked OLD are valid there.

import Observation
import SwiftUI

@available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, visionOS 1.0, *)
@Observable @MainActor final class Counter {
    var count = 0
    var text = ""
    func load() async {}
}

@available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, visionOS 1.0, *)
struct CounterView: View {
    @State private var counter = Counter()

    nonisolated func count() -> Int {
        counter.count  // WRONG
    }

    func modifiers() {
        _ = Text("a").refreshable { counter.load() }  // WRONG
        _ = Text("a").refreshable { await counter.load() }
        _ = Text("a").task(id: counter) { await counter.load() }  // WRONG
        _ = Text("a").task { counter.text = "a" }
        _ = Text("a").searchable(text: $counter.count, prompt: "a")  // WRONG
        _ = Text("a").searchable(text: $counter.text, prompt: "a")
    }

    var body: some View {
        Text(counter.text)
    }
}

@available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, visionOS 1.0, *)
func detached(_ counter: Counter) {
    Task.detached { counter.text = "a" }  // WRONG
}

func olderSystems() {
    _ = Text("a")  // WRONG, OLD
}
