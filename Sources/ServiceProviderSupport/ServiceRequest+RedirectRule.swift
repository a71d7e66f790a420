// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

nonisolated extension ServiceRequest {
    /// Adds a rule for redirects to a handler that is set already.
    ///
    /// - Parameter rule: Gets the request that the earlier handler has returned. It isn't called if that handler has
    ///   stopped.
    package mutating func addRedirectRule(_ rule: @escaping RedirectHandler) {
        self[Redirects.self].hasHandler = true
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
