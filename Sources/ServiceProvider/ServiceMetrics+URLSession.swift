// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// URLSession's measurements of one request that it sent. A call can have several: URLSession sends a request again
/// after a challenge, or if a connection is lost.
package nonisolated struct ServiceTransactionTimes {
    package typealias Step = (start: Date?, end: Date?)

    package var nameLookup: Step = (nil, nil)
    /// With TLS.
    package var connect: Step = (nil, nil)
    package var secureConnect: Step = (nil, nil)
    package var responseStart: Date?
    package var sentBytes: Int64 = 0
    package var receivedBytes: Int64 = 0
    package var protocolName: String?
    package var isReusedConnection = false
    package var remoteAddress: String?
    package var localPort: Int?

    package init() {}
}

nonisolated extension ServiceMetrics {
    /// The metrics of a task. Its bytes are those of all transactions; the rest belongs to the last one.
    package init(of interval: DateInterval, _ transactions: [ServiceTransactionTimes]) {
        self.init()
        start = interval.start
        total = interval.duration
        guard let last = transactions.last else { return }
        nameLookup = Self.seconds(of: last.nameLookup)
        let connected = last.secureConnect.start ?? last.connect.end
        connect = Self.seconds(of: (last.connect.start, connected))
        secureConnect = Self.seconds(of: last.secureConnect)
        firstByte = Self.seconds(of: (start, last.responseStart))
        sentBytes = transactions.map(\.sentBytes).reduce(0, +)
        receivedBytes = transactions.map(\.receivedBytes).reduce(0, +)
        protocolName = last.protocolName
        // Without a protocol, the response comes from a cache, or there was no connection.
        isReusedConnection = last.protocolName == nil ? nil : last.isReusedConnection
        remoteAddress = last.remoteAddress
        localPort = last.localPort
    }

    /// Nil for a step that wasn't completed. Never below 0, even if the date was set back.
    private static func seconds(of step: ServiceTransactionTimes.Step) -> TimeInterval? {
        guard let start = step.start, let end = step.end else { return nil }
        return max(end.timeIntervalSince(start), 0)
    }
}

#if !canImport(FoundationNetworking)
nonisolated extension ServiceMetrics {
    init(_ metrics: URLSessionTaskMetrics) {
        let transactions = metrics.transactionMetrics.map(ServiceTransactionTimes.init)
        self.init(of: metrics.taskInterval, transactions)
        taskMetrics = metrics
    }
}

nonisolated extension ServiceTransactionTimes {
    fileprivate init(_ metrics: URLSessionTaskTransactionMetrics) {
        nameLookup = (metrics.domainLookupStartDate, metrics.domainLookupEndDate)
        connect = (metrics.connectStartDate, metrics.connectEndDate)
        secureConnect = (metrics.secureConnectionStartDate, metrics.secureConnectionEndDate)
        responseStart = metrics.responseStartDate
        sentBytes = metrics.countOfRequestHeaderBytesSent + metrics.countOfRequestBodyBytesSent
        receivedBytes =
            metrics.countOfResponseHeaderBytesReceived + metrics.countOfResponseBodyBytesReceived
        protocolName = metrics.networkProtocolName
        isReusedConnection = metrics.isReusedConnection
        remoteAddress = metrics.remoteAddress
        localPort = metrics.localPort
    }
}
#endif
