// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import Get
import LoopbackServer
import TestSupport
import Testing

/// A request, and what Get sends for it.
struct GetCase: CustomTestStringConvertible {
    let send: (APIClient) async throws -> Void
    let line: String
    let body: String
    let type: String?
    let accept: String

    var testDescription: String { line }

    init<T>(
        _ request: Request<T>, _ line: String, body: String = "", type: String? = nil,
        accept: String = "application/json"
    ) {
        send = { _ = try await $0.data(for: request) }
        (self.line, self.body, self.accept) = (line, body, accept)
        self.type = type ?? (body.isEmpty ? nil : "application/json")
    }

    static let item = Item(id: "7")
    static let itemJSON = #"{"id":"7"}"#
    static let all: [GetCase] = [
        .init(Paths.getSystemInfo(), "GET /v1/System/Info"),
        .init(Paths.pingSystem(), "GET /v1/System/Ping"),
        .init(Paths.restart(), "POST /v1/System/Restart"),
        .init(Paths.shutdown(), "POST /v1/System/Shutdown"),
        .init(Paths.getLogs(), "GET /v1/System/Logs"),
        .init(Paths.getLogFile(name: "a&b.log"), "GET /v1/System/Logs/Log?name=a%26b.log"),
        .init(Paths.getConfiguration(), "GET /v1/System/Configuration"),
        .init(
            Paths.updateConfiguration(Data(#"{ "a": 1 }"#.utf8)), "POST /v1/System/Configuration",
            body: #"{ "a": 1 }"#),
        .init(
            Paths.sendMessage(id: "1", "héllo"), "POST /v1/Sessions/1/Message", body: "héllo",
            type: "text/plain"),
        .init(
            Paths.getDisplayPreferences(id: "a b", client: "é"),
            "GET /v1/DisplayPreferences/a%20b?client=%C3%A9"),
        .init(
            Paths.replacePlugin(id: "1", .init(isAdministrator: true)), "PUT /v1/Plugins/1",
            body: #"{"isAdministrator":true}"#),
        .init(
            Paths.patchPlugin(id: "1", .init(maxSessions: 2)), "PATCH /v1/Plugins/1",
            body: #"{"maxSessions":2}"#),
        .init(Paths.getUsers(), "GET /v1/Users?isHidden&isDisabled"),
        .init(Paths.getUsers(isHidden: false), "GET /v1/Users?isHidden=false&isDisabled"),
        .init(
            Paths.getItems(userID: "u", limit: 5, fields: ["a", "b"]),
            "GET /v1/Users/u/Items?parentId&limit=5&fields=a%2Cb"),
        .init(Paths.getResume(userID: "u"), "GET /v1/Users/u/Items/Resume"),
        .init(
            Paths.markPlayed(
                userID: "u", itemID: "i", date: Date(timeIntervalSince1970: 0)),
            "POST /v1/Users/u/PlayedItems/i?datePlayed=1970-01-01T00%3A00%3A00Z"),
        .init(
            Paths.updateItem(
                id: "7", Item(id: "7", premiereDate: Date(timeIntervalSince1970: 60))),
            "POST /v1/Items/7", body: #"{"id":"7","premiereDate":"1970-01-01T00:01:00Z"}"#),
        .init(Paths.deleteItem(id: "7"), "DELETE /v1/Items/7"),
        .init(
            Paths.getImage(id: "7", type: "Primary", width: 9),
            "GET /v1/Items/7/Images/Primary?width=9", accept: "image/png"),
        .init(Paths.headImage(id: "7", type: "Primary"), "HEAD /v1/Items/7/Images/Primary"),
        .init(
            Paths.setImage(id: "7", type: "Primary", Data("png".utf8)),
            "POST /v1/Items/7/Images/Primary", body: "png", type: "image/png"),
        .init(Paths.search(term: "a+b"), "GET /v1/Search/Hints?searchTerm=a%2Bb"),
        .init(
            Paths.addToPlaylist(id: "p", ids: ["2", "1"]), "POST /v1/Playlists/p/Items",
            body: #"["2","1"]"#),
        .init(Paths.getSubtitles(id: "v"), "GET /v1/Videos/v/Subtitles.vtt"),
        .init(Paths.genres.get, "GET /v1/Genres?all&sort=a%20b%2Bc"),
        .init(Paths.genres.post(item), "POST /v1/Genres", body: itemJSON),
        .init(Paths.genres.genre("Film%20noir").delete, "DELETE /v1/Genres/Film%20noir"),
        .init(Paths.genres.genre("Drama").trace, "TRACE /v1/Genres/Drama"),
        .init(Request<Void>(path: ""), "GET /v1/"),
    ]
}

@Suite(.serialized, .opensFiles, .timeLimit) struct GetRequestTests {
    @Test(arguments: wires, GetCase.all)
    func requestsArriveAsGetSendsThem(wire: TransportUnderTest, row: GetCase) async throws {
        let server = try LoopbackServer { _ in .json("{}") }
        let client = APIClient(baseURL: URL(string: server.baseURL + "/v1")) {
            $0.transport = wire.make()
            $0.encoder.outputFormatting = .sortedKeys
        }
        try await row.send(client)
        let request = try await server.arrival()
        #expect(request.line == row.line)
        #expect(request.header("Content-Type") == row.type)
        #expect(request.header("Accept") == row.accept)
        #expect(request.text == row.body)
    }

    @Test(arguments: wires)
    func absoluteURLsIgnoreTheBaseURL(wire: TransportUnderTest) async throws {
        let server = try LoopbackServer { .text($0.line) }
        let url = try #require(URL(string: server.baseURL + "/x?a=1"))
        for baseURL in [URL(string: "https://example.com"), nil] {
            let client = APIClient(baseURL: baseURL) { $0.transport = wire.make() }
            // As in Get, the items replace the query of an absolute URL.
            let request = Request<String>(url: url, query: [("b", "2")])
            #expect(try await client.send(request).value == "GET /x?b=2")
            let same = [Request<String>(url: url), Request(url: url, query: [])]
            for request in same {
                #expect(try await client.send(request).value == "GET /x?a=1")
            }
            let path = Request<String>(path: server.baseURL + "/y", method: "PURGE")
            #expect(try await client.send(path).value == "PURGE /y")
        }
        let client = APIClient(baseURL: nil)
        await #expect(throws: (any Error).self) { try await client.send(Paths.restart()) }
    }

    @Test(arguments: wires)
    func headersOfTheRequestAndTheSessionComeFirst(wire: TransportUnderTest) async throws {
        let server = try LoopbackServer {
            .text("\($0.header("Accept") ?? "") \($0.header("Content-Type") ?? "")")
        }
        let client = APIClient(baseURL: URL(string: server.baseURL)) {
            $0.transport = wire.make()
            $0.sessionConfiguration.httpAdditionalHeaders = [
                "accept": "a/b", "CONTENT-TYPE": "c/d",
            ]
        }
        var request = Request<String>(path: "/", method: .post, body: "x")
        #expect(try await client.send(request).value == "a/b c/d")
        request.headers = ["accept": "e/f", "content-type": "g/h"]
        #expect(try await client.send(request).value == "e/f g/h")
        let other = APIClient(baseURL: URL(string: server.baseURL)) { $0.transport = wire.make() }
        #expect(try await other.send(request).value == "e/f g/h")
        for body in [nil, "x"] {
            let upload = Request<String>(path: "/", method: .post, body: body)
            let bytes = Data("y".utf8)
            #expect(try await client.upload(for: upload, from: bytes).value == "a/b c/d")
            let type = body == nil ? "application/octet-stream" : "application/json"
            let value = try await other.upload(for: upload, from: bytes).value
            #expect(value == "application/json \(type)")
        }
        // The session has a copy of its configuration.
        client.configuration.sessionConfiguration.httpAdditionalHeaders = ["Accept": "late"]
        #expect(try await client.send(Request<String>(path: "/")).value == "a/b c/d")
        request.headers = nil
        #expect(try await other.send(request).value == "application/json application/json")
    }

    @Test func aRequestCanBeBuiltWithoutSendingIt() async throws {
        let settings = APIClient.Configuration(
            baseURL: URL(string: "https://h/v1"), sessionConfiguration: .ephemeral,
            delegate: TokenDelegate())
        let client = APIClient(configuration: settings)
        #expect(client.configuration.baseURL == settings.baseURL)
        let request = try await client.makeURLRequest(for: Paths.genres.post(Item(id: "1")))
        #expect(request.url?.absoluteString == "https://h/v1/Genres")
        #expect(request.httpMethod == "POST")
        #expect(request.httpBody == Data(#"{"id":"1"}"#.utf8))
        #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/json")
        // The delegate's token comes later.
        #expect(request.value(forHTTPHeaderField: "Authorization") == nil)
    }

    @Test func requestsKeepTheirValues() {
        var request = Paths.genres.post(Item(id: "1")).withResponse(String.self)
        request.headers = ["Authorization": "canary"]
        #expect(request.url?.path == "/Genres")
        #expect(request.method == .post)
        #expect(request.body is Item)
        var text = "\(request) \(String(reflecting: request))"
        dump(request, to: &text)
        #expect(!text.contains("canary"))
        #expect("\(request)" == "POST /Genres")
    }
}
