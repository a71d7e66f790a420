// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import Observation
import ServiceProvider

/// The picture of one hero. The provider's cache stores it.
@MainActor @Observable
final class HeroPicture {
    private let heroID: Int
    private let provider: ServiceProvider<HeroService>
    private let loader = Loader<Data> { $0.isEmpty }

    /// Creates the state for the picture of a hero. Call ``load()`` to load it.
    init(heroID: Int, provider: ServiceProvider<HeroService>) {
        self.heroID = heroID
        self.provider = provider
    }

    // Otherwise, in an app with main-actor isolation by default, it crashes before iOS 18.4 and macOS 15.4.
    nonisolated deinit {}

    /// The phase that the view shows.
    var phase: Phase<Data> { loader.phase }

    /// Loads the picture. While it is fresh, it comes from the cache.
    func load() async {
        await loader.load { try await provider.load(service: .picture(heroID: heroID)) }
    }
}
