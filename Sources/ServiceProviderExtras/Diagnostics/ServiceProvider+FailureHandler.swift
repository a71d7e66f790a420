// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

nonisolated extension ServiceProvider {
    /// Returns a provider that reports calls that fail: one place for alerts and logging out.
    ///
    /// The handler is called once for each failed call, before the caller gets the error. It can't see requests that
    /// can't be built, responses that can't be decoded, and streams that fail after their headers. The handler that was
    /// added first is called first.
    ///
    /// - Parameter handler: Gets the error and the request. The call waits for the handler.
    public func onFailure(
        _ handler: @escaping @Sendable (ServiceError, ServiceRequest) -> Void
    ) -> ServiceProvider {
        wrapped(
            in: ServiceObserver { stage in
                switch stage {
                case .failed(let error, let request, _): handler(error, request)
                case .finished(let response, _) where !response.isAccepted:
                    handler(.unacceptableStatus(response), response.request)
                case .started, .finished: break
                }
            })
    }
}
