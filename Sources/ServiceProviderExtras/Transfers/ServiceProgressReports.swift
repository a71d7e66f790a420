// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

#if canImport(ServiceProvider)
import ServiceProvider
#endif

/// Reports the progress of each call that runs through it.
nonisolated final class ServiceProgressReports: ServiceInterceptor {
    private let updates: ServiceProgressUpdates?
    private let report: (@MainActor @Sendable (ServiceProgress) -> Void)?

    init(
        updates: ServiceProgressUpdates?, report: (@MainActor @Sendable (ServiceProgress) -> Void)?
    ) {
        (self.updates, self.report) = (updates, report)
    }

    // If the request can't be built, nothing is intercepted, but the updates end too.
    deinit { updates?.continuation.finish() }

    @concurrent func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        let updates = updates ?? ServiceProgressUpdates()
        var request = request
        request.reportProgress { updates.continuation.yield($0) }
        // Not a child task: cancelled with the call, it would skip the last state.
        let reports = Task { [report] in
            if let report { for await state in updates { await report(state) } }
        }
        let result: Swift.Result<ServiceResponse, any Error>
        do { result = .success(try await next(request)) } catch { result = .failure(error) }
        updates.continuation.finish()
        await reports.value
        return try result.get()
    }
}
