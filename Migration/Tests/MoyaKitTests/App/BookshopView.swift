// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// A file without targets. It doesn't import the kit, so `Task` is Swift's.
@MainActor final class BookshopView {
    let model = BookshopModel()
    private var running: Task<Void, Never>?

    func appear() {
        running = Task { model.refresh() }
    }

    func disappear() {
        running?.cancel()
    }
}
