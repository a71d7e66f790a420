// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import Testing

/// The Xcode project is written by hand, and these tests also run where Xcode doesn't.
@Suite struct XcodeProjectTests {
    private nonisolated struct Project: Decodable {
        let objects: [String: [String: Value]]
        let rootObject: String
    }

    /// A value of a property list.
    private nonisolated enum Value: Decodable {
        case text(String)
        case list([Value])
        case dictionary([String: Value])

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let text = try? container.decode(String.self) {
                self = .text(text)
            } else if let list = try? container.decode([Value].self) {
                self = .list(list)
            } else {
                self = .dictionary(try container.decode([String: Value].self))
            }
        }

        var text: String? {
            if case .text(let text) = self { text } else { nil }
        }

        var dictionary: [String: Value] {
            if case .dictionary(let dictionary) = self { dictionary } else { [:] }
        }

        /// The texts that look like the ID of an object.
        var ids: [String] {
            switch self {
            case .text(let text): text.wholeMatch(of: /[0-9A-F]{24}/) == nil ? [] : [text]
            case .list(let values): values.flatMap(\.ids)
            case .dictionary(let values): values.values.flatMap(\.ids)
            }
        }
    }

    private let objects: [String: [String: Value]]
    private let root: String

    init() throws {
        let file = AppFiles.folder.appendingPathComponent("HeroApp.xcodeproj/project.pbxproj")
        let project = try PropertyListDecoder().decode(Project.self, from: Data(contentsOf: file))
        objects = project.objects
        root = project.rootObject
    }

    private func all(_ kind: String) -> [[String: Value]] {
        objects.values.filter { $0["isa"]?.text == kind }
    }

    @Test func eachIDBelongsToAnObjectAndEachObjectIsUsed() {
        let used = Set(objects.values.flatMap { Value.dictionary($0).ids } + [root])
        #expect(used == Set(objects.keys))
        #expect(objects[root]?["isa"]?.text == "PBXProject")
    }

    @Test func itsFolderAndItsPackageExist() throws {
        let group = try #require(all("PBXFileSystemSynchronizedRootGroup").first)
        let sources = try #require(group["path"]?.text)
        let app = AppFiles.folder.appendingPathComponent("\(sources)/HeroApp.swift")
        #expect(FileManager.default.fileExists(atPath: app.path))
        let reference = try #require(all("XCLocalSwiftPackageReference").first)
        let package = try #require(reference["relativePath"]?.text)
        let manifest = AppFiles.folder.appendingPathComponent("\(package)/Package.swift")
        #expect(
            try String(contentsOf: manifest, encoding: .utf8).contains(#"name: "ServiceProvider""#))
    }

    /// Xcode and SwiftPM build the same app.
    @Test func itLinksTheProductsOfThePackage() throws {
        let names = all("XCSwiftPackageProductDependency").compactMap {
            $0["productName"]?.text
        }
        let manifest = AppFiles.folder.appendingPathComponent("Package.swift")
        let text = try String(contentsOf: manifest, encoding: .utf8)
        let list = try #require(text.firstMatch(of: #/let products = \[([^\]]+)\]/#))
        #expect(Set(names) == Set(list.1.matches(of: #/"(\w+)"/#).map { String($0.1) }))
    }

    /// Without a shared scheme, Xcode may choose one of the package's.
    @Test func itsSchemeRunsTheApp() throws {
        let target = try #require(objects.first { $0.value["isa"]?.text == "PBXNativeTarget" })
        let file = AppFiles.folder.appendingPathComponent(
            "HeroApp.xcodeproj/xcshareddata/xcschemes/HeroApp.xcscheme")
        let scheme = try String(contentsOf: file, encoding: .utf8)
        let ids = scheme.matches(of: #/BlueprintIdentifier = "(\w+)"/#).map { String($0.1) }
        #expect(ids == [target.key, target.key])
    }

    @Test func itsSettingsAreThoseOfANewApp() throws {
        let settings = all("XCBuildConfiguration").compactMap { $0["buildSettings"]?.dictionary }
        #expect(settings.count == 4)
        let ofTarget = settings.filter { $0["PRODUCT_NAME"] != nil }
        #expect(ofTarget.count == 2)
        for setting in ofTarget {
            #expect(setting["SWIFT_DEFAULT_ACTOR_ISOLATION"]?.text == "MainActor")
            #expect(setting["INFOPLIST_FILE"]?.text == "Info.plist")
        }
    }

    @Test func theAppMayCallItsOwnServer() throws {
        let file = AppFiles.folder.appendingPathComponent("Info.plist")
        let info = try PropertyListDecoder()
            .decode([String: [String: Bool]].self, from: Data(contentsOf: file))
        #expect(info["NSAppTransportSecurity"]?["NSAllowsLocalNetworking"] == true)
    }
}
