// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Observation
import ServiceProvider

/// The state of the screen that shows the list of heroes.
@Observable
public final class HeroList {
    /// The text in the search field.
    public var searchText = ""
    /// The heroes that match the search text.
    public private(set) var heroes: [Hero] = []
    /// The reason why the newest call failed. Nil if it didn't fail.
    public private(set) var errorText: String?
    /// Whether a call is running.
    public private(set) var isLoading = false

    private let provider: ServiceProvider<HeroService>
    private let pause: Duration
    private var newestCall = 0

    /// Creates an empty list.
    ///
    /// - Parameters:
    ///   - provider: Loads the heroes.
    ///   - pause: How long to wait after a change of the search text. Default: 0.3 seconds.
    public init(provider: ServiceProvider<HeroService>, pause: Duration = .milliseconds(300)) {
        (self.provider, self.pause) = (provider, pause)
    }

    /// Loads the heroes that match the search text, after a pause in typing.
    ///
    /// The view cancels its task when the text changes or the screen disappears.
    public func search() async {
        if !searchText.isEmpty {
            do { try await Task.sleep(for: pause) } catch { return }
        }
        await load()
    }

    /// Loads the heroes that match the search text.
    public func load() async {
        newestCall += 1
        let call = newestCall
        isLoading = true
        defer { if call == newestCall { isLoading = false } }
        do {
            let heroes = try await provider.load(
                service: .heroes(name: searchText), decodeType: [Hero].self)
            // A search and a refresh can overlap, and the older call's response can arrive last.
            guard call == newestCall else { return }
            (self.heroes, errorText) = (heroes, nil)
        } catch ServiceError.cancelled {
            // The text has changed, or the screen has disappeared.
        } catch {
            guard call == newestCall else { return }
            errorText = error.screenText
        }
    }
}
