// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// A stored response, and how a request can use it (RFC 9111, section 4.2; RFC 5861).
nonisolated struct ServiceCacheMatch {
    let stored: ServiceStoredResponse
    /// For how many seconds the response can be used when it's stale.
    let whenever: TimeInterval
    /// The same, if it's revalidated in the background.
    let atFirst: TimeInterval
    /// The same, after an error.
    let afterErrors: TimeInterval
    /// The age at which the response becomes stale.
    private let lifetime: TimeInterval
    /// For how many seconds the response must stay fresh.
    private let spare: TimeInterval
    /// The age at which the server must be asked.
    private let maximumAge: TimeInterval
    /// Whether the response can't be used when it's stale.
    private let isStrict: Bool

    init(_ stored: ServiceStoredResponse, for request: ServiceRequest) {
        self.stored = stored
        let wanted = request.cacheControl
        let given = ServiceCacheControl(stored.headers["cache-control"])
        let isAnyAccepted =
            wanted["max-stale"] == "" || request.cachePolicy == .offline
        let stale = wanted.seconds("max-stale") ?? 0
        whenever = isAnyAccepted ? .infinity : stale
        spare = wanted.seconds("min-fresh", invalid: .infinity) ?? 0
        let background = given.seconds("stale-while-revalidate") ?? 0
        atFirst = spare > 0 ? 0 : background
        let errors = [given, wanted].compactMap { $0.seconds("stale-if-error") }
        afterErrors = errors.max() ?? 0
        lifetime = min(stored.lifetime(given), ServiceCacheControl.longest)
        // A session adds cookies that can't be seen here.
        let hasHiddenCookies =
            stored.varyHeaders["cookie"] == nil
            && ServiceCacheControl(stored.headers["vary"]).contains("cookie")
        let mustAsk =
            hasHiddenCookies || wanted.contains("no-cache") || given.contains("no-cache")
        let oldest = wanted.seconds("max-age") ?? .infinity
        maximumAge = mustAsk ? 0 : oldest
        isStrict = given.contains("must-revalidate")
    }

    /// Returns the response without asking the server; nil if it has been stale for too long.
    func response(
        to request: ServiceRequest, ifStale limit: KeyPath<Self, TimeInterval>, at now: Date
    ) -> ServiceResponse? {
        let longest = ServiceCacheControl.longest
        let seconds = now.timeIntervalSince(stored.created)
        // If the clock has been set back, the age isn't known.
        let age = seconds >= 0 ? min(seconds, longest) : longest
        var end = lifetime - spare
        if !isStrict {
            end += self[keyPath: limit]
        }
        guard age < maximumAge, age < end else { return nil }
        var request = request
        request.cacheOutcome = age < lifetime ? .fresh : .stale
        // RFC 9111, section 5.1.
        let fields = stored.headers.merging(["age": "\(Int64(age))"]) { $1 }
        return ServiceResponse(
            request: request, statusCode: 200, headers: fields, data: stored.data)
    }
}

nonisolated extension ServiceStoredResponse {
    var hasValidator: Bool { headers["etag"] != nil || headers["last-modified"] != nil }

    /// How many seconds the response stays fresh (RFC 9111, section 4.2.1); 0 if no header sets a
    /// time.
    fileprivate func lifetime(_ control: ServiceCacheControl) -> TimeInterval {
        if let seconds = control.seconds("max-age") {
            return seconds
        }
        let expires = headers["expires"].flatMap { Date(httpDate: $0, now: created) }
        let date = headers["date"].flatMap { Date(httpDate: $0, now: created) }
        return expires?.timeIntervalSince(date ?? created) ?? 0
    }

    /// When a response was created or confirmed, by the clock of this machine (RFC 9111, section
    /// 4.2.3).
    ///
    /// - Parameters:
    ///   - fields: The headers of the response, with names in lowercase.
    ///   - sent: When the request was sent.
    ///   - received: When the response arrived.
    static func created(_ fields: [String: String], sent: Date, received: Date) -> Date {
        let date = fields["date"].flatMap { Date(httpDate: $0, now: received) } ?? received
        // If there are several ages, the first one counts. An invalid one doesn't (RFC 9111, section 5.1).
        var ages = ArraySlice(field: fields["age"])
        let given = ServiceCacheControl.seconds(ages.takeText(upTo: ",").utf8) ?? 0
        let age = received.timeIntervalSince(sent) + given
        return received - max(0, received.timeIntervalSince(date), age)
    }
}

nonisolated extension ServiceStoredResponse {
    /// The response that a 304 confirms (RFC 9111, sections 3.2 and 4.3.4); nil if the 304
    /// is about another version, or came for another URL or credential.
    func confirmed(by response: ServiceResponse, for url: String) -> ServiceResponse? {
        var fields = headers
        var new = response.lowercasedHeaders
        var request = response.request
        guard Self.isSameVersion(new["etag"], fields["etag"]), request.cacheKey == url else {
            return nil
        }
        guard request.varyHeaders(in: fields).isIdentical(to: varyHeaders) else {
            return nil
        }
        request.cacheOutcome = .revalidated
        // The age is that of the 304.
        fields["date"] = nil
        // These describe how the stored body was sent.
        for name in ["content-length", "content-encoding", "content-range"] {
            new[name] = nil
        }
        let headers = fields.merging(new) { $1 }
        return ServiceResponse(
            request: request, statusCode: 200, headers: headers, data: data)
    }

    /// Whether the tag of a 304, if it has one, is that of the stored response. Compared without `W/`, because some
    /// servers drop it from a 304.
    private static func isSameVersion(_ new: String?, _ stored: String?) -> Bool {
        guard let new else { return true }
        let tags = [new, stored ?? ""].map { tag in
            guard tag.utf8.starts(with: "W/".utf8) else { return Array(tag.utf8) }
            return Array(tag.utf8.dropFirst(2))
        }
        return tags[0] == tags[1]
    }
}
