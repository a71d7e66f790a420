// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

nonisolated extension ServiceProvider {
    /// Returns a provider that reports the progress of its calls to a closure.
    ///
    /// ```swift
    /// try await provider.onProgress { bar.progress = $0.fractionReceived ?? 0 }
    ///     .download(service: .poster, to: file)
    /// try await provider.onProgress { bar.progress = $0.fractionSent ?? 0 }
    ///     .load(service: .upload(photo))
    /// ```
    ///
    /// - Parameter report: Called on the main actor, in order, before the call ends. It always gets the
    ///   last state, but may miss earlier ones. The progress of a stream ends with the headers.
    public func onProgress(
        _ report: @escaping @MainActor @Sendable (ServiceProgress) -> Void
    ) -> ServiceProvider {
        wrapped(in: ServiceProgressReports(report: report))
    }
}

/// Reports the progress of each call that runs through it.
private nonisolated struct ServiceProgressReports: ServiceInterceptor {
    let report: @MainActor @Sendable (ServiceProgress) -> Void

    @concurrent func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        // Drops earlier states if the main actor is busy.
        let (states, continuation) = AsyncStream.makeStream(
            of: ServiceProgress.self, bufferingPolicy: .bufferingNewest(1))
        var request = request
        request.reportProgress { continuation.yield($0) }
        // Not a child task: cancelled with the call, it would skip the last state.
        let reports = Task { [report] in
            for await state in states {
                await report(state)
            }
        }
        let (result, _) = await ServiceClock().timed { [request] in try await next(request) }
        continuation.finish()
        await reports.value
        return try result.get()
    }
}
