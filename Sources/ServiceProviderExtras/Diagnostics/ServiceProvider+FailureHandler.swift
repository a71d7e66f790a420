// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if canImport(ServiceProvider)
import ServiceProvider
#endif

nonisolated extension ServiceProvider {
    /// Returns a provider that reports every call that fails: one place for alerts and logging out.
    ///
    /// The handler is called once for each failed call, before the caller gets the error. That includes
    /// requests that can't be built, and responses that can't be decoded. The handler that was added last
    /// is called first.
    ///
    /// - Parameter handler: Gets the error, and the request if built. The call waits for the
    ///   handler.
    public func onFailure(
        _ handler: @escaping @Sendable (ServiceError, ServiceRequest?) -> Void
    ) -> ServiceProvider {
        var pipeline = pipeline
        pipeline.onFailure = { [earlier = pipeline.onFailure] error, request in
            handler(error, request)
            earlier?(error, request)
        }
        return ServiceProvider(pipeline)
    }
}
