// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderTransfers
import TestSupport
import Testing

/// Other transfers that run while a complete file is checked.
@Suite(.serialized, .opensFiles, .timeLimit) struct DownloadCheckTests {
    private let server: LoopbackServer
    private let folder: TemporaryFolder

    init() throws {
        server = try LoopbackServer()
        folder = try TemporaryFolder()
    }

    /// Returns the first response, and lets a second one go its own way.
    private struct Hedge: ServiceInterceptor {
        let start: Gate
        let end: Locked<Result<ServiceResponse, any Error>?>

        func intercept(
            _ request: ServiceRequest, next: @escaping ServiceNext
        ) async throws -> ServiceResponse {
            let first = try await next(request)
            Task {
                await start.pass()
                let result: Result<ServiceResponse, any Error>
                do { result = .success(try await next(request)) } catch { result = .failure(error) }
                end { $0 = result }
            }
            return first
        }
    }

    @Test(arguments: TransportUnderTest.allCases)
    func aLateResponseDoesNotChangeACompleteFile(_ transport: TransportUnderTest) async throws {
        let whole = noise(10_000)
        for body in [whole, noise(100)] { server.enqueue(.data(body)) }
        let hedge = Hedge(start: Gate(), end: Locked(nil))
        let check = ServiceDownloadCheck { file in
            hedge.start.open()
            // The second response fails as soon as it begins.
            #expect(waitLong(for: hedge.end) { $0 != nil })
            let content = try? Data(contentsOf: file)
            #expect(content == whole)
        }
        let target = folder.file("a")
        let service = server.service().patient
        try await transport.provider(hedge).download(service: service, to: target, check: check)
        #expect(try Data(contentsOf: target) == whole)
        guard case .failure? = hedge.end({ $0 }) else {
            Issue.record("The second response was written to the file.")
            return
        }
    }

    /// As many downloads as there are threads for tasks.
    @Test func otherTasksRunDuringChecks() async throws {
        let count = ProcessInfo.processInfo.activeProcessorCount
        let hasRun = Locked(false)
        let arrived = Locked(0)
        let check = ServiceDownloadCheck { _ in
            arrived { $0 += 1 }
            #expect(waitLong(for: arrived) { $0 == count })
            Task.detached { hasRun { $0 = true } }
            #expect(waitLong(for: hasRun) { $0 })
        }
        for _ in 0..<count { server.enqueue(.data(noise(10))) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<count {
                group.addTask { [server, folder] in
                    try await ServiceProvider<TestService>().download(
                        service: server.service().patient, to: folder.file("\(number)"),
                        check: check)
                }
            }
            try await group.waitForAll()
        }
    }
}

/// Waits up to ten minutes: other tests may keep all threads of tasks busy for more than one.
private func waitLong<Value>(for value: Locked<Value>, until isWanted: (Value) -> Bool) -> Bool {
    (0..<10).contains { _ in value.wait(until: isWanted) }
}
