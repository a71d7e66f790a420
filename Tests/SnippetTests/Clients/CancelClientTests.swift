// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import TestTraits
import Testing

struct SuggestionAPI: Service {
    let baseURL: String
    let text: String
    var path: String { "/suggestions" }
    var parameters: [String: Any]? { ["q": text] }
}

/// Cancels the last search when the text changes.
@MainActor final class SearchField {
    private let provider = ServiceProvider<SuggestionAPI>()
    private let server: String
    private var search: Task<Void, Never>?
    private(set) var suggestions: [String] = []
    private(set) var cancelled = 0

    init(server: String) { self.server = server }

    func change(_ text: String) {
        search?.cancel()
        let endpoint = SuggestionAPI(baseURL: server, text: text)
        search = provider.load(service: endpoint, decodeType: [String].self) { [weak self] result in
            switch result {
            case .success(let texts): self?.suggestions = texts
            case .failure(.cancelled): self?.cancelled += 1
            case .failure, .empty: self?.suggestions = ["error"]
            }
        }
    }
}

@Suite(.serialized, .opensFiles, .timeLimit) struct CancelClientTests {
    @Test @MainActor func onlyTheLastSearchIsShown() async throws {
        let server = try LoopbackServer { request in
            request.query == "q=spider" ? .json(#"["Spider-Man"]"#) : .never
        }
        let field = SearchField(server: server.baseURL)
        for text in ["s", "sp", "spi", "spid", "spide", "spider"] {
            field.change(text)
        }
        while field.suggestions.isEmpty || field.cancelled < 5 {
            try await Task.sleep(nanoseconds: 1_000_000)
        }
        #expect(field.suggestions == ["Spider-Man"])
        #expect(field.cancelled == 5)
    }
}
