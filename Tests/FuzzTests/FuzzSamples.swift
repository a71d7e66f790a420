// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import TestSupport

/// Writes built requests and the expected values to a file, so that another program can check them:
/// see `.ci/check-fuzz`.
final class FuzzSamples: Sendable {
    /// One line of the file.
    struct Sample: Encodable {
        let url, scheme, host: String
        let port: Int?
        /// The base URL's path and query are percent-encoded. The added path and query are decoded.
        let basePath, baseQuery: String
        let path: Data
        let query: [FuzzPair]
        let form: [FuzzPair]?
        let isJSON: Bool
        let body: Data

        init(
            _ service: TestService, url: String, query: [FuzzPair], form: [FuzzPair]?,
            isJSON: Bool, _ body: Data
        ) {
            let base = FuzzAddress(service.baseURL)
            (self.url, scheme, host, port) = (url, base.scheme, base.host, base.port)
            (basePath, baseQuery, self.query) = (base.path, base.query ?? "", query)
            path = Data(service.joinedPath)
            (self.form, self.isJSON, self.body) = (form, isJSON, body)
        }
    }

    private let file: FileHandle?

    init(_ name: String) throws {
        guard let folder = Fuzz.folder else {
            file = nil
            return
        }
        let url = folder.appendingPathComponent(name)
        try Data().write(to: url)
        file = try FileHandle(forWritingTo: url)
    }

    func add(_ sample: Sample) throws {
        guard let file else { return }
        try file.write(contentsOf: JSONEncoder().encode(sample) + Data("\n".utf8))
    }
}
