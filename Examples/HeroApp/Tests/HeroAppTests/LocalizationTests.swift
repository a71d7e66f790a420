// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import Testing

/// The String Catalog has each text of the views, in each language.
@Suite struct LocalizationTests {
    private nonisolated struct Catalog: Decodable {
        let sourceLanguage: String
        let strings: [String: Entry]
    }

    private nonisolated struct Entry: Decodable {
        let localizations: [String: Localization]
    }

    private nonisolated struct Localization: Decodable {
        let stringUnit: Unit
    }

    private nonisolated struct Unit: Decodable {
        let state: String
        let value: String
    }

    private let catalog: Catalog

    init() throws {
        let file = AppFiles.folder.appendingPathComponent("Sources/HeroApp/Localizable.xcstrings")
        catalog = try JSONDecoder().decode(Catalog.self, from: Data(contentsOf: file))
    }

    /// The literals that SwiftUI looks up.
    private func textsOfViews() throws -> Set<String> {
        let text =
            #/(?:\b(?:Text|Label|Button|Section|ProgressView|PhotosPicker|ContentUnavailableView)\(|\.(?:navigationTitle|accessibilityLabel)\(|prompt: )"([^"]+)"/#
        let matches = try AppFiles.views().matches(of: text)
        return Set(matches.map { String($0.1.replacing(#/\\\([^)]*\)/#, with: "%@")) })
    }

    @Test func theCatalogHasTheTextsOfTheViewsAndNoOthers() throws {
        #expect(catalog.sourceLanguage == "en")
        #expect(try textsOfViews() == Set(catalog.strings.keys))
    }

    @Test func eachTextIsTranslated() {
        for (key, entry) in catalog.strings {
            let german = entry.localizations["de"]?.stringUnit
            #expect(german?.state == "translated", "\(key)")
            #expect(german?.value.isEmpty == false, "\(key)")
            // A translation without the name, or with one too many, would be wrong at run time.
            let names = key.components(separatedBy: "%@").count
            #expect(german?.value.components(separatedBy: "%@").count == names, "\(key)")
        }
    }
}
