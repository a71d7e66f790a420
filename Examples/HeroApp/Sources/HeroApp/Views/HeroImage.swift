// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if canImport(SwiftUI)
import Foundation
import ServiceProvider
import SwiftUI
#if DEBUG
import ServiceProviderTesting
#endif
#if os(macOS)
import AppKit
#else
import UIKit
#endif

/// The picture of a hero, or a symbol.
struct HeroImage: View {
    private let hero: Hero
    private let version: Int
    @State private var model: HeroPicture

    /// Creates a view that loads the picture when it appears.
    ///
    /// - Parameters:
    ///   - hero: The hero.
    ///   - provider: Loads the picture.
    ///   - version: The picture is loaded again when this changes. Default: 0.
    init(hero: Hero, provider: ServiceProvider<HeroService>, version: Int = 0) {
        self.hero = hero
        self.version = version
        _model = State(initialValue: HeroPicture(heroID: hero.id, provider: provider))
    }

    var body: some View {
        ZStack {
            switch model.phase {
            case .loading:
                ProgressView()
            case .loaded(let data), .refreshing(let data), .outdated(let data, _):
                picture(data).resizable().scaledToFit()
            case .empty, .failed:
                symbol.resizable().scaledToFit()
            }
        }
        .accessibilityElement(children: .ignore)
        .accessibilityLabel("Picture of \(hero.name)")
        .task(id: version) { await model.load() }
    }

    private var symbol: Image { Image(systemName: "person.crop.square") }

    private func picture(_ data: Data) -> Image {
        #if os(macOS)
        NSImage(data: data).map(Image.init(nsImage:)) ?? symbol
        #else
        UIImage(data: data).map(Image.init(uiImage:)) ?? symbol
        #endif
    }
}

#if DEBUG
#Preview("Loading") {
    HeroImage(hero: .preview, provider: .preview(picture: .never))
}

#Preview("Loaded") {
    HeroImage(hero: .preview, provider: .preview())
}

#Preview("Missing") {
    HeroImage(hero: .preview, provider: .preview(picture: .statusCode(404)))
}
#endif
#endif
