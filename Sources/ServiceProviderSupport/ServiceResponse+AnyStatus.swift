// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

nonisolated extension ServiceResponse {
    /// Every status code but those of redirects, for `Service.validStatusCodes`: any response is a success.
    ///
    /// Redirects are still followed, `ServiceRetry` still retries, and `ServiceAuthenticator` still refreshes
    /// its token. (Any other set that contains 503 or 401 makes them a success without a retry or a
    /// refresh.)
    public static let anyStatusCode: Set<Int> = {
        var codes: Set<Int> = []
        for code in 100...599 where ![301, 302, 303, 307, 308].contains(code) {
            codes.insert(code)
        }
        return codes
    }()

    /// Whether the service lists this status as success. With ``anyStatusCode``, only 200 to 299 are expected.
    public var isExpected: Bool {
        let valid = request.validStatusCodes
        return valid.contains(statusCode)
            && ((200..<300).contains(statusCode) || valid != Self.anyStatusCode)
    }
}
