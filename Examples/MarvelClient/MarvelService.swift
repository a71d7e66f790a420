// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import ServiceProvider

/// The server to call, and the key that it gave to its user.
struct Account {
    let baseURL: String
    let key: String
}

/// The endpoints of Marvel's API: one case each, with the values that its request needs.
enum MarvelService {
    case characters(Account, name: String? = nil, nameStartsWith: String? = nil, offset: Int = 0)
    case character(Account, id: Int)
    /// A picture, by its whole URL. It may be on any host, so it doesn't get the key.
    case picture(String)
}

extension MarvelService: Service {
    var baseURL: String {
        switch self {
        case .characters(let account, _, _, _), .character(let account, _): account.baseURL
        case .picture(let url): url
        }
    }

    var path: String {
        switch self {
        case .characters: "/v1/public/characters"
        case .character(_, let id): "/v1/public/characters/\(id)"
        case .picture: ""
        }
    }

    /// The query of the URL. A parameter that is nil isn't sent.
    var parameters: [String: Any]? {
        switch self {
        case .characters(let account, let name, let start, let offset):
            [
                "apikey": account.key, "name": name as Any, "nameStartsWith": start as Any,
                "offset": offset,
            ]
        case .character(let account, _): ["apikey": account.key]
        case .picture: nil
        }
    }
}
