// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import TestSupport
import Testing

/// `maximumBodySize` bounds the memory for a body, whatever its status.
@Suite(.serialized, .opensFiles, .timeLimit) struct BodySizeTests {
    private func service(
        _ server: LoopbackServer, _ maximum: Int64?, accepting: Bool = false
    ) -> TestService {
        var service = server.service()
        service.change = { request in
            request.maximumBodySize = maximum
            request.acceptsAnyStatus = accepting
        }
        return service
    }

    @Test(arguments: TransportUnderTest.allCases)
    func aBodyMayHaveAsManyBytes(_ transport: TransportUnderTest) async throws {
        let server = try LoopbackServer { _ in .data(Data(count: 1_000), contentType: "x/y") }
        let provider = transport.provider()
        #expect(try await provider.load(service: service(server, 1_000)).count == 1_000)
        #expect(try await provider.load(service: service(server, nil)).count == 1_000)
        let error = try await provider.failure(of: service(server, 999))
        #expect(error.localizedDescription == "The response is too large.")
        let origin = "http://127.0.0.1:\(server.port)"
        #expect(
            error.description == """
                The response is too large. (URLError -1103, \(origin)): The body is larger than \
                maximumBodySize, 999 bytes.
                """)
    }

    /// The status doesn't matter.
    @Test(.row("L4"), arguments: TransportUnderTest.allCases, [200, 404, 500])
    func eachStatusIsBounded(_ transport: TransportUnderTest, status: Int) async throws {
        let server = try LoopbackServer { _ in
            .data(Data(count: 1 << 20), contentType: "x/y", statusCode: status).chunked()
        }
        let provider = transport.provider()
        for accepting in [false, true] {
            let error = try await provider.failure(
                of: service(server, 1 << 16, accepting: accepting))
            #expect(error.urlErrorCode == .dataLengthExceedsMaximum)
        }
    }

    /// The limit counts for each response on its own.
    @Test(arguments: TransportUnderTest.allCases)
    func theBodyOfARedirectDoesNotCount(_ transport: TransportUnderTest) async throws {
        let server = try LoopbackServer(responses: [
            .data(Data(count: 900), contentType: "x/y", statusCode: 302).header(
                "Location", "/there"),
            .data(Data(count: 900), contentType: "x/y"),
        ])
        #expect(try await transport.provider().load(service: service(server, 1_000)).count == 900)
    }

    /// A sink that only watches doesn't lift the limit. One that takes the bytes does, but not for an error.
    @Test(arguments: TransportUnderTest.allCases, [ServiceBodyDestination.memory, .sink])
    func onlyBodiesInMemoryAreBounded(
        _ transport: TransportUnderTest, _ destination: ServiceBodyDestination
    ) async throws {
        for status in [200, 500] {
            let server = try LoopbackServer { _ in
                .data(Data(count: 1 << 20), contentType: "x/y", statusCode: status)
            }
            let sink = CountingSink(destination)
            var service = service(server, 1_000)
            let limit = service.change
            service.change = { request in
                try limit?(&request)
                request.bodySink = sink
            }
            let outcome = await transport.provider().outcome(of: service)
            if status == 200, destination == .sink {
                #expect(try outcome.get().data.isEmpty)
                #expect(sink.count { $0 } == 1 << 20)
            } else {
                guard case .failure(let error) = outcome else {
                    Issue.record("\(status) wasn't bounded")
                    continue
                }
                #expect(error.urlErrorCode == .dataLengthExceedsMaximum)
            }
        }
    }

    #if os(Linux)
    /// A server sends 50 MB, more than the call may keep. In a process of its own, to measure its memory.
    @Test(.row("L4")) func largeBodiesTakeNoMemory() async {
        await #expect(processExitsWith: .success) {
            let found = "HTTP/1.1 302 Found\r\nLocation: /there"
            for (transport, heads) in [
                // URLSession on Linux collects the body of a redirect before anyone sees it.
                (TransportUnderTest.ownSession, ["HTTP/1.1 200 OK", "HTTP/1.1 500 Oops"]),
                (.curl, ["HTTP/1.1 200 OK", "HTTP/1.1 500 Oops", found]),
            ] {
                for head in heads {
                    let growth = try await Self.growth(transport, head)
                    #expect(growth < 16 << 20, "\(transport), \(head): \(growth) bytes")
                }
            }
        }
    }

    /// How many bytes the most memory of the process grows during a call.
    private static func growth(_ transport: TransportUnderTest, _ head: String) async throws -> Int
    {
        let server = try RawServer { connection in
            connection.readHead()
            connection.write("\(head)\r\nContent-Type: x/y\r\nContent-Length: 52428800\r\n\r\n")
            let part = Data(count: 1 << 18)
            for _ in 0..<200 where connection.write(part) {}
        }
        defer { server.stop() }
        let before = largestSize()
        let service = TestService(
            baseURL: "http://127.0.0.1:\(server.port)",
            change: { $0.maximumBodySize = 1 << 20 })
        let error = try await transport.provider().failure(of: service.patient)
        #expect(error.urlErrorCode == .dataLengthExceedsMaximum, "\(transport), \(head)")
        return largestSize() - before
    }

    /// The most memory that the process has had, in bytes.
    private static func largestSize() -> Int {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return usage.ru_maxrss * 1_024
    }
    #endif
}

/// Counts the bytes that it gets.
private final class CountingSink: ServiceBodySink {
    let destination: ServiceBodyDestination
    let count = Locked(0)

    init(_ destination: ServiceBodyDestination) { self.destination = destination }

    func didSend(_ sent: Int64) {}
    func begin(_ response: ServiceResponse, control: ServiceTransferControl) {}
    func receive(_ chunk: Data) { count { $0 += chunk.count } }
    func end(_ error: (any Error)?) {}
}
