// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
#if canImport(ServiceProvider)
import ServiceProvider
#endif

/// The value that the other files of this folder load.
nonisolated struct Item: Codable, Sendable, Identifiable { let id: Int }

nonisolated enum API: Service {
    case item(Int)
    case items

    var baseURL: String { "https://api.example.com" }
    var path: String {
        switch self {
        case .item(let id): "/items/\(id)"
        case .items: "/items"
        }
    }
}
