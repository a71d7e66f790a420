// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if canImport(SwiftUI)
import HeroModel
import ServiceProvider
import SwiftUI

/// The list of heroes, with search and pull to refresh.
struct HeroListView: View {
    private let provider: ServiceProvider<HeroService>
    @State private var model: HeroList

    init(provider: ServiceProvider<HeroService>) {
        self.provider = provider
        _model = State(initialValue: HeroList(provider: provider))
    }

    var body: some View {
        NavigationStack {
            List {
                if let errorText = model.errorText {
                    ErrorView(text: errorText) { await model.load() }
                }
                ForEach(model.heroes) { hero in
                    NavigationLink(hero.name, value: hero)
                }
            }
            .overlay {
                if model.heroes.isEmpty, model.errorText == nil {
                    if model.isLoading {
                        ProgressView()
                    } else {
                        ContentUnavailableView.search(text: model.searchText)
                    }
                }
            }
            .navigationTitle("Heroes")
            .navigationDestination(for: Hero.self) { hero in
                HeroDetailView(hero: hero, provider: provider)
            }
            .searchable(text: $model.searchText, prompt: "Name")
            .refreshable { await model.load() }
            // The task is cancelled when the text changes or the view disappears.
            .task(id: model.searchText) { await model.search() }
        }
    }
}
#endif
