// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// The state of a screen. Each case has all that its screen needs, and a screen shows one case.
/// So no screen can show an old error beside a new list, or "no results" before the response.
nonisolated enum Phase<Value> {
    /// A call is running, or will start when the view appears. There's nothing to show yet.
    case loading
    /// The newest call succeeded.
    case loaded(Value)
    /// The newest call succeeded, but the server has nothing to show.
    case empty(Value)
    /// A call is running. The value of an earlier call stays.
    case refreshing(Value)
    /// The newest call failed, and there's nothing else to show.
    case failed(ScreenError)
    /// The newest call failed. The value of an earlier call stays.
    case outdated(Value, ScreenError)

    /// The value to show, if there is one.
    var value: Value? {
        switch self {
        case .loaded(let value), .refreshing(let value), .outdated(let value, _): value
        case .loading, .empty, .failed: nil
        }
    }
}

nonisolated extension Phase: Equatable where Value: Equatable {}
nonisolated extension Phase: Sendable where Value: Sendable {}
