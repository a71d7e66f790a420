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
import ServiceProviderTransfers
import TestSupport
import Testing

/// Tests the configuration of CurlTransport, its timeouts, concurrency and cleanup.
@Suite(.serialized, .opensFiles, .timeLimit) struct CurlTransportTests {
    @Test func aMissingOrUnsuitableLibraryIsReported() {
        #expect(throws: CurlUnavailable.self) {
            try provider { $0.library = "/nowhere/libcurl.so" }
        }
        do {
            _ = try provider { $0.library = "libz.so.1" }
            Issue.record("zlib was accepted as libcurl")
        } catch {
            #expect(error.localizedDescription.contains("libz.so.1"))
            #expect(error.localizedDescription.contains("curl_global_init"))
        }
    }

    /// Swift Testing also reflects values, such as a model that holds a provider.
    @Test func aProviderIsPrintedWithoutItsCalls() async throws {
        let server = try LoopbackServer { _ in .never }
        let provider = try provider()
        var service = server.endpoint().patient
        service.headers["Authorization"] = canary("printed transport")
        let call = Task { [service] in await provider.code(of: service) }
        _ = try await server.arrival()
        for _ in 0..<100 {
            var text = ""
            dump(provider, to: &text)
            #expect(!text.contains(service.headers["Authorization"] ?? ""))
        }
        call.cancel()
        _ = await call.value
    }

    /// URLSession on Linux rounds timeouts to whole seconds. On a busy machine it may take longer,
    /// but not every time.
    @Test func timeoutsShorterThanASecondWork() async throws {
        let server = try LoopbackServer { _ in .never }
        let provider = try provider()
        var service = server.endpoint(.post, "x")
        service.timeout = 0.05
        for _ in 0..<20 {
            let start = ProcessInfo.processInfo.systemUptime
            #expect(await provider.code(of: service) == .timedOut)
            let time = ProcessInfo.processInfo.systemUptime - start
            #expect(time >= 0.05)
            if time < 0.9 { return }
        }
        Issue.record("a timeout of 0.05 seconds took 0.9 seconds every time")
    }

    @Test(arguments: [
        ("waiting", LoopbackResponse.never),
        ("waiting", .text("x").cut(.stall, afterHeaderBytes: 9)),
        ("receiving", .text("hello").cut(.stall, afterBodyBytes: 2)),
    ])
    func aTimeoutErrorNamesThePhase(_ phase: String, _ answer: LoopbackResponse) async throws {
        let provider = try provider()
        // Retry with longer timeouts, because a busy machine may not reach the phase in time.
        for timeout in [0.05, 0.2, 1, 5, 25] {
            let server = try LoopbackServer(responses: [answer])
            var service = server.endpoint(.post)
            service.timeout = timeout
            do {
                _ = try await provider.load(service: service)
                Issue.record("the request succeeded")
            } catch {
                if "\(error)".contains("while \(phase): no data was transferred") { return }
            }
        }
        Issue.record("no error named the phase '\(phase)'")
    }

    @Test func maximumTimeEndsASlowResponse() async throws {
        let server = try LoopbackServer { _ in
            .text(String(repeating: "a", count: 1_000)).dripping(bytes: 1, every: 0.01)
        }
        let provider = try provider { $0.maximumTime = 0.1 }
        #expect(await provider.code(of: server.endpoint()) == .timedOut)
    }

    /// The second request waits for the first one longer than its own timeout. On a busy machine,
    /// a part of the response may be late too, but not every time.
    @Test func theTimeoutOfAWaitingRequestHasNotBegun() async throws {
        let provider = try provider { $0.maximumTransfers = 1 }
        for _ in 0..<10 {
            let slow = LoopbackResponse.text(String(repeating: "a", count: 200))
            let server = try LoopbackServer(responses: [
                slow.dripping(bytes: 40, every: 0.2), .text("b"),
            ])
            var service = server.endpoint()
            service.timeout = 0.5
            let first = Task { [service] in await provider.code(of: service) }
            _ = try await server.arrival()
            let code = await provider.code(of: service)
            if await first.value == nil, code == nil { return }
        }
        Issue.record("the request timed out every time")
    }

    /// The first request takes the only place.
    @Test func aRequestThatIsCancelledInTheQueueIsNotSent() async throws {
        let server = try LoopbackServer { $0.path == "/first" ? .never : .text("ok") }
        let provider = try provider { $0.maximumTransfers = 1 }
        func call(_ path: String) -> Task<URLError.Code?, Never> {
            let service = TestService(baseURL: server.baseURL, path: path)
            return Task { await provider.code(of: service) }
        }
        for _ in 0..<20 {
            let first = call("/first")
            #expect(try await server.arrival().path == "/first")
            let second = call("/second")
            // If the second one isn't in the queue yet, the next rounds test that.
            try await Task.sleep(nanoseconds: 5_000_000)
            second.cancel()
            _ = await second.value
            first.cancel()
            #expect(await call("/third").value == nil)
            #expect(try await server.arrival().path == "/third")
        }
        #expect(!server.requests.contains { $0.path == "/second" })
    }

    @Test func configurationsHaveTheDocumentedDefaults() {
        let configuration = CurlTransport.Configuration()
        #expect(configuration.connectionTimeout == 30 && configuration.maximumIdleTime == 30)
        #expect(configuration.maximumTime == 604_800)
        #expect(configuration.maximumTransfers == 128 && configuration.threads == 1)
        #expect(configuration.maximumBodySize == 536_870_912)
        #expect(configuration.allowsHTTP2 && configuration.allowsPrivateAddresses)
    }

    @Test func maximumTimeIncludesTheTimeInTheQueue() async throws {
        let server = try LoopbackServer { _ in .never }
        let provider = try provider { ($0.maximumTransfers, $0.maximumTime) = (1, 0.1) }
        let service = server.endpoint()
        await withTaskGroup(of: URLError.Code?.self) { group in
            for _ in 0..<100 { group.addTask { await provider.code(of: service) } }
            for await code in group { #expect(code == .timedOut) }
        }
        // Only one runs at a time. On a busy machine, a few more start after it has ended.
        #expect(server.requests.count < 100)
    }

    @Test(
        .opensFiles(1_050),
        arguments: [(1, 1), (3, 7), (20, 0), (50, 3), (min(500, maximumOpenFiles / 3), 1)])
    func aThousandConcurrentRequestsGetTheirOwnResponses(
        _ limit: Int, threads: Int
    ) async throws {
        let server = try LoopbackServer { .text($0.path) }
        let provider = try provider { ($0.maximumTransfers, $0.threads) = (limit, threads) }
        let base = server.baseURL
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for index in 0..<1_000 {
                group.addTask {
                    let service = TestService(baseURL: base, path: "/\(index)")
                    return try await provider.text(of: service) == "/\(index)"
                }
            }
            for try await isRight in group { #expect(isRight) }
        }
        #expect(server.connectionCount <= limit)
    }

    /// Each thread sends one request at a time, and the server waits for all of them before it responds.
    @Test(arguments: [2, 3, 4]) func allThreadsSendRequests(threads: Int) async throws {
        let requests = DispatchGroup()
        for _ in 0..<threads { requests.enter() }
        let server = try RawServer { connection in
            connection.readHead()
            requests.leave()
            _ = requests.wait(timeout: .now() + 60)
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
        }
        defer { server.stop() }
        let provider = try provider { ($0.maximumTransfers, $0.threads) = (threads, threads) }
        let service = TestService(baseURL: "http://127.0.0.1:\(server.port)", timeout: 60)
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<threads { group.addTask { try await provider.text(of: service) } }
            for try await text in group { #expect(text == "hello") }
        }
    }

    /// Most of them wait in the queue, which must not keep a transfer after its start.
    @Test func finishedTransfersAreReleased() async throws {
        let server = try LoopbackServer { _ in .text("hello") }
        var configuration = CurlTransport.Configuration()
        (configuration.proxy, configuration.maximumTransfers) = (.none, 1)
        let transport = try CurlTransport(configuration)
        let url = try #require(URL(string: server.baseURL))
        let living = Locked(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<100 {
                let token = Token(living)
                var request = ServiceRequest(URLRequest(url: url))
                request.reportProgress { _ in withExtendedLifetime(token) {} }
                group.addTask { [request] in _ = try await transport.send(request) }
            }
            try await group.waitForAll()
        }
        // Once this transfer has ended, the loop has released all earlier ones.
        _ = try await transport.send(ServiceRequest(URLRequest(url: url)))
        #expect(living { $0 } == 0)
    }

    /// Counts how many of its instances exist.
    private final class Token: Sendable {
        private let living: Locked<Int>

        init(_ living: Locked<Int>) {
            self.living = living
            living { $0 += 1 }
        }

        deinit { living { $0 -= 1 } }
    }

    /// The other transfers aren't affected.
    @Test(.slow) func cancellingAtAnyMomentEndsOneTransferOnce() async throws {
        let server = try LoopbackServer { _ in .text("hello") }
        let provider = try provider { $0.maximumTransfers = 8 }
        let service = server.endpoint()
        for round in 0..<200 {
            await withTaskGroup(of: Void.self) { group in
                for index in 0..<10 {
                    let task = Task { await provider.code(of: service) }
                    group.addTask {
                        for _ in 0..<(round * index % 50) { await Task.yield() }
                        if index % 2 == 0 { task.cancel() }
                        let code = await task.value
                        #expect(code == nil || index % 2 == 0)
                    }
                }
            }
        }
        #expect(try await provider.text(of: service) == "hello")
    }

    /// Even after transfers that were cancelled, that failed, or whose stream wasn't read.
    @Test(.slow) func releasedTransportsLeakNoFilesOrThreads() async throws {
        await #expect(processExitsWith: .success) {
            let server = try LoopbackServer { $0.path == "/never" ? .never : .text("hello") }
            func files() -> Int {
                (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
            }
            do {
                let provider = try provider()
                _ = try await provider.load(service: server.endpoint())
                // Until nothing wakes the thread: libcurl sets a timer of 0.2 seconds.
                try await Task.sleep(nanoseconds: 500_000_000)
                guard try loopCount() == 1 else { exit(4) }
                withExtendedLifetime(provider) {}
            }
            var before = Int.max
            for _ in 0..<20 {
                do {
                    let provider = try provider()
                    let never = TestService(baseURL: server.baseURL, path: "/never")
                    let task = Task { await provider.code(of: never) }
                    _ = await provider.code(of: TestService(baseURL: "http://127.0.0.1:1"))
                    _ = try await provider.stream(service: server.endpoint())
                    task.cancel()
                    guard await task.value == .unknown else { exit(1) }
                }
                for _ in 0..<1_000 where try loopCount() > 0 {
                    try await Task.sleep(nanoseconds: 5_000_000)
                }
                guard try loopCount() == 0 else { exit(2) }
                if before == .max { before = files() }
            }
            // The server closes its sockets a little later.
            for _ in 0..<1_000 where files() > before {
                try await Task.sleep(nanoseconds: 5_000_000)
            }
            guard files() <= before else { exit(3) }
        }
    }

    @Test(arguments: [TimeInterval.nan, .infinity, -.infinity, -1, 0, 1e300, 1e-300])
    func oddTimeoutsDoNotTrap(_ seconds: TimeInterval) async throws {
        let server = try LoopbackServer { _ in .text("hello") }
        var configuration = CurlTransport.Configuration()
        configuration.maximumTransfers = seconds > 0 ? .max : .min
        configuration.maximumBodySize = seconds > 0 ? .max : .min
        configuration.maximumTime = seconds
        configuration.connectionTimeout = seconds
        let transport = try CurlTransport(configuration)
        var request = URLRequest(url: try #require(URL(string: server.baseURL)))
        request.timeoutInterval = seconds
        let own = request
        _ = try? await transport.send(ServiceRequest(own))
    }

    @Test func theConfiguredProxyIsUsed() async throws {
        let server = try LoopbackServer { _ in .text("direct") }
        #expect(try await provider { $0.proxy = .none }.text(of: server.endpoint()) == "direct")
        let proxy = try LoopbackServer { .text("proxy: \($0.target)") }
        let provider = try provider { $0.proxy = .url(proxy.baseURL) }
        let text = try await provider.text(of: server.endpoint())
        #expect(text == "proxy: \(server.baseURL)/")
    }

    /// libcurl refuses strings of this length. The request must not be sent without the option.
    @Test func anOptionThatLibcurlRefusesFailsTheRequest() async throws {
        let server = try LoopbackServer { _ in .text("hello") }
        let long = String(repeating: "a", count: 9_000_000)
        let changes: [(inout CurlTransport.Configuration) -> Void] = [
            { $0.proxy = .url(long) }, { $0.pinnedPublicKeys = [long] },
            { $0.unixSocket = URL(fileURLWithPath: "/" + long) },
            { $0.certificateAuthorities = URL(fileURLWithPath: "/" + long) },
        ]
        for change in changes {
            let error = await #expect(throws: ServiceError.self) {
                try await provider(change).load(service: server.endpoint())
            }
            #expect(error?.description.contains("libcurl refused an option") == true)
        }
        #expect(server.requests.isEmpty)
    }

    @Test func aMissingFileOfAuthoritiesIsATLSError() async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let provider = try provider {
            $0.certificateAuthorities = URL(fileURLWithPath: "/nowhere/at/all.pem")
        }
        let service = TestService(baseURL: "https://127.0.0.1:\(server.port)")
        #expect(await provider.code(of: service) == .secureConnectionFailed)
    }

    @Test func credentialsInTheURLAreSentAsBasicAuthorization() async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let base = server.baseURL.replacingOccurrences(of: "//", with: "//joe:p%40ss@")
        _ = try await provider().load(service: TestService(baseURL: base))
        #expect(server.requests.last?.header("Authorization") == "Basic am9lOnBAc3M=")
    }

    @Test func aHeaderValueWithALineBreakIsNotSent() async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        var request = URLRequest(url: try #require(URL(string: server.baseURL)))
        request.allHTTPHeaderFields = ["X": "a\r\nY: b"]
        let own = request
        await #expect(throws: URLError.self) { try await CurlTransport().send(ServiceRequest(own)) }
        #expect(server.requests.isEmpty)
    }
}
#endif
