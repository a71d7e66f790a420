// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import TestSupport
import Testing

/// The metrics of URLSession on Apple platforms.
@Suite(.serialized, .opensFiles, .timeLimit) struct TaskMetricsTests {
    private static let start = Date(timeIntervalSinceReferenceDate: 1_000)

    private static func at(_ seconds: TimeInterval) -> Date { start + seconds }

    private static var transaction: ServiceTransactionTimes {
        var times = ServiceTransactionTimes()
        times.nameLookup = (at(1), at(1.5))
        times.connect = (at(1.5), at(4))
        times.secureConnect = (at(2), at(4))
        times.responseStart = at(6)
        times.sentBytes = 10
        times.receivedBytes = 20
        times.protocolName = "h2"
        times.remoteAddress = "192.0.2.7"
        times.localPort = 4_000
        return times
    }

    private static func metrics(_ transactions: ServiceTransactionTimes...) -> ServiceMetrics {
        ServiceMetrics(of: DateInterval(start: start, duration: 9), transactions)
    }

    @Test(.row("C28")) func eachStepHasItsTime() {
        let metrics = Self.metrics(Self.transaction)
        #expect(metrics.start == Self.start && metrics.total == 9)
        #expect(metrics.nameLookup == 0.5)
        // Without TLS.
        #expect(metrics.connect == 0.5 && metrics.secureConnect == 2)
        #expect(metrics.firstByte == 6)
        #expect(metrics.sentBytes == 10 && metrics.receivedBytes == 20)
        #expect(metrics.protocolName == "h2" && metrics.remoteAddress == "192.0.2.7")
        #expect(metrics.localPort == 4_000 && metrics.isReusedConnection == false)
        #expect(metrics.taskMetrics == nil)
    }

    @Test func aConnectionWithoutTLSHasNoTimeForIt() {
        var times = Self.transaction
        times.secureConnect = (nil, nil)
        #expect(Self.metrics(times).connect == 2.5)
        #expect(Self.metrics(times).secureConnect == nil)
    }

    @Test func aStepThatWasNotCompletedHasNoTime() {
        var times = Self.transaction
        times.secureConnect.end = nil
        times.responseStart = nil
        let metrics = Self.metrics(times)
        #expect(metrics.connect == 0.5 && metrics.secureConnect == nil && metrics.firstByte == nil)
        times.connect = (Self.at(1), nil)
        times.secureConnect = (nil, nil)
        times.nameLookup.end = nil
        #expect(Self.metrics(times).connect == nil && Self.metrics(times).nameLookup == nil)
    }

    @Test func allTransactionsCountTheirBytesAndTheLastOneHasTheTimes() {
        var reused = ServiceTransactionTimes()
        reused.isReusedConnection = true
        reused.protocolName = "http/1.1"
        reused.sentBytes = 1
        reused.receivedBytes = 2
        reused.responseStart = Self.at(8)
        let metrics = Self.metrics(Self.transaction, reused)
        #expect(metrics.sentBytes == 11 && metrics.receivedBytes == 22)
        #expect(metrics.isReusedConnection == true && metrics.protocolName == "http/1.1")
        #expect(metrics.nameLookup == nil && metrics.connect == nil)
        #expect(metrics.firstByte == 8)
    }

    @Test func aResponseFromACacheAndATaskWithoutRequestsKnowLittle() {
        let cached = Self.metrics(ServiceTransactionTimes())
        #expect(cached.isReusedConnection == nil && cached.firstByte == nil && cached.total == 9)
        #expect(Self.metrics().total == 9 && Self.metrics().sentBytes == 0)
    }

    @Test func aDateThatIsSetBackGivesNoNegativeTime() {
        var times = Self.transaction
        times.nameLookup.end = Self.at(-5)
        times.responseStart = Self.at(-5)
        #expect(Self.metrics(times).nameLookup == 0 && Self.metrics(times).firstByte == 0)
    }

    #if !canImport(FoundationNetworking)
    @Test(arguments: TransportUnderTest.allCases)
    func aResponseHasTheMetricsOfItsTask(_ transport: TransportUnderTest) async throws {
        let server = try LoopbackServer(responses: [.redirect(to: "/b"), .text("there")])
        let response = try await transport.provider().response(service: server.service())
        #expect(response.metrics.count == 2)
        let metrics = try #require(response.metrics.last)
        let task = try #require(metrics.taskMetrics)
        #expect(task.transactionMetrics.last?.request.url?.path == "/b")
        #expect(metrics.protocolName == "http/1.1" && metrics.remoteAddress == "127.0.0.1")
        #expect(!"\(metrics)".contains("127.0.0.1:\(server.port)"))
    }

    @Test func aCallersSessionGetsItsMetricsToo() async throws {
        final class Collector: NSObject, URLSessionTaskDelegate {
            let count = Locked(0)
            func urlSession(
                _ session: URLSession, task: URLSessionTask,
                didFinishCollecting metrics: URLSessionTaskMetrics
            ) {
                count { $0 += 1 }
            }
        }
        let collector = Collector()
        let session = URLSession(
            configuration: .ephemeral, delegate: collector, delegateQueue: nil)
        defer { session.finishTasksAndInvalidate() }
        let provider = ServiceProvider<TestService>(
            transport: URLSessionTransport(session: session))
        let server = try LoopbackServer(responses: [.text("there")])
        _ = try await provider.load(service: server.service())
        #expect(collector.count { $0 } == 1)
    }
    #endif
}
