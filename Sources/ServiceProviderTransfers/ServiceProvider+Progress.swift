// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

nonisolated extension ServiceProvider {
    /// Returns a provider whose calls report their progress to a closure.
    ///
    /// ```swift
    /// try await provider.onProgress { bar.value = $0.received }
    ///     .download(service: .poster, to: file)
    /// ```
    ///
    /// - Parameter report: Called on the main actor, in order, before the call ends. It always gets the
    ///   last state, but may miss earlier ones. The progress of a stream ends with the headers.
    public func onProgress(
        _ report: @escaping @MainActor @Sendable (ServiceProgress) -> Void
    ) -> ServiceProvider {
        adding(ServiceProgressReports(updates: nil, report: report))
    }

    /// Returns a provider whose next call reports its progress to a sequence.
    ///
    /// ```swift
    /// let updates = ServiceProgressUpdates()
    /// async let page = provider.reportingProgress(to: updates).load(service: .page)
    /// for await progress in updates { print(progress.received) }
    /// print(try await page)
    /// ```
    public func reportingProgress(to updates: ServiceProgressUpdates) -> ServiceProvider {
        adding(ServiceProgressReports(updates: updates, report: nil))
    }
}

/// Reports the progress of each call that runs through it.
private nonisolated final class ServiceProgressReports: ServiceInterceptor {
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
        let (result, _) = await ServiceClock().timed { [request] in try await next(request) }
        updates.continuation.finish()
        await reports.value
        return try result.get()
    }
}

/// The progress of one call, for one reader. The reader gets the latest state that it hasn't seen; earlier
/// states may be dropped. The sequence ends with the call.
public nonisolated struct ServiceProgressUpdates: AsyncSequence, Sendable {
    /// A state of the call.
    public typealias Element = ServiceProgress

    let stream: AsyncStream<ServiceProgress>
    let continuation: AsyncStream<ServiceProgress>.Continuation

    /// Makes a sequence for ``ServiceProvider/ServiceProvider/reportingProgress(to:)``.
    public init() {
        (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Starts reading. A sequence has only one reader.
    public func makeAsyncIterator() -> AsyncStream<ServiceProgress>.Iterator {
        stream.makeAsyncIterator()
    }
}
