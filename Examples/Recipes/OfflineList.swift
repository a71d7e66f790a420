// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// A list that works without a network.

import Foundation
import ServiceProvider
import ServiceProviderCaching
import ServiceProviderExtras

struct TodoService: Service {
    var baseURL: String
    var path: String { "/todos" }
}

struct Todo: Decodable, Equatable {
    let title: String
}

/// A list that first shows the stored items, and then the server's. Without a
/// network, the stored list stays.
@MainActor final class TodoList {
    private(set) var todos: [Todo] = []
    private(set) var isOffline = false
    private let service: TodoService
    private let provider: ServiceProvider<TodoService>

    /// - Parameter folder: In the user's caches, so that the list survives a restart.
    init(baseURL: String, folder: URL) {
        service = TodoService(baseURL: baseURL)
        let cache = ServiceCache(store: ServiceDirectoryStore(folder))
        provider = ServiceProvider(interceptors: [cache])
    }

    func load() async {
        let stored = provider.wrapped(in: ServiceCachePolicy.offline)
        if let known = try? await stored.load(service: service, decodeType: [Todo].self) {
            todos = known
        }
        do {
            todos = try await provider.load(service: service, decodeType: [Todo].self)
            isOffline = false
        } catch {
            switch ServiceError(error) {
            case .cancelled: break  // says nothing about the network
            case .transport: isOffline = true
            default: isOffline = false
            }
        }
    }
}
