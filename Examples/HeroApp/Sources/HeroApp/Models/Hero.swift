// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// A hero in the list. `nonisolated`, so that lists are decoded off the main actor.
nonisolated struct Hero: Decodable, Hashable, Identifiable, Sendable {
    /// The server's number for the hero.
    let id: Int
    /// The hero's name.
    let name: String
}

/// More about a hero.
nonisolated struct HeroDetails: Decodable, Hashable, Sendable {
    /// A short biography.
    let biography: String
    /// The names of the hero's powers.
    let powers: [String]
}
