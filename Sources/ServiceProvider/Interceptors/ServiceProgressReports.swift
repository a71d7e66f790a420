// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

nonisolated extension ServiceProvider {
    /// The same provider, of which each call tells how far it has come.
    ///
    /// ```swift
    /// try await provider.onProgress { bar.value = $0.received }.download(service: .poster, to: file)
    /// ```
    ///
    /// - Parameter report: Called on the main actor, in order, before the call ends, and always with the
    ///   last state; states in between may be left out. For a stream it ends with the head.
    public func onProgress(
        _ report: @escaping @MainActor @Sendable (ServiceProgress) -> Void
    ) -> ServiceProvider {
        adding(ServiceProgressReports(updates: nil, report: report))
    }

    /// The same provider; how far its next call has come is told to a sequence.
    ///
    /// ```swift
    /// let updates = ServiceProgressUpdates()
    /// async let page = provider.reporting(to: updates).load(service: .page)
    /// for await progress in updates { print(progress.received) }
    /// print(try await page)
    /// ```
    public func reporting(to updates: ServiceProgressUpdates) -> ServiceProvider {
        adding(ServiceProgressReports(updates: updates, report: nil))
    }
}

/// How far one call has come: for one reader, who gets the last state that it has not seen. It ends with
/// the call.
public nonisolated struct ServiceProgressUpdates: AsyncSequence, Sendable {
    /// A state of the call.
    public typealias Element = ServiceProgress

    fileprivate let stream: AsyncStream<ServiceProgress>
    fileprivate let continuation: AsyncStream<ServiceProgress>.Continuation

    /// Makes a sequence for ``ServiceProvider/reporting(to:)``.
    public init() {
        (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// The one reader.
    public func makeAsyncIterator() -> AsyncStream<ServiceProgress>.Iterator {
        stream.makeAsyncIterator()
    }
}

private nonisolated final class ServiceProgressReports: ServiceInterceptor {
    let updates: ServiceProgressUpdates?
    let report: (@MainActor @Sendable (ServiceProgress) -> Void)?

    init(
        updates: ServiceProgressUpdates?, report: (@MainActor @Sendable (ServiceProgress) -> Void)?
    ) {
        self.updates = updates
        self.report = report
    }

    /// A call that fails before anything is sent never comes here.
    deinit { updates?.continuation.finish() }

    @concurrent func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        let updates = updates ?? ServiceProgressUpdates()
        var request = request
        request.onProgress = { [outer = request.onProgress] progress in
            outer?(progress)
            updates.continuation.yield(progress)
        }
        // Not a child of this task: cancelled with it, it would leave the last state out.
        let reports = Task { [report] in
            if let report { for await state in updates { await report(state) } }
        }
        func end() async {
            updates.continuation.finish()
            await reports.value
        }
        do {
            let response = try await next(request)
            await end()
            return response
        } catch {
            await end()
            throw error
        }
    }
}
