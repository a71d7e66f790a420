// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderTransfers
import TestSupport
import Testing

@Suite(.serialized, .opensFiles, .timeLimit) struct ReconnectionTests {
    private static let longest = String(repeating: "x", count: 1_024)
    private static let nines = String(repeating: "9", count: 400)
    private static let huge = String(repeating: "x", count: 1_000_000)
    private let provider = TransportUnderTest.ownSession.provider()

    private func run(
        _ server: LoopbackServer, _ waits: Waits, service: TestService? = nil
    ) async throws -> (elements: [ServiceEvent], error: (any Error)?) {
        try await within(seconds: 120) { [provider] in
            let events = try provider.events(
                service: service ?? server.service(), reconnecting: waits.reconnection)
            return await events.collected()
        }
    }

    @Test func aReconnectionContinuesAfterTheLastEvent() async throws {
        let server = try LoopbackServer(responses: [
            .events("id: 1\ndata: a\n\nid: 2\nevent: x\ndata: lost"),
            .events("data: b\n\nid: 3\n\nid: 4\nretry: 5\ndata: lost").cut(
                .close, afterBodyBytes: 30),
            .events("id\n\nid: 5\ndata: c"), .events("\u{FEFF}data: d\n\n"), .statusCode(204),
        ])
        let waits = Waits()
        let (events, error) = try await run(server, waits)
        #expect(error == nil)
        #expect(events == [.init("a", id: "1"), .init("b", id: "1"), .init("d")])
        let sent = server.requests.map { $0.header("Last-Event-ID") }
        #expect(sent == [nil, "1", "3", nil, nil])
        #expect(server.requests.allSatisfy { $0.header("Accept") == "text/event-stream" })
        #expect(waits.seconds.count == 4)
    }

    /// The service's identifier counts until the server has sent one, which may be empty or invalid.
    @Test(arguments: ["id\n", "id: x\n\nid:\n", "id: \u{1}\n", "id: \(longest)x\n"])
    func anIDOfTheServerReplacesThatOfTheService(id: String) async throws {
        let server = try LoopbackServer(responses: [
            .events("id: 7\u{0}\ndata: a\n\nid: lost"), .events("\(id)data: b\n\n"),
            .events("id: 8\ndata: c\n\n"), .statusCode(204),
        ])
        var service = server.service()
        service.headers = ["last-event-id": "start"]
        let (events, error) = try await run(server, Waits(), service: service)
        #expect(events.map(\.data) == ["a", "b", "c"] && error == nil)
        let sent = server.requests.map { $0.header("Last-Event-ID") }
        #expect(sent == ["start", "start", nil, "8"])
    }

    /// A POST, too: the caller has asked for reconnections.
    @Test func aReconnectionRepeatsAPost() async throws {
        let server = try LoopbackServer(responses: [
            .events("id: 1\ndata: a\n\n"), .events("data: b\n\n"), .statusCode(204),
        ])
        var service = server.service()
        service.method = .post
        service.body = .data(Data("question".utf8), contentType: "text/plain")
        let (events, error) = try await run(server, Waits(), service: service)
        #expect(events.map(\.data) == ["a", "b"] && error == nil)
        #expect(
            server.requests.map { String(decoding: $0.body, as: UTF8.self) }
                == [String](repeating: "question", count: 3))
        #expect(server.requests.map(\.method) == ["POST", "POST", "POST"])
    }

    @Test(arguments: [0, -5, .nan] as [TimeInterval])
    func theShortestWaitIsATenthOfASecond(_ maximum: TimeInterval) async throws {
        let server = try LoopbackServer(responses: [.events(""), .events(""), .statusCode(204)])
        let waits = Waits()
        let reconnection = ServiceReconnection(
            delay: maximum, maximumDelay: maximum, clock: waits.clock)
        let events = try provider.events(service: server.service(), reconnecting: reconnection)
        #expect(try await within(seconds: 120) { await events.collected().error } == nil)
        #expect(waits.seconds.count == 2)
        #expect(waits.seconds.allSatisfy { $0 >= 0.1 })
    }

    @Test func aRefusedConnectionIsRetried() async throws {
        let waits = Waits(upTo: 10)
        let service = TestService(baseURL: "http://127.0.0.1:1")
        let (events, error) = try await run(try LoopbackServer(), waits, service: service)
        #expect(events == [] && (error as? ServiceError)?.isCancelled == true)
        #expect(waits.seconds.count == 2 || waits.seconds.count == 3)
    }

    @Test(
        .row("L12", "E5"),
        arguments: [
            ("retry: 1000\n\n", 1.0), ("retry: 0\n\n", 0.1), ("retry: 86400000\n\n", 60),
            ("retry: 99999999999999999999999999\n\n", 60), ("retry: -5\n\n", 3),
            ("retry: abc\n\n", 3),
            ("retry: \(nines)\n\n", 60), ("retry\n\n", 3), ("", 3),
            ("retry: 1000\n\ndata: lost\nretry: 2000", 1),
            ("retry: 1000\n\ndata: lost\nretry: 2000\n", 2),
        ] as [(String, TimeInterval)])
    func theServersRetryTimeIsClamped(text: String, seconds: TimeInterval) async throws {
        let server = try LoopbackServer(responses: [.events(text), .statusCode(204)])
        let waits = Waits()
        _ = try await run(server, waits)
        #expect(waits.seconds.count == 1)
        #expect(waits.seconds.allSatisfy { $0 >= seconds && $0 <= seconds * 1.5 })
    }

    /// Text in any language is sent as UTF-8.
    @Test(
        .row("E6"),
        arguments: [
            ("x\u{7F}", ""), ("x\u{1}y", ""), ("\u{0}", ""), ("", ""), ("a b", "a b"), ("é", "é"),
            ("a: b", "a: b"), (longest, longest), (longest + "x", ""), (huge, ""),
        ] as [(String, String)])
    func invalidEventIDsAreNotSent(id: String, sent: String) async throws {
        let server = try LoopbackServer(responses: [
            .events("id: \(id)\ndata: a\n\n"), .statusCode(204),
        ])
        let (events, error) = try await run(server, Waits())
        #expect(events.count == 1 && error == nil)
        #expect(
            server.requests.map { $0.header("Last-Event-ID") } == [nil, sent.isEmpty ? nil : sent])
    }

    @Test(.row("E7")) func reconnectingAtAnotherOriginSendsNoSecrets() async throws {
        let other = try LoopbackServer { _ in .events("data: b\n\n") }
        let server = try LoopbackServer(responses: [
            .events("id: sesame\ndata: a\n\n"),
            .redirect(to: other.baseURL + "/b", statusCode: 307),
            .statusCode(204),
        ])
        var service = server.service()
        service.headers = ["Authorization": "Bearer sesame", "X-Api-Key": "sesame"]
        let (events, error) = try await run(server, Waits(), service: service)
        #expect(events.map(\.data) == ["a", "b"] && error == nil)
        #expect(other.requests.count == 1)
        let head = other.requests.first.map { String(decoding: $0.head, as: UTF8.self) }
        #expect(head?.contains("sesame") == false)
        #expect(server.requests.allSatisfy { $0.header("Authorization") == "Bearer sesame" })
    }

    @Test(
        .row("E8"),
        arguments: ["", ": nothing\n\n", "retry: 0\n\n", "id: 1\n\n", "data: lost\n"])
    func reconnectionsSlowDownIfTheServerKeepsClosing(text: String) async throws {
        let server = try LoopbackServer { _ in .events(text) }
        let waits = Waits(upTo: 10)
        let (events, error) = try await run(server, waits)
        #expect(events == [] && (error as? ServiceError)?.isCancelled == true)
        #expect(server.requests.count == waits.seconds.count)
        #expect(server.requests.count <= (text.contains("retry") ? 7 : 3))
        for (one, next) in zip(waits.seconds, waits.seconds.dropFirst()) {
            #expect(next >= one / 1.5 * 2 && next <= one * 3)
        }
    }

    @Test(.row("E8")) func theDelayStopsGrowing() async throws {
        let server = try LoopbackServer { _ in .events("") }
        let waits = Waits(upTo: 2_000)
        _ = try await run(server, waits)
        #expect(waits.seconds.last.map { $0 >= 60 && $0 <= 90 } == true)
        #expect(Set(waits.seconds).count == waits.seconds.count)
    }

    @Test func anEventResetsTheDelay() async throws {
        let quiet = LoopbackResponse.events("")
        let server = try LoopbackServer(responses: [
            quiet, quiet, quiet, .events("data: a\n\n"), quiet, .statusCode(204),
        ])
        let waits = Waits()
        _ = try await run(server, waits)
        let least: [TimeInterval] = [3, 6, 12, 3, 6]
        #expect(waits.seconds.count == 5)
        #expect(zip(waits.seconds, least).allSatisfy { $0 >= $1 && $0 <= $1 * 1.5 })
    }

    /// Each connection is a separate call through all interceptors.
    @Test(.row("E9")) func interceptorsSeeEachConnection() async throws {
        let server = try LoopbackServer { request in
            switch (request.header("Authorization"), request.header("Last-Event-ID")) {
            case ("1", nil): .events("id: 1\ndata: a\n\n")
            case ("2", "1"): .events("id: 2\ndata: b\n\n")
            case ("2", "2"): .statusCode(204)
            default: .statusCode(401)
            }
        }
        let token = Locked(1)
        let authorizing = Intercept { request, next in
            var request = request
            try request.setHeader("Authorization", to: "\(token { $0 })")
            let response = try await next(request)
            guard response.statusCode == 401 else { return response }
            token { $0 += 1 }
            try request.setHeader("Authorization", to: "\(token { $0 })")
            return try await next(request)
        }
        let events = try provider.wrapped(in: authorizing).events(
            service: server.service(), reconnecting: Waits().reconnection)
        let (found, error) = await events.collected()
        #expect(found.map(\.data) == ["a", "b"] && error == nil)
        #expect(server.requests.count == 4)
    }

    @Test func cancellingEndsTheWaitForAReconnection() async throws {
        let server = try LoopbackServer { _ in .events("retry: 60000\n\n") }
        let events = try provider.events(
            service: server.service(), reconnecting: ServiceReconnection())
        let task = Task { await events.collected().error as? ServiceError }
        _ = try await server.arrival()
        task.cancel()
        #expect(await task.value?.isCancelled == true)
    }
}
