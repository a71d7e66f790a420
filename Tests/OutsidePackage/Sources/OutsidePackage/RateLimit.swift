// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider

/// How many requests the server still accepts.
struct RateLimit: Equatable {
    let remaining: Int
    let limit: Int
}

extension ServiceResponse {
    /// The rate limit in the headers. Nil if the server doesn't send one.
    var rateLimit: RateLimit? {
        guard let remaining = header("X-RateLimit-Remaining").flatMap({ Int($0) }),
            let limit = header("X-RateLimit-Limit").flatMap({ Int($0) })
        else { return nil }
        return RateLimit(remaining: remaining, limit: limit)
    }
}

extension ServiceError {
    /// The rate limit in the headers of the response that failed.
    var rateLimit: RateLimit? { response?.rateLimit }
}
