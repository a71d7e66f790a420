// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import CurlTransport
import Foundation
import FoundationNetworking
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

/// Tests servers that stall, at each step of a request.
@Suite(.serialized, .opensFiles, .timeLimit) struct TimeTests {
    /// The step at which a server stalls.
    enum Stop: CaseIterable {
        case accepting, greeting, reading, waiting, head, body, chunk, proxying

        /// The phase that the error names.
        var phase: String {
            switch self {
            case .accepting, .greeting, .proxying: "connecting"
            case .reading: "sending"
            case .waiting, .head: "waiting"
            case .body, .chunk: "receiving"
            }
        }

        /// The text that the server sends before it stalls.
        var text: String {
            switch self {
            case .head: "HTTP/1.1 200 OK\r\nX: a\r\n"
            case .body: "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello"
            case .chunk: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel"
            case .proxying: "HTTP/1.1 200 OK\r\n"
            default: ""
            }
        }

        /// Starts a server. For `.accepting`, it accepts no connections, and the sockets fill its
        /// queue.
        func server() throws -> (server: RawServer, fillers: [Int32]) {
            guard self == .accepting else {
                let server = try RawServer { connection in
                    if self != .reading, self != .greeting { connection.readHead() }
                    connection.write(text)
                    if self != .reading {
                        connection.readToTheEnd()
                    } else {
                        connection.waitForStop()
                    }
                }
                return (server, [])
            }
            let server = try RawServer(backlog: 0)
            return (server, (0..<8).map { _ in server.connectedSocket() })
        }
    }

    private static func service(_ stop: Stop, _ server: RawServer) -> TestService {
        let isSecure = stop == .greeting || stop == .proxying
        var service = TestService(
            baseURL: (isSecure ? "https" : "http") + "://127.0.0.1:\(server.port)")
        if stop == .reading {
            (service.method, service.body) = (.put, .data(Data(count: 16 << 20)))
        }
        return service
    }

    @Test(.row("L7"), arguments: Stop.allCases)
    func aTimeoutErrorNamesThePhase(_ stop: Stop) async throws {
        // Retry with longer times, because a busy machine may not reach the phase in time.
        var text = ""
        for time in [0.05, 0.2, 1, 5, 25] {
            let (server, fillers) = try stop.server()
            defer {
                for socket in fillers { close(socket) }
                server.stop()
            }
            let provider = try provider {
                if stop == .proxying { $0.proxy = .url("http://127.0.0.1:\(server.port)") }
            }
            var service = Self.service(stop, server)
            service.timeout = time
            let error = await #expect(throws: ServiceError.self) {
                try await provider.load(service: service)
            }
            guard case .transport(let failure) = error, failure.code == .timedOut else {
                Issue.record("\(error as Any)")
                return
            }
            text = error?.description ?? ""
            if text.contains("while \(stop.phase): ") { break }
        }
        #expect(text.contains("while \(stop.phase): "))
        #expect(text.contains("no data was transferred for"), "\(text)")
    }

    /// The transport's thread already sleeps when the caller's thread starts the first request, and
    /// no event wakes it.
    @Test func theFirstRequestTimesOut() async throws {
        let (server, fillers) = try Stop.accepting.server()
        defer {
            for socket in fillers { close(socket) }
            server.stop()
        }
        var service = Self.service(.accepting, server)
        service.timeout = 0.05
        try await within(seconds: 60) { [service] in
            for _ in 0..<20 {
                let provider = try provider()
                try await Task.sleep(nanoseconds: 20_000_000)
                #expect(await provider.code(of: service) == .timedOut)
            }
        }
    }

    /// The server sees the end of the connection.
    @Test(.row("P8"), arguments: Stop.allCases)
    func cancellingEndsATransferAtEveryStage(_ stop: Stop) async throws {
        let (server, fillers) = try stop.server()
        defer {
            for socket in fillers { close(socket) }
            server.stop()
        }
        let provider = try provider {
            if stop == .proxying { $0.proxy = .url("http://127.0.0.1:\(server.port)") }
        }
        var service = Self.service(stop, server)
        // Otherwise the timeout could end it first.
        service.timeout = 3_000
        let task = Task { [service] in try await provider.load(service: service) }
        try await Task.sleep(nanoseconds: 20_000_000)
        task.cancel()
        let error = await #expect(throws: ServiceError.self) { _ = try await task.value }
        guard case .cancelled = error else {
            Issue.record("\(error as Any)")
            return
        }
        if stop != .accepting, stop != .reading {
            #expect(await server.hasEnded(server.connectionCount))
        }
    }

    /// The bytes arrive one by one, so the timeout of the request never applies. The response would end
    /// much later than the deadline.
    @Test(.row("L6"), arguments: [0, 40])
    func aDeadlineEndsAResponseThatDrips(_ position: Int) async throws {
        let text =
            "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n" + String(repeating: "a", count: 99)
        let server = try RawServer { connection in
            connection.readHead()
            connection.write(String(text.prefix(position)))
            for byte in text.dropFirst(position) {
                Thread.sleep(forTimeInterval: 0.02)
                guard connection.write(String(byte)) else { return }
            }
        }
        defer { server.stop() }
        let provider = try provider().wrapped(in: ServiceDeadline(0.05))
        let service = TestService(baseURL: "http://127.0.0.1:\(server.port)", method: .post)
        #expect(await provider.code(of: service) == .timedOut)
        #expect(await server.hasEnded(server.connectionCount))
    }

    @Test(.row("L7")) func connectionTimeoutLimitsConnecting() async throws {
        let (server, fillers) = try Stop.accepting.server()
        defer {
            for socket in fillers { close(socket) }
            server.stop()
        }
        let provider = try provider { $0.connectionTimeout = 0.05 }
        let service = TestService(baseURL: "http://127.0.0.1:\(server.port)")
        let start = ProcessInfo.processInfo.systemUptime
        let error = await #expect(throws: ServiceError.self) {
            try await provider.load(service: service)
        }
        #expect(ProcessInfo.processInfo.systemUptime - start > 0.045)
        guard case .transport(let failure) = error else {
            Issue.record("\(error as Any)")
            return
        }
        #expect(failure.code == .timedOut)
        #expect(error?.description.contains("(libcurl 28)") == true)
    }
}
#endif
