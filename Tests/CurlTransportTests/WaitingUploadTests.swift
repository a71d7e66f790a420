// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import CurlTransport
import Foundation
import FoundationNetworking
import ServiceProvider
import TestSupport
import Testing

/// Uploads of a sequence that has sent a first chunk and waits.
@Suite(.serialized, .opensFiles, .timeLimit) struct WaitingUploadTests {
    private let chunks: AsyncStream<Data>
    private let source: AsyncStream<Data>.Continuation

    init() {
        (chunks, source) = AsyncStream.makeStream()
        source.yield(Data("first".utf8))
    }

    /// A server that responds when the first chunk has arrived.
    static func server(
        _ respond: @escaping @Sendable (RawServer.Connection) -> Void
    ) throws -> RawServer {
        try RawServer { connection in
            var text = ""
            while !text.contains("first") {
                let data = connection.read()
                if data.isEmpty { return }
                text += String(decoding: data, as: UTF8.self)
            }
            respond(connection)
        }
    }

    private func service(
        _ server: RawServer, _ sink: PausingSink? = nil, timeout: TimeInterval = 3_000
    ) -> TestService {
        TestService(
            baseURL: "http://127.0.0.1:\(server.port)", method: .post, timeout: timeout,
            change: { $0.bodySink = sink })
    }

    /// The server stops in the middle of its response, before or after the timeout.
    @Test(arguments: ["Content-Length: 10", "Transfer-Encoding: chunked"], [0, 1])
    func aResponseThatStallsTimesOut(_ field: String, _ delay: TimeInterval) async throws {
        let server = try Self.server { connection in
            Thread.sleep(forTimeInterval: delay)
            connection.write("HTTP/1.1 200 OK\r\n\(field)\r\n\r\n3\r\nw")
            connection.waitForStop()
        }
        defer { server.stop() }
        let service = service(server, timeout: 0.5)
        let error = try await within(seconds: 60) { [chunks] in
            try await failure {
                try await provider().upload(service: service, chunks: chunks)
            }
        }
        #expect(error.urlErrorCode == .timedOut)
        source.finish()
    }

    /// The server must not take the first chunk for the whole body, and the connection isn't used again.
    @Test(arguments: [
        "Content-Length: 3\r\n\r\nwhy",
        "Transfer-Encoding: chunked\r\n\r\n3\r\nwhy\r\n0\r\n\r\n",
    ])
    func anEarlyResponseLeavesTheBodyIncomplete(_ rest: String) async throws {
        let ends = Locked<[String]>([])
        let server = try Self.server { connection in
            connection.write("HTTP/1.1 200 OK\r\n\(rest)")
            var text = ""
            while case let data = connection.read(), !data.isEmpty {
                text += String(decoding: data, as: UTF8.self)
            }
            ends { $0.append(text) }
        }
        defer { server.stop() }
        let provider = try provider()
        for count in 1...10 {
            let (chunks, source) = AsyncStream.makeStream(of: Data.self)
            source.yield(Data("first".utf8))
            let service = service(server)
            let response = try await within(seconds: 60) {
                try await provider.upload(service: service, chunks: chunks)
            }
            #expect(response.text == "why")
            #expect(await server.hasEnded(count))
            source.finish()
        }
        #expect(ends { $0.allSatisfy { $0.trimmingCharacters(in: .newlines).isEmpty } })
        #expect(server.connectionCount == 10)
    }

    /// The response comes in place of `100 Continue`.
    @Test func aResponseEndsTheWaitForTheFirstChunk() async throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            connection.waitForStop()
        }
        defer { server.stop() }
        var service = service(server)
        service.headers["Expect"] = "100-continue"
        let (chunks, source) = AsyncStream.makeStream(of: Data.self)
        let response = try await within(seconds: 60) { [service] in
            try await provider().upload(service: service, chunks: chunks)
        }
        #expect(response.statusCode == 200)
        source.finish()
    }

    // MARK: - The sink has paused the download

    enum Step: CaseIterable { case resume, cancel, complete, completeAndResume, cancelTask, close }

    @Test(arguments: Step.allCases, [5, 4 << 20])
    func bothDirectionsWait(_ step: Step, _ size: Int) async throws {
        let server = try Self.server { connection in
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n")
            connection.write(Data(count: size))
            if step != .close { connection.waitForStop() }
        }
        defer { server.stop() }
        let sink = PausingSink()
        let (service, provider) = (service(server, sink), try provider())
        let call = Task { [chunks] in try await provider.upload(service: service, chunks: chunks) }
        await sink.begun.reach(1)
        switch step {
        case .resume, .close: sink.pause(false)
        case .cancel: sink.cancel()
        case .complete:
            source.yield(Data("more".utf8))
            source.finish()
            sink.pause(false)
        case .completeAndResume:
            for _ in 0..<20 {
                source.yield(Data("more".utf8))
                for isPaused in [true, false, true] { sink.pause(isPaused) }
                await Task.yield()
            }
            sink.pause(false)
            source.finish()
        case .cancelTask: call.cancel()
        }
        let result = try await within(seconds: 60) { await call.result }
        if [.cancel, .cancelTask].contains(step) {
            #expect(throws: ServiceError.self) { try result.get() }
        } else {
            #expect(try result.get().statusCode == 200)
            #expect(sink.state { $0.received } == size)
        }
        #expect(sink.state { $0.ends } == 1)
        source.finish()
    }
}

/// Pauses the download when its headers have arrived.
final class PausingSink: ServiceBodySink {
    let state = Locked((received: 0, ends: 0, control: ServiceTransferControl?.none))
    let begun = Milestones()
    var destination: ServiceBodyDestination { .sink }
    func didSend(_ sent: Int64) {}

    func begin(_ response: ServiceResponse, control: ServiceTransferControl) throws {
        control.setPaused?(true)
        state { $0.control = control }
        begun.pass()
    }

    func receive(_ chunk: Data) throws { state { $0.received += chunk.count } }
    func end(_ error: (any Error)?) { state { $0.ends += 1 } }
    func pause(_ isPaused: Bool) { state { $0.control }?.setPaused?(isPaused) }
    func cancel() { state { $0.control }?.cancel() }
}
#endif
