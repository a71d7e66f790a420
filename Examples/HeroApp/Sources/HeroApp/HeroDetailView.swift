// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if canImport(SwiftUI)
import HeroModel
import ServiceProvider
import SwiftUI

/// One hero, and a button that sends a picture.
struct HeroDetailView: View {
    @State private var model: HeroDetail
    @State private var upload: PictureUpload

    init(hero: Hero, provider: ServiceProvider<HeroService>) {
        _model = State(initialValue: HeroDetail(hero: hero, provider: provider))
        _upload = State(initialValue: PictureUpload(heroID: hero.id, provider: provider))
    }

    var body: some View {
        List {
            if let errorText = model.errorText {
                ErrorView(text: errorText) { await model.load() }
            }
            if let details = model.details {
                Section("Biography") {
                    Text(details.biography)
                }
                Section("Powers") {
                    ForEach(details.powers, id: \.self) { power in
                        Text(power)
                    }
                }
            } else if model.errorText == nil {
                ProgressView()
            }
            Section("Picture") {
                PictureUploadView(upload: upload)
            }
        }
        .navigationTitle(model.hero.name)
        .refreshable { await model.load() }
        .task { await model.load() }
    }
}
#endif
