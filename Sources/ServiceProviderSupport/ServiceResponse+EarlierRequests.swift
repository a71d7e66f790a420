// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

nonisolated extension ServiceRequest {
    /// The redirects that `noteRedirects()` notes.
    struct Redirects: ServiceRequestOption {
        static var defaultValue: Redirects { Redirects() }

        var areNoted = false
        /// Whether there is another handler for redirects.
        var hasHandler = false
        /// The requests that were redirected, in the order they were sent.
        var requests: [ServiceRequest] = []
    }

    /// Whether a handler of the app may change or refuse redirects. One that only notes them doesn't count.
    package var decidesAboutRedirects: Bool {
        let redirects = self[Redirects.self]
        return redirects.areNoted ? redirects.hasHandler : onRedirect != nil
    }

    /// Notes the requests that are redirected to this one, for `earlierRequests`.
    package mutating func noteRedirects() {
        // A caller may send the request of a response again.
        self[Redirects.self].requests = []
        guard !self[Redirects.self].areNoted else { return }
        let hasHandler = decidesAboutRedirects
        self[Redirects.self].areNoted = true
        addRedirectRule { next, redirect, _ in
            var redirects = redirect.request[Redirects.self]
            var earlier = redirect.request
            earlier[Redirects.self] = Redirects()
            earlier.upload = nil
            earlier.bodySink = nil
            if earlier.urlRequest.httpBodyStream != nil {
                // This removes the body, too.
                earlier.urlRequest.httpBodyStream = nil
            }
            redirects.requests.append(earlier)
            if redirects.requests.count > Self.maximumRedirects {
                redirects.requests.removeFirst()
            }
            var noting = next
            noting[Redirects.self] = redirects
            return noting
        }
        self[Redirects.self].hasHandler = hasHandler
    }
}

nonisolated extension ServiceResponse {
    /// The requests that were redirected to the response's, at most `maximumRedirects`. Empty unless an
    /// interceptor has called `noteRedirects()`.
    package var earlierRequests: [ServiceRequest] {
        get { request[ServiceRequest.Redirects.self].requests }
        set { request[ServiceRequest.Redirects.self].requests = newValue }
    }
}
