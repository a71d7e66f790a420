// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// A search while the user types: an enum, and a handler.

import Foundation
import ServiceProvider
import ServiceProviderExtras

enum HeroService {
    case heroes(nameStartsWith: String)
    case comics(heroID: Int)
}

extension HeroService: Service {
    var baseURL: String { "https://gateway.example.com/v1/public" }
    var path: String {
        switch self {
        case .heroes: "/characters"
        case .comics(let heroID): "/characters/\(heroID)/comics"
        }
    }
    var parameters: [String: Any]? {
        switch self {
        case .heroes(let start): ["nameStartsWith": start, "limit": 20]
        case .comics: nil
        }
    }
}

struct HeroPage: Decodable {
    struct Hero: Decodable { let name: String }
    struct Content: Decodable { let results: [Hero] }
    let data: Content
}

/// Updates a list of heroes while the user types.
@MainActor final class HeroSearch {
    private(set) var names: [String] = []
    private(set) var message = ""
    private let provider: ServiceProvider<HeroService>
    private var call: Task<Void, Never>?

    init(provider: ServiceProvider<HeroService>) {
        self.provider = provider
    }

    func find(_ text: String, completion: @escaping @MainActor () -> Void) {
        call?.cancel()
        call = provider.load(
            service: .heroes(nameStartsWith: text), decodeType: HeroPage.self
        ) { [weak self] result in
            switch result {
            case .success(let page): self?.show(page.data.results.map(\.name))
            case .empty: self?.show([])
            case .failure(.cancelled): return  // the user has typed more
            case .failure(let error):
                self?.message = error.serverMessage ?? error.localizedDescription
            }
            completion()
        }
    }

    private func show(_ names: [String]) {
        self.names = names
        message = ""
    }
}
