// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Observation
import ServiceProvider

/// The state of the screen that shows one hero.
@MainActor @Observable
final class HeroDetail {
    /// The hero from the list.
    let hero: Hero
    /// Changes when the details must be loaded again.
    private(set) var retries = 0

    private let provider: ServiceProvider<HeroService>
    private let loader = Loader<HeroDetails>()

    /// Creates the state for a hero. Call ``load()`` to load the details.
    init(hero: Hero, provider: ServiceProvider<HeroService>) {
        self.hero = hero
        self.provider = provider
    }

    // Otherwise, in an app with main-actor isolation by default, it crashes before iOS 18.4 and macOS 15.4.
    nonisolated deinit {}

    /// The phase that the screen shows.
    var phase: Phase<HeroDetails> { loader.phase }

    /// Loads the details.
    func load() async {
        await loader.load { try await details() }
    }

    /// Loads the details again. If that fails, the old ones stay.
    func refresh() async {
        await loader.load(showsProgress: false) { try await details() }
    }

    /// Makes the view load again, because it changes ``retries``.
    func retry() {
        retries += 1
    }

    private func details() async throws -> HeroDetails {
        try await provider.load(service: .details(heroID: hero.id), decodeType: HeroDetails.self)
    }
}
