// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import Get
import LoopbackServer
import ServiceProvider
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Responses of a server that wants to stop the app, or to see its secrets in a log.
@Suite(.serialized, .opensFiles, .timeLimit) struct GetHostileTests {
    /// Counts the header fields of each response. Accepts all status codes.
    private struct Counter: APIClientDelegate {
        let counts = Locked<[Int]>([])

        func client(
            _ client: APIClient, validateResponse response: HTTPURLResponse, data: Data,
            task: URLSessionTask
        ) throws {
            counts { $0.append(response.allHeaderFields.count) }
        }
    }

    private func client(_ url: String, _ transport: any ServiceTransport) -> APIClient {
        APIClient(baseURL: URL(string: url)) { $0.transport = transport }
    }

    @Test(arguments: wires, HostileBody.allCases)
    func bodiesThatFitNoModelAreErrors(wire: TransportUnderTest, body: HostileBody) async throws {
        let data = body.data
        let server = try LoopbackServer { _ in .data(data, contentType: "application/json") }
        let client = client(server.baseURL, wire.make())
        let error = try await #require(throws: DecodingError.self) {
            try await client.send(Paths.info)
        }
        let text = texts(of: error)
        #expect(!text.contains("canary") && text.utf8.count < 5_000, "\(text)")
        #expect(try await client.data(for: Paths.info).value == data)
        #expect(try await client.send(Paths.ping).value.utf8.count == data.count)
    }

    /// Otherwise, it would be sent to the base URL, where DELETE deletes everything.
    @Test func aRequestWithoutAURLIsNotSent() async throws {
        let server = try LoopbackServer { _ in .text("") }
        let client = APIClient(baseURL: URL(string: server.baseURL + "/v1"))
        var request = Request<Void>(path: "/users/1", method: .delete)
        request.url = nil
        for request in [request, Request<Void>(path: "//[::1", method: .delete)] {
            let error = await #expect(throws: URLError.self) { try await client.send(request) }
            #expect(error?.code == .badURL)
        }
        #expect(server.requests.isEmpty)
    }

    @Test(arguments: wires)
    func theBodyOfAnErrorIsNotShown(wire: TransportUnderTest) async throws {
        let long = String(repeating: "m", count: megabyte)
        let body = Data(#"{"token":"canary","message":"no Bearer t0k3n \#(long)"}"#.utf8)
        let server = try LoopbackServer { _ in
            .data(body, contentType: "application/json", statusCode: 500)
        }
        let client = client(server.baseURL, wire.make())
        let request = Request<String>(
            path: "/a", query: [("key", "canary")], headers: ["Authorization": "Bearer t0k3n"])
        let errors = [
            try await #require(throws: APIError.self) { try await client.send(request) },
            try await #require(throws: APIError.self) { try await client.data(for: request) },
            try await #require(throws: APIError.self) { try await client.download(for: request) },
        ]
        for error in errors {
            let text = texts(of: error)
            #expect(text.contains("500") && text.utf8.count < 5_000)
            #expect(!text.contains("canary") && !text.contains("t0k3n"), "\(text)")
        }
    }

    @Test func manyHeadersAreReadInLinearTime() async throws {
        let counter = Counter()
        let client = APIClient(baseURL: URL(string: "https://example.com")) {
            $0.transport = ManyHeaders()
            $0.delegate = counter
        }
        let response = try await client.data(for: Paths.info)
        #expect(counter.counts { $0 } == [300_000])
        #expect((response.response as? HTTPURLResponse)?.allHeaderFields.count == 300_000)
        var text = "\(response)"
        dump(response, to: &text)
        #expect(!text.contains("canary"))
    }
}
