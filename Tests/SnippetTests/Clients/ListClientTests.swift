// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import Testing

struct Movie: Decodable {
    let title: String
    let released: Date
}

struct MoviePage: Decodable {
    let results: [Movie]
}

enum MovieAPI: Service {
    case search(String, page: Int, server: String)

    var baseURL: String {
        switch self {
        case .search(_, _, let server): server + "/3"
        }
    }
    var path: String { "search/movie" }
    var parameters: [String: Any]? {
        switch self {
        case .search(let text, let page, _): ["query": text, "page": page]
        }
    }
}

/// A list with dates, in a view model.
@MainActor final class MovieList {
    private let provider: ServiceProvider<MovieAPI>
    private(set) var movies: [Movie] = []

    init() {
        let decoder = JSONDecoder()
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(secondsFromGMT: 0)
        format.dateFormat = "yyyy-MM-dd"
        decoder.dateDecodingStrategy = .formatted(format)
        provider = ServiceProvider(decoder: decoder)
    }

    func load(_ text: String, from server: String) async throws {
        let endpoint = MovieAPI.search(text, page: 1, server: server)
        movies = try await provider.load(service: endpoint, decodeType: MoviePage.self).results
    }
}

@Suite(.timeLimit(.minutes(3))) struct ListClientTests {
    @Test @MainActor func aListIsLoaded() async throws {
        let page = #"{"results": [{"title": "Fear & Loathing", "released": "1998-05-22"}]}"#
        let server = try LoopbackServer(responses: [.json(page)])
        let list = MovieList()
        try await list.load("fear & loathing+", from: server.baseURL)
        #expect(list.movies.map(\.title) == ["Fear & Loathing"])
        #expect(list.movies.first?.released == Date(timeIntervalSince1970: 895_795_200))
        let target = "/3/search/movie?page=1&query=fear%20%26%20loathing%2B"
        #expect(server.requests.first?.target == target)
    }
}
