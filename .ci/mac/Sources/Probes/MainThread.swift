// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider

extension Probe {
    /// Whether decoding a large body on behalf of the main actor blocks the main queue.
    static let mainThread = Probe(name: "main-thread", limit: 180) { _ in
        "A body is decoded off the caller's actor if its type allows it."
    } run: { setting in
        let item = #"{"id":7,"name":"Spider-Man","tags":["friendly","neighborhood"]}"#
        let size = setting.isQuick ? 4 << 20 : 20 << 20
        let items = size / (item.utf8.count + 1)
        let json = "[" + repeatElement(item, count: items).joined(separator: ",") + "]"
        let server = try LoopbackServer { _ in .json(json) }
        let endpoint = Endpoint(baseURL: server.baseURL, path: "/heroes")
        let provider = try setting.provider()
        let (gap, count) = try await Heartbeat.longestGap {
            try await provider.load(service: endpoint, decodeType: [Hero].self).count
        }
        // A type of the main actor, which can only be decoded there. It shows that a blocked queue is noticed.
        let (blocked, _) = try await Heartbeat.longestGap {
            try await provider.load(service: endpoint, decodeType: [MainHero].self).count
        }
        return .seen(
            "while \(megabytes(json.utf8.count)) of JSON were decoded, the longest gap of the main "
                + "queue was \(seconds(gap)); \(seconds(blocked)) with a type of the main actor",
            asDocumented: count == items && gap * 2 < blocked)
    }
}

private struct Hero: Decodable, Sendable {
    let id: Int
    let name: String
    let tags: [String]
}

@MainActor private struct MainHero: @MainActor Decodable {
    let id: Int
    let name: String
    let tags: [String]
}

/// A timer of the main queue.
@MainActor private final class Heartbeat {
    private let timer = DispatchSource.makeTimerSource(queue: .main)
    private var last = uptime
    private var longest: TimeInterval = 0

    /// The longest time for which the main queue ran nothing during some work, and the work's result.
    static func longestGap<Value: Sendable>(
        during work: @MainActor () async throws -> Value
    ) async throws -> (TimeInterval, Value) {
        let heartbeat = Heartbeat()
        heartbeat.timer.setEventHandler { MainActor.assumeIsolated { heartbeat.beat() } }
        heartbeat.timer.schedule(deadline: .now(), repeating: .milliseconds(2))
        heartbeat.timer.activate()
        defer { heartbeat.timer.cancel() }
        let value = try await work()
        heartbeat.beat()
        return (heartbeat.longest, value)
    }

    private func beat() {
        longest = max(longest, uptime - last)
        last = uptime
    }
}
