// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// A model for decoding tests.
package struct Hero: Decodable, Equatable, Sendable {
    package var id: Int
    package var name: String?

    package init(id: Int, name: String? = nil) {
        self.id = id
        self.name = name
    }
}
