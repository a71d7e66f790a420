// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if canImport(ServiceProvider)
import ServiceProvider
#endif

nonisolated extension ServiceProvider {
    /// Returns a provider with calls that report their progress to a closure.
    ///
    /// ```swift
    /// try await provider.onProgress { bar.value = $0.received }
    ///     .download(service: .poster, to: file)
    /// ```
    ///
    /// - Parameter report: Called on the main actor, in order, before the call ends. It always gets the
    ///   last state, but may miss earlier ones. The progress of a stream ends with the head.
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
