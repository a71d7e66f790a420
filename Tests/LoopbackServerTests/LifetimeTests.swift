// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import TestSupport
import Testing

@Suite(.serialized, .opensFiles, .timeLimit) struct LifetimeTests {
    private static let endless = LoopbackResponse(
        body: .repeating(Data("x".utf8), count: .max / 2))

    private func client(_ server: LoopbackServer) throws -> Client {
        let client = try Client(server.port)
        try client.send("GET / HTTP/1.1\r\n\r\n")
        return client
    }

    @Test(.slow, arguments: [false, true])
    func aThousandServersStartAndStop(withClient: Bool) throws {
        for _ in 0..<1000 {
            let server = try LoopbackServer(responses: [.text("x")])
            if withClient {
                let client = try Client(server.port)
                #expect(try client.get("/").text == "x")
                server.stop()
                #expect(client.rest() == ("", nil))
            }
        }
    }

    #if os(Linux) || os(macOS)
    /// In its own process, because other tests open and close descriptors too.
    @Test(.slow) func stoppedServersLeakNoDescriptorsOrThreads() async {
        await #expect(processExitsWith: .success) {
            let tests = LifetimeTests()
            try tests.aThousandServersStartAndStop(withClient: true)
            let (descriptors, threads) = (ProcessUsage.descriptors ?? 0, ProcessUsage.threads ?? 0)
            for withClient in [false, true] {
                try tests.aThousandServersStartAndStop(withClient: withClient)
            }
            // A thread may still be ending when stop() returns.
            let isSame = (ProcessUsage.descriptors ?? 0) <= descriptors
            if !isSame || (ProcessUsage.threads ?? 0) > threads + 8 { exit(1) }
        }
    }
    #endif

    @Test(arguments: [
        LoopbackResponse.never, Self.endless, Self.endless.chunked(),
        .text("x").cut(.stall, afterBodyBytes: 0), .text("x").delayed(by: 1000),
        .text("x").delayingBody(by: .infinity), .text("xyz").dripping(bytes: 1, every: 1000),
        Self.endless.dripping(bytes: 1, every: 0.001),
    ])
    func stopEndsAnyResponseImmediately(response: LoopbackResponse) throws {
        let server = try LoopbackServer(responses: [response])
        let client = try client(server)
        #expect(server.nextRequest() != nil)
        #expect(seconds { server.stop() } < 10)
        server.stop()
        _ = client.rest()
    }

    #if os(Linux) || os(macOS)
    /// In its own process, because another test could get the same port.
    @Test func aStoppedServerRefusesConnections() async {
        await #expect(processExitsWith: .success) {
            let server = try LoopbackServer()
            server.stop()
            if (try? Client(server.port)) != nil { exit(1) }
        }
    }
    #endif

    @Test(arguments: ["", "GET / HT", "PUT / HTTP/1.1\r\nContent-Length: 9\r\n\r\nabc"])
    func stopEndsAnyWaitForTheClient(sent: String) throws {
        let server = try LoopbackServer()
        let client = try Client(server.port)
        #expect(try client.get("/").status == 404)
        try client.send(sent)
        #expect(seconds { server.stop() } < 10)
        _ = client.rest()
    }

    @Test func stopWakesAWaitingNextRequest() throws {
        let server = try LoopbackServer()
        let states = Locked<[String]>([])
        Thread {
            states { $0.append("waits") }
            let request = server.nextRequest(timeout: 1000)
            states { $0.append(request == nil ? "none" : "one") }
        }.start()
        #expect(states.wait { $0 == ["waits"] })
        server.stop()
        #expect(states.wait { $0 == ["waits", "none"] })
    }

    @Test func requestsCanStillBeTakenAfterTheStop() throws {
        let server = try LoopbackServer()
        _ = try Client(server.port).get("/a")
        server.stop()
        #expect(server.nextRequest(timeout: 1000)?.path == "/a")
        #expect(server.nextRequest(timeout: 1000) == nil)
    }

    @Test func aHandlerMayStopItsServer() throws {
        let shared = Locked<LoopbackServer?>(nil)
        let server = try LoopbackServer { _ in
            shared { $0?.stop() }
            return .text("x")
        }
        shared { $0 = server }
        let client = try client(server)
        #expect(client.rest() == ("", nil))
        server.stop()
        shared { $0 = nil }
    }

    @Test func releasingAServerStopsIt() throws {
        var server: LoopbackServer? = try LoopbackServer(responses: [.never])
        let client = try client(try #require(server))
        #expect(server?.nextRequest() != nil)
        server = nil
        #expect(client.rest() == ("", nil))
    }

    @Test(.opensFiles(410)) func manyConnectionsAreServedInParallel() throws {
        let count = min(200, maximumOpenFiles / 3)
        let arrived = Locked(0)
        let server = try LoopbackServer { request in
            arrived { $0 += 1 }
            // No request gets its response before all have arrived, so they must run in parallel.
            return arrived.wait { $0 == count } ? .text(request.path) : .statusCode(500)
        }
        let clients = try (0..<count).map { _ in try Client(server.port) }
        for (index, client) in clients.enumerated() {
            try client.send("GET /\(index) HTTP/1.1\r\n\r\n")
        }
        for (index, client) in clients.enumerated() {
            #expect(try client.response().text == "/\(index)")
        }
        #expect(server.connectionCount == count)
        #expect(Set(server.requests.map(\.connection)) == Set(0..<count))
    }
}
