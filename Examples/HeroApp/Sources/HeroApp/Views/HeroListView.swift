// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if canImport(SwiftUI)
import ServiceProvider
import SwiftUI
#if DEBUG
import ServiceProviderTesting
#endif

/// The list of heroes, with search and pull to refresh.
struct HeroListView: View {
    @State private var model: HeroList

    init(model: HeroList) {
        _model = State(initialValue: model)
    }

    var body: some View {
        NavigationStack {
            // The list stays, whatever the phase is. Replacing it would cancel a pull to refresh.
            List {
                PhaseRow(phase: model.phase, retry: model.retry)
                ForEach(model.phase.value?.heroes ?? []) { hero in
                    NavigationLink(value: hero) {
                        HeroRow(hero: hero, provider: model.provider)
                    }
                }
            }
            .overlay {
                PhaseOverlay(phase: model.phase, retry: model.retry) { found in
                    NoHeroes(searchText: found.text)
                }
            }
            .navigationTitle("Heroes")
            .navigationDestination(for: Hero.self) { hero in
                HeroDetailView(hero: hero, provider: model.provider)
            }
            .searchable(text: $model.searchText, prompt: "Name")
            .refreshable { await model.refresh() }
            // The task is cancelled when the query changes or the view disappears.
            .task(id: model.query) { await model.search() }
        }
    }
}

/// A hero in the list.
private struct HeroRow: View {
    let hero: Hero
    let provider: ServiceProvider<HeroService>

    var body: some View {
        HStack {
            HeroImage(hero: hero, provider: provider)
                .frame(width: 44, height: 44)
                // VoiceOver reads the name, which is beside it.
                .accessibilityHidden(true)
            Text(verbatim: hero.name)
        }
    }
}

/// Stands in for a list without heroes.
private struct NoHeroes: View {
    let searchText: String

    var body: some View {
        if searchText.isEmpty {
            ContentUnavailableView("No heroes yet", systemImage: "person.3")
        } else {
            ContentUnavailableView.search(text: searchText)
        }
    }
}

#if DEBUG
#Preview("Loading") {
    HeroListView(model: HeroList(provider: .preview(.never)))
}

#Preview("Loaded") {
    HeroListView(model: HeroList(provider: .preview(.heroes)))
}

#Preview("Empty") {
    HeroListView(model: HeroList(provider: .preview(.json("[]"))))
}

#Preview("No match") {
    HeroListView(model: HeroList(provider: .preview(.json("[]")), searchText: "Zorro"))
}

#Preview("Failed") {
    HeroListView(model: HeroList(provider: .preview(.offline)))
}

#Preview("Trying again") {
    let model = HeroList(provider: .preview(.heroes, .never))
    HeroListView(model: model)
        .task(id: model.phase) {
            guard case .loaded = model.phase else { return }
            model.retry()
        }
}

#Preview("Refresh failed") {
    let model = HeroList(provider: .preview(.heroes, .statusCode(503)))
    HeroListView(model: model)
        .task(id: model.phase) {
            guard case .loaded = model.phase else { return }
            await model.refresh()
        }
}
#endif
#endif
