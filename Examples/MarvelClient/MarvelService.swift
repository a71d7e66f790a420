// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderBodies
import ServiceProviderExtras

/// The endpoints of the Marvel API that this client uses.
enum MarvelService {
    case characters(CharacterFilter, MarvelAccount)
    case character(id: Int, MarvelAccount)
    /// A picture, by its full URL from a character. Pictures don't need keys, so the request
    /// doesn't contain any.
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
            .encoding(filter).merging(account.signature()) { $1 }
        case .character(_, let account): account.signature()
        case .picture: nil
        }
    }

    var timeout: TimeInterval? { 30 }

    /// Marks the timestamp as a secret. It's different in each request, so a recording must match
    /// any value.
    func prepare(_ request: inout ServiceRequest) { request.secretNames = ["ts"] }
}

/// Which characters to request, in which order, and which page. Nil leaves the choice to the server.
struct CharacterFilter: Encodable, Equatable, Sendable {
    var name, nameStartsWith, orderBy: String?
    var limit, offset: Int?
}
