// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// The files of the app, which the tests of texts and of the Xcode project read.
nonisolated enum AppFiles {
    /// The folder of the example.
    static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The source code of all views, without their previews.
    static func views() throws -> String {
        let views = folder.appendingPathComponent("Sources/HeroApp/Views")
        let names = try FileManager.default.contentsOfDirectory(atPath: views.path)
        let texts = try names.map { name in
            let file = views.appendingPathComponent(name)
            let text = try String(contentsOf: file, encoding: .utf8)
            return text.components(separatedBy: "#Preview(")[0]
        }
        return texts.joined(separator: "\n")
    }
}
