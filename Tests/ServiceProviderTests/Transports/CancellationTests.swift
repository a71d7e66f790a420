// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import TestSupport
import Testing

@Suite(.serialized, .opensFiles, .timeLimit) struct CancellationTests {
    let server: LoopbackServer

    init() throws {
        server = try LoopbackServer { request in
            switch request.path {
            case "/never": .never
            case "/stall": .text("0123456789").cut(.stall, afterBodyBytes: 4)
            default: .text("7")
            }
        }
    }

    /// Runs a call in a task that's already cancelled.
    private func inCancelledTask<Value: Sendable>(
        _ call: @escaping @Sendable () async -> Value
    ) async -> Value {
        await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await call()
        }.value
    }

    /// Cancels the transfer as soon as the headers have arrived.
    private final class Canceller: ServiceBodySink {
        var destination: ServiceBodyDestination { .memory }
        func didSend(_ sent: Int64) {}
        func begin(_ response: ServiceResponse, control: ServiceTransferControl) throws {
            control.cancel()
        }
        func receive(_ chunk: Data) throws {}
        func end(_ error: (any Error)?) {}
    }

    /// Even if the whole body arrives before the transfer has stopped.
    @Test(arguments: TransportUnderTest.allCases)
    func aCancelledTransferIsNoSuccess(by transport: TransportUnderTest) async throws {
        let server = try LoopbackServer { _ in .data(Data(count: 3_000_000)) }
        var service = server.service()
        service.change = { $0.bodySink = Canceller() }
        for _ in 0..<20 {
            #expect(await transport.provider().outcome(of: service).isCancelled)
        }
    }

    @Test(arguments: TransportUnderTest.allCases)
    func cancelledTasksSendNothing(by transport: TransportUnderTest) async throws {
        let provider = transport.provider()
        let service = server.service("/early")
        for _ in 0..<50 {
            #expect(await inCancelledTask { await provider.outcome(of: service) }.isCancelled)
        }
        #expect(server.isUntouched)
    }

    @Test(arguments: TransportUnderTest.allCases)
    func transportsSendNothingInCancelledTasks(by kind: TransportUnderTest) async throws {
        let transport = kind.make()
        let request = try kind.provider().request(service: server.service("/early"))
        for _ in 0..<50 {
            let error = await inCancelledTask { () -> (any Error)? in
                do {
                    _ = try await transport.send(request)
                    return nil
                } catch {
                    return error
                }
            }
            #expect(error is CancellationError || (error as? URLError)?.code == .cancelled)
        }
        #expect(server.isUntouched)
    }

    @Test(arguments: TransportUnderTest.allCases)
    func cancellingACallInFlightEndsIt(_ transport: TransportUnderTest) async throws {
        let provider = transport.provider()
        let service = server.service("/never").patient
        let task = Task { await provider.outcome(of: service) }
        _ = try await server.arrival()
        task.cancel()
        let outcome = try await within(seconds: 300) { await task.value }
        #expect(outcome.isCancelled)
        #expect(await provider.outcome(of: server.service("/next")).isSuccess)
    }

    @Test(arguments: TransportUnderTest.allCases, ["/never", "/stall"])
    func cancellingATaskInFlightEndsItsHandler(_ transport: TransportUnderTest, path: String)
        async throws
    {
        let provider = transport.provider()
        let service = server.service(path).patient
        let server = server
        let result = try await within(seconds: 300) {
            await withCheckedContinuation { continuation in
                let call = provider.load(service: service) { continuation.resume(returning: $0) }
                Task {
                    _ = try await server.arrival()
                    call.cancel()
                    call.cancel()
                }
            }
        }
        #expect(result.isCancelled)
    }

    /// Cancels in the smallest window: the value is decoded, and only the hop to the main actor is
    /// left, which is busy here.
    @MainActor @Test(arguments: TransportUnderTest.allCases)
    func cancellingAfterDecodingStillCancels(_ transport: TransportUnderTest) async throws {
        let decoder = SignallingDecoder()
        let provider = ServiceProvider<TestService>(transport: transport.make(), decoder: decoder)
        for _ in 0..<20 {
            let result: ServiceResult<Int> = await withCheckedContinuation { continuation in
                let call = provider.load(service: server.service(), decodeType: Int.self) {
                    continuation.resume(returning: $0)
                }
                #expect(decoder.decoded.wait(timeout: .now() + 300) == .success)
                call.cancel()
            }
            #expect(result.isCancelled)
        }
    }
}

/// Signals when it has decoded a value.
private struct SignallingDecoder: ServiceDecoder {
    let decoded = DispatchSemaphore(value: 0)

    func decode<U: Decodable>(_ type: U.Type, from data: Data) throws -> U {
        defer { decoded.signal() }
        return try JSONDecoder().decode(type, from: data)
    }
}
