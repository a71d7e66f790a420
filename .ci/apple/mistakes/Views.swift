// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// Mistakes in SwiftUI code. For each platform, the compiler must diagnose each line marked
// WRONG with the text of its mark, and no other. visionOS 1 has the APIs of iOS 17, so lines marked OLD are valid there.

import Observation
import SwiftUI
import UniformTypeIdentifiers

@available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, visionOS 1.0, *)
@Observable @MainActor final class Counter {
    var count = 0
    var text = ""
    func load() async {}
}

@available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, visionOS 1.0, *)
struct CounterView: View {
    @State private var counter = Counter()
    @State private var isChoosing = false

    nonisolated func count() -> Int {
        counter.count  // WRONG: main actor-isolated property 'count' can not be referenced from a nonisolated context
    }

    func modifiers() {
        _ = Text("a").refreshable { counter.load() }  // WRONG: expression is 'async' but is not marked with 'await'
        _ = Text("a").refreshable { await counter.load() }
        _ = Text("a").task(id: counter) { await counter.load() }  // WRONG: requires that 'Counter' conform to 'Equatable'
        _ = Text("a").task { counter.text = "a" }
        _ = Text("a").searchable(text: $counter.count, prompt: "a")  // WRONG: cannot convert value of type 'Binding<Int>'
        _ = Text("a").searchable(text: $counter.text, prompt: "a")
    }

    func moreModifiers(_ services: [Service]) {
        _ = Text("a").onAppear { await counter.load() }  // WRONG: invalid conversion from 'async' function
        _ = Button("a") { try await reload() }  // WRONG: invalid conversion from throwing function
        _ = ForEach(services) { Text($0.name) }  // WRONG: requires that 'Service' conform to 'Identifiable'
        _ = NavigationLink("a", value: services[0])  // WRONG: requires that 'Service' conform to 'Hashable'
    }

    func reload() async throws {}

    func chooses() {
        _ = Text("a").fileImporter(  // WRONG, TV: 'fileImporter(isPresented:allowedContentTypes:onCompletion:)' is unavailable in tvOS
            isPresented: $isChoosing, allowedContentTypes: [.image], onCompletion: { _ in })
    }

    func words() -> [String] {
        counter.text.components(separatedBy: .whitespaces)  // WRONG: is not available due to missing import of defining module 'Foundation'
    }

    var body: some View {
        Text(counter.text)
    }
}

struct Service {
    let name: String
}

@available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, visionOS 1.0, *)
func detached(_ counter: Counter) {
    Task.detached { counter.text = "a" }  // WRONG: main actor-isolated property 'text' can not be mutated
}

func olderSystems() {
    _ = Text("a")  // WRONG, OLD: 'Text' is only available in
}
