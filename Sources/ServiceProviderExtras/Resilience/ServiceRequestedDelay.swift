// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// How long a server asks to wait, in the header fields of a response.
nonisolated struct ServiceRequestedDelay {
    let response: ServiceResponse
    /// The date of the response. Times in it are compared with the clock of this machine.
    let now: Date

    /// In seconds; nil if the response doesn't say. A time in the past gives a negative number.
    var seconds: TimeInterval? {
        response.header("Retry-After").flatMap(retryAfter) ?? rateLimit ?? resetTime ?? resetPeriod
    }

    /// A number or a date (RFC 9110, section 10.2.3). A number with decimals, which some servers send, is rounded up.
    private func retryAfter(_ text: String) -> TimeInterval? {
        if Self.isNumber(text) {
            return TimeInterval(text)?.rounded(.up)
        }
        return Date(httpDate: text, now: now)?.timeIntervalSince(now)
    }

    /// `RateLimit: "default";r=0;t=30` or `RateLimit: limit=100, remaining=0, reset=30`, as in the newer and in the older
    /// drafts of the IETF (draft-ietf-httpapi-ratelimit-headers).
    private var rateLimit: TimeInterval? {
        let field = response.header("RateLimit")
        var members: [String: String] = [:]
        var waits: [TimeInterval] = []
        for element in ArraySlice(field: field).elements().elements where element.count < 256 {
            var element = element
            let name = element.takeText(upTo: ";=")
            if element.take("=") {
                members[name] = element.takeText(upTo: ";")
                continue
            }
            let parameters = element.takeParameters()
            let wait = parameters["t"].flatMap(Self.duration)
            if let wait, isUsedUp(remaining: parameters["r"]) {
                waits.append(wait)
            }
        }
        let wait = members["reset"].flatMap(Self.duration)
        if let wait, isUsedUp(remaining: members["remaining"]) {
            waits.append(wait)
        }
        return waits.max()
    }

    /// `RateLimit-Reset`, `X-RateLimit-Reset` and `X-RateLimit-Reset-After`. The last one counts first, because it doesn't
    /// depend on a clock.
    private var resetTime: TimeInterval? {
        for prefix in ["X-RateLimit", "RateLimit"] {
            let remaining = response.header("\(prefix)-Remaining")
            let after = response.header("\(prefix)-Reset-After").flatMap(Self.duration)
            let reset = response.header("\(prefix)-Reset").flatMap(durationOrTime)
            if let wait = after ?? reset, isUsedUp(remaining: remaining) {
                return wait
            }
        }
        return nil
    }

    /// `x-ratelimit-reset-requests: 6m0s`, as OpenAI writes it.
    private var resetPeriod: TimeInterval? {
        let waits = ["requests", "tokens"].compactMap { unit -> TimeInterval? in
            let remaining = response.header("x-ratelimit-remaining-\(unit)")
            guard isUsedUp(remaining: remaining) else { return nil }
            return response.header("x-ratelimit-reset-\(unit)").flatMap(Self.duration)
        }
        return waits.max()
    }

    /// Servers send these fields with each response, so they count only if a limit is reached.
    private func isUsedUp(remaining: String?) -> Bool {
        guard let remaining else { return response.statusCode == 429 }
        return Self.isNumber(remaining) && TimeInterval(remaining) == 0
    }

    /// A duration, or a time: in seconds or milliseconds since 1970, or as a date.
    private func durationOrTime(_ text: String) -> TimeInterval? {
        guard Self.isNumber(text), let number = TimeInterval(text) else {
            let date = Date(httpDate: text, now: now)
            return date?.timeIntervalSince(now) ?? Self.duration(text)
        }
        // 10 years: no limit lasts as long, and no clock is set to 1980.
        let isTime = number > 315_360_000
        let isInMilliseconds = number > 100_000_000_000
        guard isTime else { return number }
        return (isInMilliseconds ? number / 1000 : number) - now.timeIntervalSince1970
    }

    /// A number of seconds, or a text such as `6m0s`, `1h2m3.5s` and `20ms`.
    private static func duration(_ text: String) -> TimeInterval? {
        guard !text.isEmpty, text.utf8.count <= 32 else { return nil }
        var rest = ArraySlice(field: text)
        var total: TimeInterval = 0
        while !rest.isEmpty {
            let digits = rest.prefix(while: isDigit)
            guard let number = TimeInterval(String(decoding: digits, as: UTF8.self)) else {
                return nil
            }
            rest = rest.dropFirst(digits.count)
            let unit = rest.prefix { !isDigit($0) }
            rest = rest.dropFirst(unit.count)
            guard let seconds = units[String(decoding: unit, as: UTF8.self)] else { return nil }
            total += number * seconds
        }
        return total
    }

    private static let units: [String: TimeInterval] = [
        "": 1, "ms": 0.001, "s": 1, "m": 60, "h": 3_600, "d": 86_400,
    ]

    private static func isNumber(_ text: String) -> Bool { text.utf8.allSatisfy(isDigit) }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || byte == UInt8(ascii: ".")
    }
}
