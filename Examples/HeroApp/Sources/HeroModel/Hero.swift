// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// A hero in the list. `nonisolated`, so that lists are decoded off the main actor.
public nonisolated struct Hero: Decodable, Hashable, Identifiable, Sendable {
    /// The number that the server gave the hero.
    public let id: Int
    /// The hero's name.
    public let name: String
}

/// More about a hero.
public nonisolated struct HeroDetails: Decodable, Hashable, Sendable {
    /// Who the hero is.
    public let biography: String
    /// What the hero can do.
    public let powers: [String]
}
