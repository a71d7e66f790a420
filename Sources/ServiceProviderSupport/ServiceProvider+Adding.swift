// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

nonisolated extension ServiceProvider {
    /// Returns a provider with one more interceptor, the outermost.
    public func adding(_ interceptor: any ServiceInterceptor) -> ServiceProvider {
        var pipeline = pipeline
        pipeline.interceptors.insert(interceptor, at: 0)
        return ServiceProvider(pipeline)
    }
}
