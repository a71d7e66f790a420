// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Observation
import ServiceProvider

/// Runs the calls of one screen, and keeps its phase true.
@MainActor @Observable
final class Loader<Value: Sendable> {
    /// What the screen shows.
    private(set) var phase = Phase<Value>.loading

    /// The phase when no call is running.
    @ObservationIgnored private var settled = Phase<Value>.loading
    @ObservationIgnored private var newestCall = 0
    @ObservationIgnored private let isEmpty: (Value) -> Bool

    /// Creates a loader. Call ``load(keepsValue:showsProgress:_:)`` to load the value.
    ///
    /// - Parameter isEmpty: Whether a value has nothing to show. Default: never.
    init(isEmpty: @escaping (Value) -> Bool = { _ in false }) {
        self.isEmpty = isEmpty
    }

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
        newestCall += 1
        let number = newestCall
        phase = waiting(showsProgress: showsProgress)
        let result = await result(of: call, keepsValue: keepsValue)
        // Two calls can overlap, and the older one may end last.
        guard number == newestCall else { return }
        settled = result
        phase = result
    }

    private func waiting(showsProgress: Bool) -> Phase<Value> {
        guard let value = settled.value else { return .loading }
        return showsProgress ? .refreshing(value) : .loaded(value)
    }

    private func result(
        of call: @MainActor () async throws -> Value, keepsValue: Bool
    ) async -> Phase<Value> {
        do {
            let value = try await call()
            return isEmpty(value) ? .empty(value) : .loaded(value)
        } catch ServiceError.cancelled {
            return settled
        } catch is CancellationError {
            return settled
        } catch {
            guard keepsValue, let value = settled.value else { return .failed(ScreenError(error)) }
            return .outdated(value, ScreenError(error))
        }
    }
}
