// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import CurlTransport
import Foundation
import FoundationNetworking
import LoopbackServer
import ServiceProvider
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
    @Test(.row("U11")) func timeoutsShorterThanASecondWork() async throws {
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
        #expect(configuration.maximumTransfers == 256)
        #expect(configuration.maximumBodySize == 536_870_912)
        #expect(configuration.allowsHTTP2 && configuration.allowsPrivateAddresses)
    }

    @Test func configurationsShowNoPassword() throws {
        let password = canary("configuration")
        let file = URL(fileURLWithPath: "/nowhere")
        var configuration = CurlTransport.Configuration()
        let certificate = CurlTransport.Configuration.ClientCertificate(
            certificate: file, privateKey: file, password: password)
        configuration.clientCertificate = certificate
        configuration.proxy = .url("http://me:\(password)@localhost")
        let values: [Any] = [
            configuration, certificate, configuration.proxy, [configuration.proxy],
            configuration.clientCertificate as Any,
        ]
        for value in values {
            var text = "\(value) \(String(reflecting: value)) \(Mirror(reflecting: value).children)"
            dump(value, to: &text)
            #expect(!text.contains(password), "\(type(of: value))")
        }
    }

    @Test(
        .opensFiles(1_050),
        arguments: [1, 3, 20, min(500, maximumOpenFiles / 3)])
    func aThousandConcurrentRequestsGetTheirOwnResponses(_ limit: Int) async throws {
        let server = try LoopbackServer { .text($0.path) }
        let provider = try provider { $0.maximumTransfers = limit }
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

    /// Most of them wait in the queue, which must not keep a transfer after its start.
    @Test func finishedTransfersAreReleased() async throws {
        let server = try LoopbackServer { _ in .text("hello") }
        var configuration = CurlTransport.Configuration()
        (configuration.proxy, configuration.maximumTransfers) = (.none, 1)
        let transport = try CurlTransport(configuration: configuration)
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

    /// Even after transfers that were cancelled, that failed, or whose stream wasn't read.
    @Test(.slow, .row("P9")) func releasedTransportsLeakNoFilesOrThreads() async throws {
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

    @Test(
        .row("L12", "U11"),
        arguments: [TimeInterval.nan, .infinity, -.infinity, -1, 0, 1e300, 1e-300])
    func oddTimeoutsDoNotTrap(_ seconds: TimeInterval) async throws {
        let server = try LoopbackServer { _ in .text("hello") }
        var configuration = CurlTransport.Configuration()
        configuration.maximumTransfers = seconds > 0 ? .max : .min
        configuration.maximumBodySize = seconds > 0 ? .max : .min
        configuration.connectionTimeout = seconds
        configuration.maximumIdleTime = seconds
        configuration.maximumIdleConnections = seconds > 0 ? .max : .min
        configuration.maximumTransfersPerHost = seconds > 0 ? .max : .min
        let transport = try CurlTransport(configuration: configuration)
        var request = URLRequest(url: try #require(URL(string: server.baseURL)))
        request.timeoutInterval = seconds
        let own = request
        _ = try? await transport.send(ServiceRequest(own))
    }

    /// libcurl refuses strings of this length. The request must not be sent without the option.
    @Test func anOptionThatLibcurlRefusesFailsTheRequest() async throws {
        let server = try LoopbackServer { _ in .text("hello") }
        let long = String(repeating: "a", count: 9_000_000)
        let changes: [(inout CurlTransport.Configuration) -> Void] = [
            { $0.proxy = .url("http://" + long) }, { $0.pinnedPublicKeys = [long] },
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

    /// An empty list isn't the same as no list. Requests without TLS have no key.
    @Test func anEmptyListOfPinnedKeysAcceptsNone() async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let provider = try provider { $0.pinnedPublicKeys = [] }
        let service = TestService(baseURL: "HTTPS://127.0.0.1:\(server.port)")
        let error = try await provider.failure(of: service)
        #expect(error.urlErrorCode == .serverCertificateUntrusted)
        #expect(error.description.contains("'pinnedPublicKeys' is empty"))
        #expect(server.connectionCount == 0)
        #expect(try await provider.text(of: server.endpoint()) == "ok")
    }

    /// The first message of a handshake lists the versions (RFC 8446, section 4.2.1).
    @Test(
        arguments: [
            (
                CurlTransport.Configuration.TLSVersion.tls12,
                [0x00, 0x2B, 0x00, 0x05, 0x04, 0x03, 0x04, 0x03, 0x03]
            ),
            (.tls13, [0x00, 0x2B, 0x00, 0x03, 0x02, 0x03, 0x04]),
        ] as [(CurlTransport.Configuration.TLSVersion, [UInt8])])
    func theOldestVersionOfTLSCanBeSet(
        _ version: CurlTransport.Configuration.TLSVersion, _ bytes: [UInt8]
    ) async throws {
        let hellos = Locked(Data())
        let server = try RawServer { connection in
            let hello = connection.read()
            hellos { $0 = hello }
        }
        defer { server.stop() }
        let provider = try provider { $0.minimumTLSVersion = version }
        let service = TestService(baseURL: "https://127.0.0.1:\(server.port)")
        #expect(await provider.code(of: service) != nil)
        #expect(hellos { $0.range(of: Data(bytes)) } != nil)
    }

    // MARK: - Metrics of failures

    @Test func aFailedConnectionHasMetrics() async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let service = server.endpoint()
        server.stop()
        let error = try await provider().failure(of: service)
        let metrics = try #require(error.metrics.first)
        #expect(error.metrics.count == 1)
        #expect(metrics.total > 0 && metrics.connect == nil && metrics.firstByte == nil)
        #expect(metrics.sentBytes == 0 && metrics.isReusedConnection == nil)
        #expect(!"\(error)".contains("metrics"))
    }

    @Test func aResponseThatStopsHasMetrics() async throws {
        let server = try LoopbackServer { _ in
            .text("hello").cut(.reset, afterBodyBytes: 2)
        }
        let error = try await provider().failure(of: server.endpoint(.post, "x"))
        let metrics = try #require(error.metrics.first)
        #expect(metrics.isReusedConnection == false && metrics.connect != nil)
        let firstByte = try #require(metrics.firstByte)
        #expect(metrics.total >= firstByte && metrics.sentBytes > 0)
        #expect(metrics.remoteAddress == "127.0.0.1")
    }

    @Test(.row("I5")) func credentialsInTheURLAreSentAsBasicAuthorization() async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let base = server.baseURL.replacingOccurrences(of: "//", with: "//joe:p%40ss@")
        _ = try await provider().load(service: TestService(baseURL: base))
        #expect(server.requests.last?.header("Authorization") == "Basic am9lOnBAc3M=")
    }
}
#endif
