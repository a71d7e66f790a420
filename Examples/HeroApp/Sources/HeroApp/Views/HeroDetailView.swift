// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if canImport(SwiftUI)
#if !os(tvOS)
import PhotosUI
#endif
import ServiceProvider
import SwiftUI
#if DEBUG
import ServiceProviderTesting
#endif

/// One hero, with its picture and a button that sends another picture.
struct HeroDetailView: View {
    private let provider: ServiceProvider<HeroService>
    @State private var model: HeroDetail
    @State private var upload: PictureUpload
    #if !os(tvOS)
    @State private var chosenPicture: PhotosPickerItem?
    #endif

    init(hero: Hero, provider: ServiceProvider<HeroService>) {
        self.provider = provider
        _model = State(initialValue: HeroDetail(hero: hero, provider: provider))
        _upload = State(initialValue: PictureUpload(heroID: hero.id, provider: provider))
    }

    var body: some View {
        List {
            PhaseRow(phase: model.phase, retry: model.retry)
            if let details = model.phase.value {
                picture
                DetailsSections(details: details)
            }
        }
        .overlay {
            PhaseOverlay(phase: model.phase, retry: model.retry) { _ in EmptyView() }
        }
        .navigationTitle(Text(verbatim: model.hero.name))
        .refreshable { await model.refresh() }
        .task(id: model.retries) { await model.load() }
        #if !os(tvOS)
        .sends($chosenPicture, with: upload)
        #endif
    }

    private var picture: some View {
        Section("Picture") {
            HeroImage(hero: model.hero, provider: provider, version: upload.uploads)
                .frame(width: 160, height: 160)
            #if !os(tvOS)
            PictureUploadView(upload: upload, item: $chosenPicture)
            #endif
        }
    }
}

/// The texts about a hero.
private struct DetailsSections: View {
    let details: HeroDetails

    var body: some View {
        Section("Biography") {
            Text(verbatim: details.biography)
        }
        Section("Powers") {
            ForEach(details.powers, id: \.self) { power in
                Text(verbatim: power)
            }
        }
    }
}

#if DEBUG
#Preview("Loading") {
    HeroDetailView(hero: .preview, provider: .preview(.never))
}

#Preview("Loaded") {
    HeroDetailView(hero: .preview, provider: .preview(.details))
}

#Preview("Failed") {
    HeroDetailView(hero: .preview, provider: .preview(.statusCode(503)))
}
#endif
#endif
