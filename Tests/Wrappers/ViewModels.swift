// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
#if canImport(ServiceProvider)
import ServiceProvider
#endif

/// View models on the main actor.
@MainActor private final class ItemsModel {
    var items: [Item] = []
    var text = ""
    let provider = ServiceProvider<API>()
    var call: Task<Void, Never>?

    func load() {
        call?.cancel()
        call = provider.load(service: .items, decodeType: [Item].self) { [weak self] result in
            switch result {
            case .success(let items): self?.items = items
            case .failure(.cancelled): break
            case .failure(let error): self?.text = error.localizedDescription
            case .empty: self?.items = []
            }
        }
    }

    func refresh() async {
        do {
            items = try await provider.load(service: .items, decodeType: [Item].self)
        } catch {
            text = error.localizedDescription
        }
    }
}

/// A state for each kind of list.
@MainActor private final class ListModel<Element: Decodable> {
    enum State {
        case idle, loading
        case loaded([Element])
        case failed(String)
    }

    private(set) var state = State.idle
    private let provider: ServiceProvider<API>
    private let service: API

    init(_ service: API, provider: ServiceProvider<API>) {
        self.service = service
        self.provider = provider
    }

    func load() async {
        state = .loading
        do {
            state = .loaded(try await provider.load(service: service, decodeType: [Element].self))
        } catch {
            state = .failed(error.localizedDescription)
        }
    }

    func start() {
        provider.load(service: service, decodeType: [Element].self) { [weak self] result in
            switch result {
            case .success(let elements): self?.state = .loaded(elements)
            case .failure(let error): self?.state = .failed(error.localizedDescription)
            case .empty: self?.state = .loaded([])
            }
        }
    }
}
