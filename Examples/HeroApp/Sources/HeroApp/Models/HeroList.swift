// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Observation
import ServiceProvider

/// The state of the screen that shows the list of heroes.
@MainActor @Observable
final class HeroList {
    /// The text in the search field.
    var searchText: String

    let provider: ServiceProvider<HeroService>
    private let pause: Duration
    private let loader = Loader<Found> { $0.heroes.isEmpty }
    private var retries = 0

    /// Creates an empty list.
    ///
    /// - Parameters:
    ///   - provider: Loads the heroes.
    ///   - searchText: The text in the search field. Default: empty.
    ///   - pause: How long to wait after a change of the search text. Default: 0.3 seconds.
    init(
        provider: ServiceProvider<HeroService>, searchText: String = "",
        pause: Duration = .milliseconds(300)
    ) {
        self.searchText = searchText
        self.provider = provider
        self.pause = pause
    }

    // Otherwise, in an app with main-actor isolation by default, it crashes before iOS 18.4 and macOS 15.4.
    nonisolated deinit {}

    /// The phase that the screen shows.
    var phase: Phase<Found> { loader.phase }

    /// Changes when a new search must start.
    var query: Query { Query(text: searchText, retries: retries) }

    /// Loads the heroes that match the search text, after a pause in typing.
    ///
    /// The view cancels it when the query changes or the screen disappears.
    func search() async {
        let text = searchText
        await loader.load(keepsValue: hasFound(text)) {
            if !text.isEmpty {
                try await Task.sleep(for: pause)
            }
            return try await found(text)
        }
    }

    /// Loads the heroes again. If that fails, the list stays, unless it belongs to another search text.
    func refresh() async {
        let text = searchText
        await loader.load(keepsValue: hasFound(text), showsProgress: false) {
            try await found(text)
        }
    }

    /// Starts the search again, because it changes the query.
    func retry() {
        retries += 1
    }

    private func found(_ text: String) async throws -> Found {
        let heroes = try await provider.load(
            service: .heroes(name: text), decodeType: [Hero].self)
        return Found(text: text, heroes: heroes)
    }

    /// Whether the list belongs to a search text. After another search has failed, it would be wrong.
    private func hasFound(_ text: String) -> Bool {
        phase.value?.text == text
    }
}

nonisolated extension HeroList {
    /// The heroes that a search has found.
    struct Found: Equatable, Sendable {
        /// The text of the search.
        let text: String
        /// The heroes, in the server's order.
        let heroes: [Hero]
    }

    /// The values that a search depends on.
    struct Query: Equatable, Sendable {
        /// The text in the search field.
        let text: String
        /// How often the person has tapped "Try again".
        let retries: Int
    }
}
