// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Observation
import ServiceProvider

/// The state of the screen that shows one hero.
@Observable
public final class HeroDetail {
    /// The hero from the list.
    public let hero: Hero
    /// More about the hero. Nil until loaded.
    public private(set) var details: HeroDetails?
    /// The reason why loading failed. Nil if it didn't fail.
    public private(set) var errorText: String?

    private let provider: ServiceProvider<HeroService>
    private var newestCall = 0

    /// Creates the state for a hero. Call ``load()`` to load the details.
    public init(hero: Hero, provider: ServiceProvider<HeroService>) {
        (self.hero, self.provider) = (hero, provider)
    }

    /// Loads the details.
    public func load() async {
        newestCall += 1
        let call = newestCall
        do {
            let details = try await provider.load(
                service: .details(heroID: hero.id), decodeType: HeroDetails.self)
            // Two calls can overlap, and the older call's response can arrive last.
            guard call == newestCall else { return }
            (self.details, errorText) = (details, nil)
        } catch ServiceError.cancelled {
            // The screen has disappeared.
        } catch {
            guard call == newestCall else { return }
            errorText = error.screenText
        }
    }
}
