// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import TestTraits
import Testing

/// Cancelled calls end once, and nothing crashes.
@Suite(.serialized, .opensFiles, .timeLimit) struct CallCancellationTests {
    private func isCancelled(_ error: any Error) -> Bool {
        guard case .cancelled? = error as? ServiceError else { return false }
        return true
    }

    @Test func asyncCallsAreCancelled() async throws {
        let server = try LoopbackServer(responses: [.never])
        let endpoint = Endpoint(baseURL: server.baseURL)
        let call = Task { try await ServiceProvider<Endpoint>().load(service: endpoint) }
        _ = server.nextRequest()
        call.cancel()
        let error = await #expect(throws: ServiceError.self) { try await call.value }
        #expect(isCancelled(try #require(error)))
    }

    @Test func handlersOfCancelledCallsRun() async throws {
        let server = try LoopbackServer(responses: [.never])
        let endpoint = Endpoint(baseURL: server.baseURL)
        let isCancelled = await withCheckedContinuation { continuation in
            let call = ServiceProvider<Endpoint>().load(service: endpoint) { result in
                if case .failure(.cancelled) = result {
                    continuation.resume(returning: true)
                } else {
                    continuation.resume(returning: false)
                }
            }
            _ = server.nextRequest()
            call.cancel()
        }
        #expect(isCancelled)
    }

    @Test func aCallOfACancelledTaskIsCancelled() async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let endpoint = Endpoint(baseURL: server.baseURL)
        for _ in 0..<100 {
            let call = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await ServiceProvider<Endpoint>().load(service: endpoint)
            }
            let error = await #expect(throws: ServiceError.self) { try await call.value }
            #expect(isCancelled(try #require(error)))
        }
        #expect(server.requests.isEmpty)
    }

    @Test func noInterceptorSeesACancelledCall() async {
        struct Noticing: ServiceInterceptor {
            func intercept(
                _ request: ServiceRequest, next: @escaping ServiceNext
            ) async throws -> ServiceResponse {
                Issue.record("It saw the call.")
                return try await next(request)
            }
        }
        let call = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            let provider = ServiceProvider<Endpoint>(interceptors: [Noticing()])
            return try await provider.load(service: Endpoint())
        }
        await #expect(throws: ServiceError.self) { try await call.value }
    }

    @Test func aCallIsCancelledEvenIfAnInterceptorIgnoresIt() async throws {
        struct Ignoring: ServiceInterceptor {
            func intercept(
                _ request: ServiceRequest, next: @escaping ServiceNext
            ) async throws -> ServiceResponse {
                withUnsafeCurrentTask { $0?.cancel() }
                return ServiceResponse(request: request, statusCode: 200)
            }
        }
        let provider = ServiceProvider<Endpoint>(interceptors: [Ignoring()])
        let call = Task { try await provider.load(service: Endpoint()) }
        let error = await #expect(throws: ServiceError.self) { try await call.value }
        #expect(isCancelled(try #require(error)))
    }

    /// 3,600 calls. A third of them are redirected.
    @Test(.opensFiles(64), .row("P10", "U1", "U17")) func callsAreCancelledAtAnyMoment()
        async throws
    {
        let server = try LoopbackServer { request in
            switch request.path {
            case "/redirect": .redirect(to: "/")
            case "/never": .never
            default: .text("ok")
            }
        }
        let ends = Locked([Int](repeating: 0, count: 3_600))
        let wrong = Locked([String]())
        let provider = ServiceProvider<Endpoint>()
        for round in 0..<60 {
            await withTaskGroup(of: Void.self) { group in
                for index in 0..<60 {
                    let path = ["/", "/redirect", "/never"][index % 3]
                    let endpoint = Endpoint(baseURL: server.baseURL, path: path)
                    group.addTask {
                        let (stream, end) = AsyncStream<Void>.makeStream()
                        let call = provider.load(service: endpoint) { result in
                            ends { $0[round * 60 + index] += 1 }
                            if case .failure(let error) = result, error.statusCode != nil {
                                wrong { $0.append("\(error)") }
                            }
                            end.finish()
                        }
                        let moment = UInt64.random(in: 0..<8_000_000)
                        try? await Task.sleep(nanoseconds: moment)
                        call.cancel()
                        for await _ in stream {}
                    }
                }
            }
        }
        #expect(ends { $0.allSatisfy { $0 == 1 } })
        #expect(wrong { $0 }.isEmpty)
    }
}
