// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import CCurl
import CurlTransport
import Foundation
import FoundationNetworking
import LoopbackServer
import ServiceProvider
import ServiceProviderTransfers
import TestSupport
import Testing

/// Tests which connections and memory transports keep, and for how long.
@Suite(.serialized, .opensFiles, .timeLimit) struct PoolTests {
    /// A transport may trust servers that another one doesn't trust.
    @Test(.row("P5")) func transportsDoNotShareConnections() async throws {
        let server = try LoopbackServer { _ in .text("hello") }
        let providers = try (0..<3).map { _ in try provider() }
        for _ in 0..<3 {
            for provider in providers { _ = try await provider.load(service: server.endpoint()) }
        }
        #expect(server.connectionCount == 3)
        #expect(server.requests.map(\.connection) == [0, 1, 2, 0, 1, 2, 0, 1, 2])
    }

    /// They don't wait for the end of the calls before them.
    @Test func cancelledCallsThatWaitAreReleased() async throws {
        let server = try LoopbackServer { _ in .never }
        let sent = Milestones()
        let released = Milestones()
        let counting = Intercept { request, next in
            sent.pass()
            return try await next(request)
        }
        let provider = try provider { $0.maximumTransfers = 1 }.wrapped(in: counting)
        let service = server.endpoint().patient
        let first = Task { await provider.code(of: service) }
        _ = try await server.arrival()
        let calls = (0..<100).map { _ in
            Task {
                let sink = Sink(released)
                var service = service
                service.change = { $0.bodySink = sink }
                return await provider.code(of: service)
            }
        }
        await sent.reach(101)
        // One more call waits until its timeout, so all calls before it wait, too.
        var last = service
        last.timeout = 0.1
        #expect(await provider.code(of: last) == .timedOut)
        #expect(released.count == 0)
        for call in calls {
            call.cancel()
        }
        await released.reach(100)
        #expect(released.count == 100)
        #expect(server.requests.count == 1)
        first.cancel()
        _ = await first.value
    }

    /// Reports its release.
    private final class Sink: ServiceBodySink {
        let destination = ServiceBodyDestination.memory
        private let released: Milestones

        init(_ released: Milestones) { self.released = released }
        deinit { released.pass() }

        func didSend(_: Int64) {}
        func begin(_: ServiceResponse, control _: ServiceTransferControl) {}
        func receive(_: Data) {}
        func end(_: (any Error)?) {}
    }

    /// Even streams that have returned with their headers, and calls with completion handlers.
    @Test(.row("P11"), .opensFiles(100)) func aReleasedTransportFinishesItsTransfers() async throws
    {
        let size = 3 << 20
        let server = try LoopbackServer { request in
            request.path == "/late"
                ? .text("late").delayed(by: 0.02)
                : .data(Data(repeating: 7, count: size), contentType: "x/y")
        }
        let base = server.baseURL
        for _ in 0..<5 {
            var streams: [ServiceStream] = []
            let results = AsyncStream<Bool>.makeStream()
            do {
                let provider = try provider { $0.maximumTransfers = 20 }
                for _ in 0..<10 {
                    streams.append(try await provider.stream(service: TestService(baseURL: base)))
                }
                // More than run at a time, so some wait for their turn.
                for _ in 0..<30 {
                    provider.load(service: TestService(baseURL: base, path: "/late")) { result in
                        if case .success(let data) = result {
                            results.continuation.yield(data == Data("late".utf8))
                        } else {
                            results.continuation.yield(false)
                        }
                    }
                }
            }
            for stream in streams {
                var count = 0
                for try await chunk in stream { count += chunk.count }
                #expect(count == size)
            }
            var ends = 0
            for await isGood in results.stream {
                #expect(isGood)
                ends += 1
                if ends == 30 { break }
            }
        }
    }

    @Test(.row("P9")) func unreadStreamsCloseTheirConnections() async {
        await #expect(processExitsWith: .success) {
            // The responses stall. Complete ones would free their connections without a reader.
            let server = try RawServer { connection in
                connection.readHead()
                connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n40000\r\n")
                connection.write(Data(count: 0x20000))
                connection.readToTheEnd()
            }
            let provider = try provider()
            let service = TestService(baseURL: "http://127.0.0.1:\(server.port)")
            _ = try await provider.stream(service: service)
            #expect(await server.hasEnded())
            let before = try #require(ProcessUsage.descriptors)
            for _ in 0..<50 {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<20 {
                        group.addTask { _ = try await provider.stream(service: service) }
                    }
                    try await group.waitForAll()
                }
            }
            #expect(await server.hasEnded(1_001))
            #expect(server.connectionCount == 1_001)
            server.stop()
            // The process may open up to 10 others. A leak in each round would be 50 descriptors.
            #expect(try #require(ProcessUsage.descriptors) <= before + 10)
        }
    }

    /// The socket has more bytes, but the transport must not ask for them again and again.
    @Test func anUnreadStreamUsesNoProcessorTime() async {
        await #expect(processExitsWith: .success) {
            let server = try LoopbackServer { _ in
                .data(Data(count: 64 << 20), contentType: "x/y")
            }
            let stream = try await provider().stream(service: server.endpoint())
            #expect(try await Self.idleTime() < 0.02)
            withExtendedLifetime(stream) {}
        }
    }

    /// A request waits for its turn without asking for it again and again.
    @Test func aWaitingRequestUsesNoProcessorTime() async {
        await #expect(processExitsWith: .success) {
            let server = try LoopbackServer { _ in .never }
            let provider = try provider { $0.maximumTransfers = 1 }
            let service = server.endpoint()
            let calls = (0..<2).map { _ in Task { try await provider.load(service: service) } }
            _ = try await server.arrival()
            #expect(try await Self.idleTime() < 0.02)
            for call in calls { call.cancel() }
        }
    }

    @Test func aConnectionThatTheServerClosedUsesNoProcessorTime() async {
        await #expect(processExitsWith: .success) {
            let isRead = DispatchSemaphore(value: 0)
            let server = try RawServer { connection in
                connection.readHead()
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
                isRead.waitForAMinute()
            }
            let provider = try provider()
            let service = TestService(baseURL: "http://127.0.0.1:\(server.port)")
            #expect(try await provider.text(of: service) == "hello")
            isRead.signal()
            #expect(await server.hasEnded())
            #expect(try await Self.idleTime() < 0.02)
        }
    }

    /// Returns the processor time that this process uses in 0.3 seconds: the least of up to ten
    /// measurements.
    private static func idleTime() async throws -> Double {
        var least = Double.infinity
        for _ in 0..<10 where least >= 0.02 {
            let start = processTime()
            try await Task.sleep(nanoseconds: 300_000_000)
            least = min(least, processTime() - start)
        }
        return least
    }

    /// A failed write on a caller's thread must not end the process.
    @Test func callersKeepTheirSignals() async {
        await #expect(processExitsWith: .success) {
            let server = try LoopbackServer { _ in .text("hello") }
            let provider = try provider()
            func isBlocked(_ kind: Int32) -> Bool {
                var mask = sigset_t()
                pthread_sigmask(SIG_BLOCK, nil, &mask)
                return sigismember(&mask, kind) == 1
            }
            for _ in 0..<100 {
                _ = try await provider.load(service: server.endpoint())
                #expect(!isBlocked(SIGPIPE))
            }
            for kind in [SIGPIPE, SIGXFSZ] {
                Self.unblock(kind)
                var mask = sigset_t()
                ccurl_enter_from_caller(&mask)
                #expect(isBlocked(kind))
                raise(kind)
                ccurl_leave_to_caller(&mask)
                #expect(!isBlocked(kind))
            }
        }
    }

    /// Lets a signal end the process. Dispatch's threads block most signals.
    private static func unblock(_ kind: Int32) {
        signal(kind, SIG_DFL)
        var set = sigset_t()
        sigaddset(&set, kind)
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
    }

    /// A sink writes the file on the transport's thread.
    @Test(.row("L17")) func aFileThatGrowsBeyondTheLimitDoesNotEndTheProcess() async {
        await #expect(processExitsWith: .success) {
            let server = try LoopbackServer { _ in .data(Data(count: 1 << 20), contentType: "x/y") }
            let folder = try TemporaryFolder()
            let error = try await withFileSizeLimit(1_000) {
                // The transport's thread gets the signals that this thread blocks.
                Self.unblock(SIGXFSZ)
                let provider = try provider()
                return try await failure {
                    try await provider.download(
                        service: server.endpoint(), to: folder.file("file"))
                }
            }
            guard "\(error)".contains("File too large") else { exit(1) }
        }
    }

    /// A leak of 100 bytes in each request would be 4 MB.
    @Test(
        .slow,
        .disabled(
            if: isUnderAddressSanitizer || isUnderThreadSanitizer,
            "the sanitizers need memory of their own"))
    func requestsLeakNoMemory() async {
        await #expect(processExitsWith: .success) {
            // LoopbackServer would record the requests.
            let server = try RawServer { connection in
                while !connection.readHead().isEmpty {
                    connection.write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
                }
            }
            defer { server.stop() }
            let provider = try provider()
            let service = TestService(
                baseURL: "http://127.0.0.1:\(server.port)",
                headers: ["X-Long": String(repeating: "a", count: 200)])
            var before = 0
            for round in 0..<50 {
                for _ in 0..<1_000 { _ = try await provider.load(service: service) }
                if round == 9 { before = try Self.memory("VmRSS") }
            }
            let more = try Self.memory("VmRSS") - before
            #expect(more < 3_000, "\(more) KB")
        }
    }

    /// Returns a field of /proc/self/status in KB.
    private static func memory(_ field: String) throws -> Int {
        let text = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = text.split(separator: "\n").first { $0.hasPrefix(field + ":") }
        return Int(line?.split { " \t".contains($0) }.dropFirst().first ?? "") ?? .max
    }

    /// A body of 256 MB with a slow reader takes less than 32 MB of memory.
    @Test(
        .row("L5"), .slow,
        .disabled(if: isUnderAddressSanitizer, "AddressSanitizer keeps freed memory"))
    func aSlowReaderSlowsDownTheServer() async {
        await #expect(processExitsWith: .success) {
            let pattern = Data(repeating: 7, count: 1 << 16)
            let server = try LoopbackServer { request in
                let size = request.path == "/" ? 256 << 20 : 8 << 20
                return LoopbackResponse(body: .repeating(pattern, count: size))
            }
            let provider = try provider()
            var service = server.endpoint()
            service.path = "/some"
            // The memory that any transfer takes doesn't count.
            for try await _ in try await provider.stream(service: service) {}
            let before = try Self.memory("VmHWM")
            service.path = "/"
            var (count, chunks) = (0, 0)
            for try await chunk in try await provider.stream(service: service) {
                (count, chunks) = (count + chunk.count, chunks + 1)
                // Pause now and then, for as long as the server takes to send about 10 MB.
                if chunks % 32 == 1 { try await Task.sleep(nanoseconds: 20_000_000) }
            }
            #expect(count == 256 << 20)
            let more = try Self.memory("VmHWM") - before
            #expect(more < 32 << 10, "\(more) KB")
        }
    }
}
#endif
