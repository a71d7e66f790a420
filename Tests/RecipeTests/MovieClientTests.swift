// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import ServiceProviderTesting
import TestSupport
import Testing

@Suite(.serialized, .opensFiles, .timeLimit) struct MovieClientTests {
    let server: LoopbackServer
    private let lines = Locked<[String]>([])

    init() throws { server = try LoopbackServer() }

    private func client(_ environment: MovieEnvironment = .production) -> MovieClient {
        MovieClient(
            environment: environment, key: canary("movie key"),
            interceptors: [Elsewhere(server: server)]
        ) { [lines] entry in
            lines { $0.append(transcribed(entry, as: .log)) }
        }
    }

    private func nowPlaying(
        of client: MovieClient? = nil
    ) async -> (movies: [Movie], message: String?) {
        let client = client ?? self.client()
        return await withCheckedContinuation { continuation in
            client.nowPlaying(page: 2) { movies, message in
                if let message { transcribed(message, as: .error) }
                continuation.resume(returning: (movies, message))
            }
        }
    }

    /// A response in the shape of a recorded one, with values that are sometimes null, empty or
    /// whole numbers.
    @Test func nowPlayingIsDecoded() async throws {
        server.enqueue(
            .json(
                """
                {"dates": {"maximum": "2024-04-10", "minimum": "2024-02-28"}, "page": 2, "results": [
                {"adult": false, "backdrop_path": "/a.jpg", "genre_ids": [28], "id": 1, "title": "One",
                "original_language": "en", "overview": "…", "popularity": 812.7, "video": false,
                "poster_path": "/b.jpg", "release_date": "2024-03-01", "vote_average": 7, "vote_count": 3},
                {"backdrop_path": null, "id": 2, "title": "Two", "poster_path": null,
                "release_date": "", "vote_average": 6.4},
                {"id": 3, "title": "Three", "release_date": null, "vote_average": 0}
                ], "total_pages": 173, "total_results": 3460}
                """))
        let (movies, message) = await nowPlaying()
        #expect(message == nil)
        #expect(movies.map(\.title) == ["One", "Two", "Three"])
        #expect(movies.map(\.posterPath) == ["/b.jpg", nil, nil])
        #expect(movies.map(\.releaseDate) == ["2024-03-01", "", nil])
        #expect(movies.map(\.voteAverage) == [7, 6.4, 0])
        let request = try #require(server.requests.first)
        #expect(request.method == "GET")
        #expect(request.path == "/3/movie/now_playing")
        let items = Set(request.query?.split(separator: "&").map(String.init) ?? [])
        #expect(items == ["api_key=\(canary("movie key"))", "language=en-US", "page=2"])
    }

    @Test(arguments: [
        (MovieEnvironment.production, "api.themoviedb.org"), (.staging, "staging.example.com"),
        (.qa, "qa.example.com"),
    ])
    func environmentsHaveTheirHosts(_ environment: MovieEnvironment, _ host: String) async throws {
        server.enqueue(.json(#"{"page": 1, "total_pages": 1, "results": []}"#))
        let (_, message) = await nowPlaying(of: client(environment))
        #expect(message == nil)
        #expect(server.requests.first?.header("X-Meant-For") == host)
    }

    private func send(_ endPoint: MovieEndPoint) async throws -> LoopbackRequest? {
        let provider = ServiceProvider<MovieService>(interceptors: [Elsewhere(server: server)])
        server.enqueue(.json("{}"))
        try await provider.load(service: MovieService(environment: .qa, endPoint: endPoint))
        return server.requests.last
    }

    @Test func aTaskMayHaveNoParametersAndNoBody() async throws {
        let request = try #require(try await send(.video(id: 7)))
        #expect(request.method == "GET")
        #expect(request.target == "/3/movie/7/videos")
        #expect(request.body.isEmpty)
        #expect(request.header("Content-Type") == nil)
    }

    @Test func aTaskMayHaveOnlyABody() async throws {
        let token = canary("request token")
        let request = try #require(try await send(.session(token: token)))
        #expect(request.method == "POST")
        #expect(request.target == "/3/authentication/session/new")
        #expect(request.header("Content-Type") == "application/json")
        #expect(request.body == Data(#"{"request_token":"\#(token)"}"#.utf8))
        #expect(request.header("X-Purpose") == nil)
    }

    @Test func aTaskMayHaveParametersAndABody() async throws {
        server.enqueue(.json(#"{"status_code": 1, "success": true}"#, statusCode: 201))
        let session = canary("guest session")
        try await client().rate(7, stars: 8.5, session: session)
        let request = try #require(server.requests.first)
        #expect(request.method == "POST")
        #expect(request.path == "/3/movie/7/rating")
        #expect(request.query?.contains("guest_session_id=\(session)") == true)
        #expect(request.header("Content-Type") == "application/json")
        #expect(request.header("X-Purpose") == "rating")
        #expect(request.body == Data(#"{"value":8.5}"#.utf8))
        let log = lines { $0.joined() }
        #expect(log.contains("/3/movie/7/rating"))
        #expect(log.contains("X-Purpose"))
        #expect(!log.contains("canary"))
    }

    /// The messages of the article's mapping, unless the server sends its own.
    @Test(arguments: [
        (401, "", "You need to be authenticated first."), (404, "", "The request failed."),
        (500, "", "The request failed."), (599, "", "The service has a problem."),
        (600, "", "This version of the app is outdated."),
        (
            401,
            #"{"status_code":7,"status_message":"Invalid API key: You must be granted a valid key."}"#,
            "Invalid API key: You must be granted a valid key."
        ),
    ])
    func statusCodesHaveMessages(_ status: Int, _ body: String, _ message: String) async {
        server.enqueue(.json(body, statusCode: status))
        #expect(await nowPlaying().message == message)
    }

    @Test func aMissingConnectionHasAMessage() async {
        let stubs = ServiceStubs(responses: [.error(URLError(.notConnectedToInternet))])
        let client = MovieClient(key: "none", interceptors: [stubs]) { _ in }
        #expect(await nowPlaying(of: client).message == "Please check your network connection.")
    }

    @Test func aCallCanBeCancelled() async {
        server.enqueue(.never)
        let message = await withCheckedContinuation { continuation in
            let call = client().nowPlaying(page: 1) { continuation.resume(returning: $1) }
            call.cancel()
        }
        #expect(message?.isEmpty == true)
    }
}
