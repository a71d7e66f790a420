// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider

/// The file that `save` makes.
struct PictureFile {
    let path: String

    /// Why there is no such file afterwards.
    struct SaveError: Error, CustomStringConvertible {
        let path, reason: String

        var description: String { "'\(path)' cannot be saved: \(reason)" }
    }

    /// Loads a picture into it.
    ///
    /// - Throws: `ServiceError`, or ``SaveError``, also when there is a file of that name.
    nonisolated(nonsending) func save(
        _ picture: MarvelService, by provider: ServiceProvider<MarvelService>
    ) async throws {
        guard !FileManager.default.fileExists(atPath: path) else {
            throw SaveError(path: path, reason: "there is such a file already.")
        }
        let data = try await provider.load(service: picture)
        do {
            try data.write(to: URL(fileURLWithPath: path), options: .withoutOverwriting)
        } catch {
            throw SaveError(path: path, reason: error.localizedDescription)
        }
    }
}
