// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider

/// The endpoints of the Marvel API that this client asks.
enum MarvelService {
    case characters(CharacterFilter, MarvelAccount)
    case character(id: Int, MarvelAccount)
}

extension MarvelService: Service {
    var baseURL: String { account.baseURL }

    var path: String {
        switch self {
        case .characters: "/v1/public/characters"
        case .character(let id, _): "/v1/public/characters/\(id)"
        }
    }

    var parameters: [String: Any]? {
        switch self {
        case .characters(let filter, let account):
            account.signature().merging(filter.parameters) { $1 }
        case .character(_, let account):
            account.signature()
        }
    }

    var timeout: TimeInterval? { 30 }

    private var account: MarvelAccount {
        switch self {
        case .characters(_, let account), .character(_, let account): account
        }
    }
}

/// Which characters, in which order, and which part of them; what is nil, the server decides.
struct CharacterFilter: Equatable, Sendable {
    var name: String?
    var nameStartsWith: String?
    var orderBy: String?
    var limit: Int?
    var offset: Int?

    /// The parameters of the API. The library leaves out those that are nil, which the API would
    /// not take.
    var parameters: [String: Any] {
        [
            "name": name as Any, "nameStartsWith": nameStartsWith as Any,
            "orderBy": orderBy as Any, "limit": limit as Any, "offset": offset as Any,
        ]
    }
}
