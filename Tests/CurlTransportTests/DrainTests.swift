// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import CurlTransport
import Foundation
import FoundationNetworking
import LoopbackServer
import ServiceProvider
import TestSupport
import Testing

@Suite(.serialized, .opensFiles, .timeLimit) struct DrainTests {
    private let transport: CurlTransport
    private let provider: ServiceProvider<TestService>

    init() throws {
        var configuration = CurlTransport.Configuration.forTests
        configuration.proxy = .none
        configuration.maximumTransfers = 8
        transport = try CurlTransport(configuration: configuration)
        provider = ServiceProvider(transport: transport)
    }

    /// A server that responds once the gate is signalled.
    private static func server(behind gate: DispatchSemaphore) throws -> LoopbackServer {
        try LoopbackServer { _ in
            gate.wait()
            gate.signal()
            return .text("hello")
        }
    }

    private func isCancelled(_ service: TestService) async -> Bool {
        do {
            _ = try await provider.response(service: service)
            return false
        } catch {
            if case ServiceError.cancelled = error { return true }
            return false
        }
    }

    /// Those that run, and those that wait for a place.
    @Test(.row("C36")) func callsEndBeforeADrainDoes() async throws {
        let gate = DispatchSemaphore(value: 0)
        let server = try Self.server(behind: gate)
        let calls = (0..<20).map { _ in
            Task { [provider] in try await provider.text(of: server.endpoint().patient) }
        }
        for _ in 0..<8 { _ = try await server.arrival() }
        let drain = Task { [transport] in await transport.drain(timeout: 600) }
        // A new call is refused once the drain has begun.
        let late = try LoopbackServer { _ in .text("late") }
        while await !isCancelled(late.endpoint()) {}
        gate.signal()
        await drain.value
        for call in calls { #expect(try await call.value == "hello") }
        #expect(transport.statistics.runningTransfers == 0)
        #expect(await isCancelled(server.endpoint()))
        #expect(server.requests.count == 20)
    }

    @Test(arguments: [0, -1, .nan, 0.05])
    func callsThatAreLeftAreCancelled(_ timeout: TimeInterval) async throws {
        let server = try LoopbackServer { _ in .never }
        let calls = (0..<20).map { _ in
            Task { await isCancelled(server.endpoint().patient) }
        }
        for _ in 0..<8 { _ = try await server.arrival() }
        try await within(seconds: 60) { [transport] in await transport.drain(timeout: timeout) }
        for call in calls { #expect(await call.value) }
        #expect(server.requests.count == 8)
    }

    @Test func cancellingADrainCancelsTheCalls() async throws {
        let server = try LoopbackServer { _ in .never }
        let call = Task { await isCancelled(server.endpoint().patient) }
        _ = try await server.arrival()
        let drain = Task { [transport] in await transport.drain(timeout: 600) }
        drain.cancel()
        try await within(seconds: 60) { await drain.value }
        #expect(await call.value)
    }

    /// A drain without calls ends immediately, also the second one, and the connections close.
    @Test func anIdleTransportDrainsAtOnce() async throws {
        let server = try LoopbackServer { _ in .text("hello") }
        #expect(try await provider.text(of: server.endpoint()) == "hello")
        for _ in 0..<2 {
            try await within(seconds: 60) { [transport] in await transport.drain(timeout: 600) }
        }
        try await within(seconds: 60) { [transport] in
            while transport.statistics.openConnections > 0 { await Task.yield() }
        }
    }

    /// The system asks a server to end while calls run and start. Each call has its response, or it was never sent.
    @Test func aSignalInTheMiddleLosesNoResponse() async {
        await #expect(processExitsWith: .success) {
            let count = areSlowTestsOn ? 10_000 : 2_000
            let server = try LoopbackServer { .text($0.target) }
            let transport = try CurlTransport(configuration: .forTests)
            let provider = ServiceProvider<TestService>(transport: transport)
            signal(SIGTERM, SIG_IGN)
            let terminations = DispatchSource.makeSignalSource(signal: SIGTERM)
            let drained = Milestones()
            terminations.setEventHandler {
                Task {
                    await transport.drain(timeout: 600)
                    drained.pass()
                }
            }
            terminations.resume()
            // Nil: the call was cancelled.
            let counts = await withTaskGroup(of: Bool?.self) { group in
                for index in 0..<count {
                    if index == count / 2 {
                        while server.requests.count < count / 8 { await Task.yield() }
                        kill(getpid(), SIGTERM)
                    }
                    group.addTask {
                        let path = "/\(index)"
                        let service = TestService(baseURL: server.baseURL, path: path).patient
                        do {
                            return try await provider.text(of: service) == path
                        } catch ServiceError.cancelled {
                            return nil
                        } catch {
                            return false
                        }
                    }
                }
                return await group.reduce(into: [Bool?: Int]()) { $0[$1, default: 0] += 1 }
            }
            await drained.reach(1)
            let responses = counts[true] ?? 0
            let isRight = counts[false] == nil && responses == server.requests.count
            exit(isRight && responses >= count / 8 ? EXIT_SUCCESS : EXIT_FAILURE)
        }
    }

    // MARK: - Statistics

    @Test func statisticsCountTransfersAndConnections() async throws {
        let gate = DispatchSemaphore(value: 0)
        let server = try Self.server(behind: gate)
        #expect(transport.statistics == CurlTransport.Statistics())
        let calls = (0..<20).map { _ in
            Task { [provider] in try await provider.text(of: server.endpoint().patient) }
        }
        for _ in 0..<8 { _ = try await server.arrival() }
        try await within(seconds: 60) { [transport] in
            while transport.statistics.waitingTransfers < 12 { await Task.yield() }
        }
        #expect(transport.statistics.runningTransfers == 8)
        #expect(transport.statistics.openConnections == 8)
        #expect(transport.statistics.idleConnections == 0)
        gate.signal()
        for call in calls { _ = try await call.value }
        try await within(seconds: 60) { [transport] in
            while transport.statistics.idleConnections < 8 { await Task.yield() }
        }
        #expect(transport.statistics.openConnections == 8)
        #expect(transport.statistics.waitingTransfers == 0)
    }
}
#endif
