// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import Get
import LoopbackServer
import TestSupport
import Testing

@Suite(.serialized, .opensFiles, .timeLimit) struct GetRequestTests {
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
        await #expect(throws: (any Error).self) { try await client.send(Paths.restart) }
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
        let request = try await client.makeURLRequest(for: Paths.add(Item(id: "1")))
        #expect(request.url?.absoluteString == "https://h/v1/Genres")
        #expect(request.httpMethod == "POST")
        #expect(request.httpBody == Data(#"{"id":"1"}"#.utf8))
        #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/json")
        // The delegate's token comes later.
        #expect(request.value(forHTTPHeaderField: "Authorization") == nil)
    }

    @Test func requestsKeepTheirValues() {
        var request = Paths.add(Item(id: "1")).withResponse(String.self)
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
