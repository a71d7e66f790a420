// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import CurlTransport
import Foundation
import FoundationNetworking
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

/// Uploads with a stream that waits while the response arrives. The round's number is the seed of everything in
/// it that is random, except for the threads.
@Suite(.serialized, .opensFiles, .timeLimit) struct UploadStormTests {
    @Test(.row("T13"), arguments: 0..<(areSlowTestsOn ? 500 : 60))
    func eachUploadArrivesInOrderAndEndsOnce(_ round: Int) async throws {
        var random = SeededGenerator(state: UInt64(round))
        let plans = (0..<Int.random(in: 1...3, using: &random)).map { _ in
            UploadPlan(using: &random)
        }
        let provider = try provider()
        let running = Locked(plans.map(\.description))
        do {
            try await within(seconds: 60) {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for plan in plans {
                        group.addTask {
                            try await Self.run(plan, provider)
                            running { $0.removeAll { $0 == plan.description } }
                        }
                    }
                    try await group.waitForAll()
                }
            }
        } catch is TookTooLong {
            Issue.record("Still running: \(running { $0 })")
        }
    }

    private static func run(
        _ plan: UploadPlan, _ provider: ServiceProvider<TestService>
    ) async throws {
        let receiver = UploadReceiver(plan)
        let server = try RawServer { receiver.serve($0) }
        defer { server.stop() }
        let call = Locked<Task<ServiceResponse, any Error>?>(nil)
        let stream = StormStream(plan) { call { $0 }?.cancel() }
        let sink = plan.hasSink ? RestlessSink(plan.seed) : nil
        // The stream is used by one thread after the other.
        nonisolated(unsafe) let body = stream
        let service = TestService(
            baseURL: "http://127.0.0.1:\(server.port)", method: .post, timeout: 3_000,
            change: {
                $0.urlRequest.httpBodyStream = body
                $0.bodySink = sink
            })
        call { $0 = Task { try await provider.response(service: service) } }
        Thread.detachNewThread { body.run() }
        let result = await call { $0 }?.result
        stream.stop()
        // Ends the server's handler, so that nothing more arrives.
        server.stop()
        check(try #require(result), of: plan, sink)
        check(receiver.state { $0 }, of: plan, isSuccess: result?.isSuccess == true)
    }

    private static func check(
        _ result: Result<ServiceResponse, any Error>, of plan: UploadPlan, _ sink: RestlessSink?
    ) {
        if let sink {
            let (begins, ends) = sink.state { ($0.begins, $0.ends) }
            #expect(begins <= 1 && ends == begins, "\(begins), \(ends), \(plan)")
        }
        switch result {
        case .success(let response):
            #expect(!plan.isCut && plan.response != .refusal, "\(plan)")
            let data = sink?.state { $0.data } ?? response.data
            #expect(data == plan.body, "\(data.count) bytes, \(plan)")
        case .failure(let error as ServiceError):
            if error.isCancelled, plan.cancelled != nil { return }
            if plan.response == .refusal {
                #expect(error.unacceptableStatus == 413, "\(error), \(plan)")
            } else {
                #expect(plan.isCut, "\(error), \(plan)")
                #expect(error.urlErrorCode == .networkConnectionLost, "\(error), \(plan)")
            }
        case .failure(let error):
            Issue.record("\(error), \(plan)")
        }
    }

    /// No bytes are lost, doubled, or out of order.
    private static func check(
        _ received: UploadReceiver.State, of plan: UploadPlan, isSuccess: Bool
    ) {
        let upload = plan.upload
        #expect(upload.starts(with: received.body), "\(plan)")
        if received.isComplete || isSuccess && !plan.isEarly {
            #expect(received.isComplete && received.body == upload, "\(plan)")
        }
    }
}

/// Pauses the download at random, and resumes it from another thread.
private final class RestlessSink: ServiceBodySink {
    struct State {
        var data = Data()
        var begins = 0
        var ends = 0
        var random: SeededGenerator
        var control: ServiceTransferControl?
    }

    let state: Locked<State>
    var destination: ServiceBodyDestination { .sink }

    init(_ seed: UInt64) { state = Locked(State(random: SeededGenerator(state: seed))) }

    func didSend(_ sent: Int64) {}

    func begin(_ response: ServiceResponse, control: ServiceTransferControl) throws {
        state { state in
            state.begins += 1
            state.control = control
        }
        pauseAtRandom()
    }

    func receive(_ chunk: Data) throws {
        state { $0.data += chunk }
        pauseAtRandom()
    }

    func end(_ error: (any Error)?) { state { $0.ends += 1 } }

    private func pauseAtRandom() {
        let control = state { Int.random(in: 0..<4, using: &$0.random) == 0 ? $0.control : nil }
        guard let control else { return }
        control.setPaused?(true)
        DispatchQueue.global().async { control.setPaused?(false) }
    }
}

extension UploadPlan: CustomStringConvertible {
    var description: String {
        let end = isEnding ? "ends" : "waits for ever"
        let cancelled = cancelled.map { ", cancelled after \($0)" } ?? ""
        return "\(response) of \(size) bytes, \(pieces.count) pieces told \(telling), \(end)"
            + "\(hasSink ? ", a sink" : "")\(cancelled)"
    }
}
#endif
