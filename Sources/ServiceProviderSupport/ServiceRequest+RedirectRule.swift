// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

nonisolated extension ServiceRequest {
    /// Calls a handler after one that is set already, with the request that it has returned.
    mutating func addRedirectHandler(_ rule: @escaping RedirectHandler) {
        let decide = onRedirect
        onRedirect = { next, redirect, count in
            var decided: ServiceRequest? = next
            if let decide {
                decided = try decide(next, redirect, count)
            }
            guard let decided else { return nil }
            return try rule(decided, redirect, count)
        }
    }
}
