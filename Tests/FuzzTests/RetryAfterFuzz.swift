// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

/// A retry waits as long as a valid `Retry-After` requests, up to a limit. A malformed one never
/// causes a wait beyond the limit.
@Suite(.slow, .serialized, .opensFiles, .timeLimit) struct RetryAfterFuzz {
    private static let now = Date(timeIntervalSince1970: 1_763_712_000)
    private static let limit: TimeInterval = 100_000

    @Test func randomRetryAfterHeadersAreRead() async throws {
        try await Fuzz.run("RetryAfterFuzz", count: 800) { _, random in
            let seconds = random.number(2 * Int(Self.limit))
            let (text, wait): (String, TimeInterval?)
            switch random.number(3) {
            case 0:
                (text, wait) = (
                    String(repeating: "0", count: random.number(3)) + "\(seconds)",
                    TimeInterval(seconds)
                )
            case 1: (text, wait) = (Self.date(seconds, &random), TimeInterval(seconds))
            default: (text, wait) = (Self.hostile(seconds, &random), nil)
            }
            let slept = try await Self.wait(text)
            if let wait {
                try require(
                    // If the requested wait is above the limit, there's no retry.
                    slept == (wait > Self.limit ? 0 : wait), "waited \(slept), expected \(wait)",
                    text.debugDescription)
            } else {
                try require(
                    (0...Self.limit).contains(slept), "waited \(slept)", text.debugDescription)
            }
        }
    }

    /// Returns how long a call waits after a 503.
    private static func wait(_ text: String) async throws -> TimeInterval {
        let (sleeps, recorder) = AsyncStream.makeStream(of: TimeInterval.self)
        var retry = ServiceRetry()
        (retry.attempts, retry.maximumDelay, retry.totalTime) = (2, limit, .infinity)
        retry.clock.now = { now }
        retry.clock.sleep = { recorder.yield($0) }
        retry.random = { $0.lowerBound }
        let transport = FuzzStub(status: 503, headers: ["Retry-After": text])
        let provider = ServiceProvider<TestService>(transport: transport, interceptors: [retry])
        _ = try? await provider.load(service: TestService())
        recorder.finish()
        return await sleeps.reduce(0, +)
    }

    /// Formats a date in one of the three formats of RFC 9110, section 5.6.7.
    private static func date(_ seconds: Int, _ random: inout SeededGenerator) -> String {
        let date = FuzzDate(now.timeIntervalSince1970 + Double(seconds))
        let days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
        let months = [
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
        ]
        let (day, month) = (days[date.weekday], months[date.month - 1])
        let (number, year) = (FuzzDate.padded(date.day), String(date.year))
        switch random.number(3) {
        case 0: return "\(day.prefix(3)), \(number) \(month) \(year) \(date.time) GMT"
        case 1: return "\(day), \(number)-\(month)-\(year.suffix(2)) \(date.time) GMT"
        default:
            let padded = date.day < 10 ? " \(date.day)" : "\(date.day)"
            return "\(day.prefix(3)) \(month) \(padded) \(date.time) \(year)"
        }
    }

    private static func hostile(_ seconds: Int, _ random: inout SeededGenerator) -> String {
        guard random.oneIn(2) else { return random.text() }
        var scalars = Array(date(seconds, &random).unicodeScalars)
        let place = random.number(scalars.count)
        scalars.replaceSubrange(
            place..<min(place + random.number(3), scalars.count), with: random.text().unicodeScalars
        )
        return String(String.UnicodeScalarView(scalars))
    }
}
