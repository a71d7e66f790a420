// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Alamofire
import Foundation
import LoopbackServer
import Moya
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Where and when handlers run, and how calls are cancelled.
@Suite(.serialized, .opensFiles, .timeLimit) struct MoyaQueueTests {
    // MARK: - Queues

    @Test(arguments: wires)
    func theMainQueueCanWaitForAnotherQueue(wire: TransportUnderTest) async throws {
        let server = try LoopbackServer { _ in .data(noise(300_000)) }
        try await server.serve { () async throws in
            let providers = [
                MoyaProvider<Bookshop>(transport: wire.make()),
                MoyaProvider<Bookshop>(stubClosure: MoyaProvider.immediatelyStub),
                MoyaProvider<Bookshop>(stubClosure: MoyaProvider.delayedStub(0.01)),
            ]
            for provider in providers {
                let states = Locked<[Bool]>([])
                let isDone = await MainActor.run {
                    let semaphore = DispatchSemaphore(value: 0)
                    provider.request(
                        .home, callbackQueue: DispatchQueue(label: "handlers"),
                        progress: { state in states { $0.append(state.completed) } },
                        completion: { _ in semaphore.signal() })
                    return semaphore.wait(timeout: .now() + 20) == .success
                }
                #expect(isDone)
                // As in Moya, a stub has no progress.
                let isStub = provider !== providers[0]
                #expect(states { $0.last } == (isStub ? nil : true))
                #expect(states { $0.count(where: \.self) } == (isStub ? 0 : 1))
            }
        }
    }

    /// A target may read an app's state, which belongs to the main actor.
    @MainActor @Test(arguments: wires)
    func aTargetIsReadInTheCallersIsolation(wire: TransportUnderTest) async throws {
        let server = try LoopbackServer { _ in .text("body") }
        try await server.serve { () async throws in
            for stub in [
                MoyaProvider<Watched>.neverStub, MoyaProvider.immediatelyStub,
                MoyaProvider.delayedStub(0.01),
            ] {
                let target = Watched()
                let provider = MoyaProvider<Watched>(stubClosure: stub, transport: wire.make())
                let result: Result<Response, MoyaError> = await withCheckedContinuation { next in
                    provider.request(target, callbackQueue: DispatchQueue(label: "handlers")) {
                        next.resume(returning: $0)
                    }
                }
                // The status isn't valid, so it's compared with the target's after the response too.
                #expect(throws: MoyaError.self) { try result.get() }
                await #expect(throws: MoyaError.self) { try await provider.request(target) }
                let readers = target.readers { $0 }
                #expect(Set(readers.keys).isSuperset(of: ["baseURL", "task", "validationType"]))
                #expect(readers.filter { $0.value != [true] } == [:])
            }
        }
    }

    /// The responses are waiting for the queue when the calls are cancelled.
    @Test(arguments: wires)
    func aCallThatIsCancelledBeforeItsHandlerGetsAnError(wire: TransportUnderTest) async throws {
        let server = try LoopbackServer { _ in .text("late") }
        try await server.serve { () async throws in
            let providers = [
                MoyaProvider<Bookshop>(transport: wire.make()),
                MoyaProvider<Bookshop>(stubClosure: MoyaProvider.immediatelyStub),
                MoyaProvider<Bookshop>(stubClosure: MoyaProvider.delayedStub(0.001)),
            ]
            for provider in providers {
                let queue = DispatchQueue(label: "handlers")
                queue.suspend()
                let errors = Locked<[(any Error)?]>([])
                let calls = (0..<20).map { _ in
                    provider.request(.home, callbackQueue: queue) { result in
                        guard case .failure(.underlying(let error, nil)) = result else {
                            return errors { $0.append(nil) }
                        }
                        errors { $0.append(error) }
                    }
                }
                if provider === providers[0] {
                    while server.requests.count < 20 { await _Concurrency.Task.yield() }
                }
                for call in calls { call.cancel() }
                queue.resume()
                while errors({ $0.count }) < 20 {
                    try await _Concurrency.Task.sleep(for: .milliseconds(1))
                }
                // As in Moya, a stub has another error.
                let isStub = provider !== providers[0]
                let isExpected: ((any Error)?) -> Bool = { error in
                    isStub
                        ? (error as? URLError)?.code == .cancelled
                        : error?.asAFError?.isExplicitlyCancelledError == true
                }
                #expect(errors { $0.allSatisfy(isExpected) })
            }
        }
    }

    // MARK: - Cancel, progress, deduplication

    @Test(arguments: wires)
    func cancelledCallsGetAnError(wire: TransportUnderTest) async throws {
        let server = try LoopbackServer { _ in .never }
        try await server.serve { () async throws in
            let provider = MoyaProvider<Bookshop>(transport: wire.make())
            let result: Result<Response, MoyaError> = await withCheckedContinuation { next in
                let call = provider.request(.home) { next.resume(returning: $0) }
                #expect(!call.isCancelled)
                call.cancel()
                call.cancel()
                #expect(call.isCancelled)
            }
            guard case .failure(.underlying(let error, nil)) = result else {
                Issue.record("\(result)")
                return
            }
            #expect(error.asAFError?.isExplicitlyCancelledError == true)
        }
    }

    @Test(arguments: wires)
    func progressEndsWithTheResponse(wire: TransportUnderTest) async throws {
        let server = try LoopbackServer { _ in .data(noise(300_000)) }
        try await server.serve { () async throws in
            let provider = MoyaProvider<Bookshop>(transport: wire.make())
            let states: [ProgressResponse] = await withCheckedContinuation { continuation in
                var states: [ProgressResponse] = []
                provider.request(
                    .home, progress: { states.append($0) },
                    completion: { _ in continuation.resume(returning: states) })
            }
            #expect(states.last?.completed == true)
            #expect(states.last?.progress == 1)
            #expect(states.last?.response?.data.count == 300_000)
            let object = states.dropLast().last?.progressObject
            #expect(object?.completedUnitCount == 300_000)
            #expect(object?.totalUnitCount == 300_000)
            #expect(states.dropLast().allSatisfy { !$0.completed })
        }
    }
}

/// A target that records on which queue its members are read.
private struct Watched: TargetType {
    /// For each member that was read: whether it was read on the main queue.
    let readers = Locked<[String: Set<Bool>]>([:])

    private func read<Value>(_ value: Value, _ name: String = #function) -> Value {
        let isMain = DispatchQueue.getSpecific(key: isMainKey) ?? false
        readers { _ = $0[name, default: []].insert(isMain) }
        return value
    }

    var baseURL: URL { read(Server.url) }
    var path: String { read("/watched") }
    var method: Moya.Method { read(.get) }
    var sampleData: Data { read(Data()) }
    var task: Moya.Task { read(.requestPlain) }
    var validationType: ValidationType { read(.customCodes([418])) }
    var headers: [String: String]? { read(nil) }
}
