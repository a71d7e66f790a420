// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

nonisolated extension ServiceRequest {
    private enum Attempt: ServiceRequestOption {
        static var defaultValue: Int { 1 }
    }

    /// Which attempt of a ``ServiceRetry`` this is: 1 for the first. Default: 1.
    ///
    /// The retry sets it for the interceptors inside it. After the call, `response.request.attempt` is the number of
    /// attempts that were needed. Redirects and the replay of a ``ServiceAuthenticator`` don't count, and neither do
    /// connections of an event stream.
    public var attempt: Int {
        get { self[Attempt.self] }
        set { self[Attempt.self] = newValue }
    }
}
