// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Observation
import ServiceProvider

/// Runs the calls of one screen, and keeps its phase true.
@MainActor @Observable
final class Loader<Value: Sendable> {
    /// The phase that the screen shows.
    private(set) var phase = Phase<Value>.loading

    /// The phase when no call is running.
    @ObservationIgnored private var settled = Phase<Value>.loading
    /// The call that ``settled`` is the result of.
    @ObservationIgnored private var settledCall = 0
    /// How many calls have started. Two can run at the same time: a search and a refresh.
    @ObservationIgnored private var count = 0
    @ObservationIgnored private var running: Set<Int> = []
    /// The call that sets the phase: the newest one that wasn't cancelled.
    @ObservationIgnored private var current = 0
    @ObservationIgnored private let isEmpty: (Value) -> Bool

    /// Creates a loader. Call ``load(keepsValue:showsProgress:_:)`` to load the value.
    ///
    /// - Parameter isEmpty: Whether a value has nothing to show. Default: never.
    init(isEmpty: @escaping (Value) -> Bool = { _ in false }) {
        self.isEmpty = isEmpty
    }

    // Otherwise, in an app with main-actor isolation by default, it crashes before iOS 18.4 and macOS 15.4.
    nonisolated deinit {}

    /// Loads the value.
    ///
    /// - Parameters:
    ///   - keepsValue: Whether an earlier value stays if this call fails. Default: true.
    ///   - showsProgress: Whether the screen shows that an earlier value is being replaced. Pass
    ///     false for a pull to refresh, which has an indicator of its own. Default: true.
    ///   - call: Returns the new value.
    func load(
        keepsValue: Bool = true, showsProgress: Bool = true,
        _ call: @MainActor () async throws -> Value
    ) async {
        count += 1
        let number = count
        current = number
        running.insert(number)
        phase = waiting(showsProgress: showsProgress)
        let result = await result(of: call, keepsValue: keepsValue)
        running.remove(number)
        // The older of two calls may end last.
        if let result, number > settledCall {
            settled = result
            settledCall = number
        }
        guard number == current else { return }
        if result == nil, let older = running.max() {
            current = older
            return
        }
        phase = settled
    }

    private func waiting(showsProgress: Bool) -> Phase<Value> {
        guard let value = settled.value else { return .loading }
        return showsProgress ? .refreshing(value) : .loaded(value)
    }

    /// The phase after a call. Nil if the call was cancelled, which isn't an error: the view has
    /// disappeared, or wants something else.
    private func result(
        of call: @MainActor () async throws -> Value, keepsValue: Bool
    ) async -> Phase<Value>? {
        do {
            let value = try await call()
            return isEmpty(value) ? .empty(value) : .loaded(value)
        } catch ServiceError.cancelled {
            return nil
        } catch is CancellationError {
            return nil
        } catch {
            guard keepsValue, let value = settled.value else { return .failed(ScreenError(error)) }
            return .outdated(value, ScreenError(error))
        }
    }
}
