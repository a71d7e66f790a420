// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import Get
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import ServiceProviderTesting
import ServiceProviderTransfers
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite(.serialized, .opensFiles, .timeLimit) struct GetClientTests {
    func client(
        _ server: LoopbackServer, _ wire: TransportUnderTest,
        delegate: (any APIClientDelegate)? = nil, interceptors: [any ServiceInterceptor] = []
    ) -> APIClient {
        APIClient(baseURL: URL(string: server.baseURL)) {
            $0.transport = wire.make()
            $0.delegate = delegate
            $0.interceptors = interceptors
        }
    }

    @Test(arguments: wires)
    func valuesAreDecodedWithTheirResponse(wire: TransportUnderTest) async throws {
        let json = #"{"id": "1", "premiereDate": "2026-11-22T10:00:00Z"}"#
        let server = try LoopbackServer { _ in .json(json, statusCode: 201).header("X-A", "b") }
        let response = try await client(server, wire).send(Paths.info)
        #expect(response.value.premiereDate == Date(timeIntervalSince1970: 1_795_341_600))
        #expect(response.statusCode == 201)
        #expect(response.data == Data(json.utf8))
        #expect(response.currentRequest?.url?.path == "/System/Info")
        #expect((response.response as? HTTPURLResponse)?.value(forHTTPHeaderField: "X-A") == "b")
        let mapped = response.map(\.id)
        #expect(mapped.value == "1")
        #expect(mapped.statusCode == 201)
        var text = "\(response)"
        dump(response, to: &text)
        #expect(!text.contains("premiereDate"))
    }

    @Test(arguments: wires)
    func textDataAndNothingAreValuesToo(wire: TransportUnderTest) async throws {
        let server = try LoopbackServer {
            $0.path.hasSuffix("Ping") ? .json(#""pong""#) : .statusCode(204)
        }
        let client = client(server, wire)
        // As in Get: the text of the body, even if it is JSON.
        #expect(try await client.send(Paths.ping).value == #""pong""#)
        #expect(try await client.data(for: Paths.ping).value == Data(#""pong""#.utf8))
        #expect(try await client.send(Paths.configuration).value.isEmpty)
        #expect(try await client.send(Request<String>(path: "/empty")).value.isEmpty)
        #expect(try await client.send(Paths.resume).value == nil)
        #expect(try await client.send(Paths.restart).statusCode == 204)
        await #expect(throws: (any Error).self) { try await client.send(Paths.logs) }
    }

    @Test(arguments: wires)
    func otherStatusCodesAreErrors(wire: TransportUnderTest) async throws {
        let server = try LoopbackServer { _ in .text("", statusCode: 404) }
        let client = client(server, wire)
        for _ in 0..<2 {
            let error = await #expect(throws: APIError.self) {
                try await client.send(Paths.logs)
            }
            guard case .unacceptableStatusCode(404) = error else {
                Issue.record("no 404")
                return
            }
            #expect(error?.localizedDescription.contains("404") == true)
        }
        await #expect(throws: APIError.self) { try await client.download(for: Paths.logs) }
    }

    @Test(arguments: wires)
    func redirectsAreFollowed(wire: TransportUnderTest) async throws {
        let server = try LoopbackServer(responses: [
            .redirect(to: "/there"), .text("there"), .redirect(to: "ftp://h/", statusCode: 301),
        ])
        let client = client(server, wire)
        #expect(try await client.send(Paths.ping).value == "there")
        let error = await #expect(throws: APIError.self) {
            try await client.send(Paths.ping)
        }
        guard case .unacceptableStatusCode(301) = error else { Issue.record("no 301"); return }
    }

    @Test(arguments: wires)
    func errorsAreThoseOfFoundation(wire: TransportUnderTest) async throws {
        let server = try LoopbackServer { _ in .json("[1]") }
        let client = client(server, wire)
        await #expect(throws: DecodingError.self) { try await client.send(Paths.logs) }
        // Nothing listens on port 1. A port that was just closed may belong to another test by now.
        let gone = APIClient(baseURL: URL(string: "http://127.0.0.1:1")) {
            $0.transport = wire.make()
        }
        let error = await #expect(throws: URLError.self) { try await gone.send(Paths.logs) }
        #expect(error?.code == .cannotConnectToHost)
    }

    @Test(arguments: wires)
    func cancellingTheTaskCancelsTheCall(wire: TransportUnderTest) async throws {
        let server = try LoopbackServer { _ in .never }
        let client = client(server, wire)
        let task = Task { try await client.send(Paths.logs).value }
        _ = try await server.arrival()
        task.cancel()
        let error = await #expect(throws: URLError.self) { try await task.value }
        #expect(error?.code == .cancelled)
    }

    // MARK: - Delegate

    @Test(arguments: wires)
    func aDelegateRefreshesItsTokenAndRetries(wire: TransportUnderTest) async throws {
        let server = try LoopbackServer {
            $0.header("Authorization") == "Bearer new" ? .text("ok") : .statusCode(401)
        }
        let delegate = TokenDelegate()
        let client = client(server, wire, delegate: delegate)
        #expect(try await client.send(Paths.ping).value == "ok")
        #expect(delegate.attempts == [1])
        #expect(server.requests.count == 2)
        let file = try await client.download(for: Paths.configuration).location
        #expect(try String(contentsOf: file, encoding: .utf8) == "ok")
        try FileManager.default.removeItem(at: file)
    }

    /// As in Get, downloads and errors of `willSendRequest` aren't tried again.
    @Test(arguments: wires)
    func onlySentRequestsWithABodyInMemoryAreRetried(wire: TransportUnderTest) async throws {
        struct NoToken: Error {}
        final class Delegate: APIClientDelegate {
            let hasToken: Bool
            let asked = Locked(0)
            init(hasToken: Bool) { self.hasToken = hasToken }

            func client(_ client: APIClient, willSendRequest request: inout URLRequest) throws {
                if !hasToken { throw NoToken() }
            }

            func client(
                _ client: APIClient, shouldRetry task: URLSessionTask, error: Error, attempts: Int
            ) -> Bool {
                asked { $0 += 1 }
                return attempts < 3
            }
        }
        let server = try LoopbackServer { _ in .statusCode(503) }
        let (ready, unready) = (Delegate(hasToken: true), Delegate(hasToken: false))
        await #expect(throws: APIError.self) {
            try await client(server, wire, delegate: ready).download(for: Paths.logs)
        }
        #expect(ready.asked { $0 } == 0)
        await #expect(throws: NoToken.self) {
            try await client(server, wire, delegate: unready).send(Paths.logs)
        }
        #expect(unready.asked { $0 } == 0)
        #expect(server.requests.count == 1)
        await #expect(throws: APIError.self) {
            try await client(server, wire, delegate: ready).send(Paths.logs)
        }
        #expect(ready.asked { $0 } == 3)
        #expect(server.requests.count == 4)
    }

    @Test(arguments: wires)
    func aDelegateValidatesResponsesAndMakesURLs(wire: TransportUnderTest) async throws {
        let server = try LoopbackServer {
            $0.method == "POST"
                ? .json(#"{"id": "\#($0.target)"}"#) : .json(#"{"message": "no"}"#, statusCode: 409)
        }
        try await server.serve { () async throws in
            let client = client(server, wire, delegate: ErrorDelegate())
            let error = await #expect(throws: ServerError.self) {
                try await client.send(Paths.logs)
            }
            #expect(error == ServerError(message: "no"))
            let genre = try await client.send(Paths.add(Item(id: "1"))).value
            #expect(genre.id == "/elsewhere/Genres?from=delegate")
        }
    }

    @Test(arguments: wires)
    func anActorCanBeADelegate(wire: TransportUnderTest) async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let delegate = ActorDelegate()
        let client = client(server, wire, delegate: delegate)
        try await client.send(Paths.restart)
        try await client.send(Paths.restart)
        #expect(await delegate.count == 2)
    }

    // MARK: - Files

    @Test(arguments: wires)
    func uploadsSendFilesAndBytes(wire: TransportUnderTest) async throws {
        let server = try LoopbackServer { .json(#"{"id": "\#($0.bodySize)"}"#) }
        let folder = try TemporaryFolder()
        let file = try folder.write("picture", to: "a.png")
        let client = client(server, wire)
        let request = Request<Item>(path: "/upload", method: .post)
        #expect(try await client.upload(for: request, fromFile: file).value.id == "7")
        #expect(try await client.upload(for: request, from: Data("ab".utf8)).value.id == "2")
        let void = Request(path: "/upload", method: .put, headers: ["Content-Type": "a/b"])
        try await client.upload(for: void, fromFile: file)
        try await client.upload(for: void, from: Data("abc".utf8))
        #expect(server.requests.map(\.text) == ["picture", "ab", "picture", "abc"])
        let types = server.requests.map { $0.header("Content-Type") }
        #expect(types == ["image/png", "application/octet-stream", "a/b", "a/b"])
    }

    @Test(arguments: wires)
    func downloadsGoToATemporaryFile(wire: TransportUnderTest) async throws {
        let server = try LoopbackServer { _ in .data(noise(300_000)) }
        let response = try await client(server, wire).download(for: Paths.configuration)
        #expect(try Data(contentsOf: response.location) == noise(300_000))
        #expect(response.data.isEmpty)
        #expect(response.statusCode == 200)
        try FileManager.default.removeItem(at: response.location)
    }

    // MARK: - Callers

    @Test(arguments: wires)
    func requestsAndSessionsCanBeConfigured(wire: TransportUnderTest) async throws {
        let server = try LoopbackServer { .text($0.header("X-A") ?? "") }
        let client = client(server, wire, interceptors: [ServiceLog { _ in }])
        let response = try await client.send(Paths.ping) {
            $0.setValue("b", forHTTPHeaderField: "X-A")
        }
        #expect(response.value == "b")
        let error = await #expect(throws: URLError.self) {
            try await client.send(Paths.ping) { _ in throw URLError(.dataNotAllowed) }
        }
        #expect(error?.code == .dataNotAllowed)
        #expect(server.requests.count == 1)
        let own = APIClient(baseURL: URL(string: server.baseURL)) {
            $0.sessionConfiguration = .ephemeral
        }
        #expect(try await own.send(Paths.ping).value.isEmpty)
    }
}
