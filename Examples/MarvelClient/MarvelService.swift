// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderExtras

/// The endpoints of the Marvel API that this client uses.
enum MarvelService {
    case characters(CharacterFilter, MarvelAccount)
    case character(id: Int, MarvelAccount)
    /// A picture, by its full URL from a character. It's on a different host than the API, so the
    /// request doesn't contain any keys.
    case picture(String)
}

extension MarvelService: Service {
    var baseURL: String {
        switch self {
        case .characters(_, let account), .character(_, let account): account.baseURL
        case .picture(let url): url
        }
    }

    var path: String {
        switch self {
        case .characters: "/v1/public/characters"
        case .character(let id, _): "/v1/public/characters/\(id)"
        case .picture: ""
        }
    }

    var parameters: [String: Any]? {
        switch self {
        case .characters(let filter, let account):
            account.signature().merging(filter.parameters) { $1 }
        case .character(_, let account):
            account.signature()
        case .picture: nil
        }
    }

    var timeout: TimeInterval? { 30 }

    /// Marks the timestamp as a secret. It's different in each request, so a recording must match
    /// any value.
    func prepare(_ request: inout ServiceRequest) { request.secretNames = ["ts"] }
}

/// Which characters to request, in which order, and which page. Nil leaves the choice to the server.
struct CharacterFilter: Equatable, Sendable {
    var name: String?
    var nameStartsWith: String?
    var orderBy: String?
    var limit: Int?
    var offset: Int?

    /// The same filter with a different offset.
    func starting(at offset: Int) -> CharacterFilter {
        var filter = self
        filter.offset = offset
        return filter
    }

    /// The parameters of the API. The library leaves out those that are nil, because the API
    /// rejects empty ones.
    var parameters: [String: Any] {
        [
            "name": name as Any, "nameStartsWith": nameStartsWith as Any,
            "orderBy": orderBy as Any, "limit": limit as Any, "offset": offset as Any,
        ]
    }
}
