// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderTransfers
import TestSupport
import Testing

@Suite(.serialized, .opensFiles, .timeLimit) struct EventSourceTests {
    private let provider = TransportUnderTest.ownSession.provider()

    @Test func theRequestAcceptsEvents() async throws {
        let server = try LoopbackServer { _ in .events("data: a\n\n") }
        var service = server.service()
        #expect(await (try provider.events(service: service)).collected().elements == [.init("a")])
        service.headers = ["accept": "text/*", "cache-control": "no-store"]
        #expect(await (try provider.events(service: service)).collected().elements == [.init("a")])
        #expect(server.requests.map { $0.header("Accept") } == ["text/event-stream", "text/*"])
        #expect(server.requests.map { $0.header("Cache-Control") } == ["no-cache", "no-store"])
        #expect(server.requests.allSatisfy { $0.header("Last-Event-ID") == nil })
    }

    @Test(.row("C25")) func eventsArriveWhileTheConnectionIsOpen() async throws {
        let text = "data: a\n\ndata: b\r\rdata: c\n\n..."
        let server = try LoopbackServer(responses: [
            .events(text).cut(.stall, afterBodyBytes: text.utf8.count - 3)
        ])
        var found: [String] = []
        for try await event in try provider.events(service: server.service().patient) {
            found.append(event.data)
            if found.count == 3 { break }
        }
        #expect(found == ["a", "b", "c"])
    }

    @Test func anInvalidRequestIsRefusedImmediately() {
        let error = #expect(throws: ServiceError.self) {
            _ = try provider.events(service: TestService(baseURL: "ftp://x"))
        }
        #expect(error?.invalidPart == .baseURL)
    }

    /// Case E1 in `Tests/HostileCases.md`. A refused type causes no reconnection.
    @Test(
        .row("E1"),
        arguments: ["text/html", "text/event-streams", "text/plain; a=text/event-stream", ""],
        [false, true])
    func otherContentTypesAreRefused(type: String, reconnects: Bool) async throws {
        let server = try LoopbackServer(responses: [.events("data: a\n\n", type: type)])
        let waits = Waits()
        let (events, error) = await
            (try provider.events(
                service: server.service(), reconnecting: reconnects ? waits.reconnection : nil))
            .collected()
        #expect(events == [] && waits.seconds.isEmpty)
        guard case .decoding(_, let response, as: _)? = error as? ServiceError else {
            Issue.record("\(error as Any)")
            return
        }
        #expect(response.statusCode == 200)
        #expect(
            "\(error as Any)".contains("Decoding 'text/event-stream' failed with an error of type"))
    }

    @Test(.row("E1"), arguments: [201, 205, 206, 210, 299, 301, 404, 410, 500, 503])
    func anyStatusBut200And204EndsTheEvents(status: Int) async throws {
        let server = try LoopbackServer(responses: [
            .events("data: a\n\n"), .events("data: x\n\n", statusCode: status),
            .events("data: b\n\n"),
        ])
        var service = server.service()
        service.validStatusCodes = Set(200..<600)
        service.change = { request in
            request.acceptsAnyStatus = true
        }
        let waits = Waits()
        let (events, error) = await
            (try provider.events(
                service: service, reconnecting: waits.reconnection)).collected()
        #expect(events == [.init("a")] && waits.seconds.count == 1)
        #expect((error as? ServiceError)?.unacceptableStatus == status)
    }

    @Test(.row("E1"), arguments: [false, true]) func status204EndsTheEvents(reconnects: Bool)
        async throws
    {
        let server = try LoopbackServer(responses: [.statusCode(204), .events("data: b\n\n")])
        let waits = Waits()
        var events = try provider.events(
            service: server.service(), reconnecting: reconnects ? waits.reconnection : nil)
        for _ in 0..<3 { #expect(try await events.next() == nil) }
        #expect(waits.seconds.isEmpty && server.requests.count == 1)
    }

    @Test func withoutReconnectionTheEventsEndWithTheResponse() async throws {
        let server = try LoopbackServer { _ in .events("data: a\n\n") }
        var events = try provider.events(service: server.service())
        #expect(try await events.next()?.data == "a")
        for _ in 0..<3 { #expect(try await events.next() == nil) }
        #expect(server.requests.count == 1)
        // Each loop opens its own connection.
        let again = try provider.events(service: server.service())
        for _ in 0..<2 { #expect(await again.collected().elements.count == 1) }
        #expect(server.requests.count == 3)
    }

    @Test func withoutReconnectionALostConnectionIsAnError() async throws {
        let server = try LoopbackServer { _ in
            .events("data: a\n\ndata: b\n\n").cut(.close, afterBodyBytes: 12)
        }
        let (events, error) = await (try provider.events(service: server.service())).collected()
        #expect(events == [.init("a")])
        #expect("\(error as Any)".contains("http://127.0.0.1:\(server.port)"))
        #expect(server.requests.count == 1)
    }

    @Test func anEventThatIsTooLongCausesNoReconnection() async throws {
        let server = try LoopbackServer { _ in
            .events("data: \(String(repeating: "x", count: 1 << 20))\n\n")
        }
        let waits = Waits()
        let (events, error) = await
            (try provider.events(
                service: server.service(), reconnecting: waits.reconnection)).collected()
        #expect(events == [] && waits.seconds == [])
        #expect((error as? ServiceError)?.urlErrorCode == .dataLengthExceedsMaximum)
    }
}

extension LoopbackResponse {
    static func events(
        _ text: String, type: String = "text/event-stream", statusCode: Int = 200
    ) -> LoopbackResponse {
        .data(Data(text.utf8), contentType: type, statusCode: statusCode)
    }
}

/// Records the waits of a reconnection, without waiting.
final class Waits: Sendable {
    private let time = TestClock(jumps: true)
    /// The total virtual time after which waiting fails.
    private let limit: TimeInterval

    init(upTo limit: TimeInterval = 10_000) { self.limit = limit }

    var seconds: [TimeInterval] { time.waits }

    private var isOver: Bool { seconds.reduce(0, +) > limit || seconds.count > 1_000 }

    var reconnection: ServiceReconnection { ServiceReconnection(clock: clock) }

    var clock: ServiceClock {
        ServiceClock(sleep: { seconds in
            try await self.time.sleep(seconds)
            if self.isOver { throw CancellationError() }
        })
    }
}
