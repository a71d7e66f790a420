// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// The decoded type: 1 MB of JSON.
struct Page: Codable {
    struct Hero: Codable {
        let id: Int
        let name: String
        let team: String
        let summary: String
        let level: Double
        let isActive: Bool
    }

    let heroes: [Hero]

    static let count = 5_400

    static func megabyte() throws -> Data {
        let heroes = (0..<count).map { id in
            Hero(
                id: 1_000_000 + id, name: "Hero \(id)", team: "New Avengers",
                summary: "With great power there must also come great responsibility, \(id) times.",
                level: Double(id) / 4, isActive: id.isMultiple(of: 2))
        }
        return try JSONEncoder().encode(Page(heroes: heroes))
    }
}
