// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// Which calls have begun, and how they have ended: each once.
final class Ledger: @unchecked Sendable {
    // Unchecked, because the compiler cannot see that the `var`s are used under the lock alone.
    private let lock = NSLock()
    private let isCurl: Bool
    private var open: [Int: (kind: Kind, mayBeCancelled: Bool)] = [:]
    private var outcomes: [Kind: [Outcome: Int]] = [:]
    private var (begun, ended, twice) = (0, 0, 0)
    private var wrong: [String] = []

    init(curl isCurl: Bool) { self.isCurl = isCurl }

    func begin(_ call: Int, _ kind: Kind, mayBeCancelled: Bool) {
        lock.withLock {
            begun += 1
            open[call] = (kind, mayBeCancelled)
        }
    }

    /// - Returns: Whether it had not ended before.
    @discardableResult func end(_ call: Int, _ outcome: Outcome) -> Bool {
        lock.withLock {
            guard let (kind, mayBeCancelled) = open.removeValue(forKey: call) else {
                twice += 1
                return false
            }
            ended += 1
            outcomes[kind, default: [:]][outcome, default: 0] += 1
            let isAllowed = kind.outcomes(curl: isCurl).contains(outcome)
            if !isAllowed, !(mayBeCancelled && outcome == .cancelled) {
                wrong.append("\(kind.rawValue) \(call): \(outcome)")
            }
            return true
        }
    }

    /// The kinds of those that have not ended.
    var pending: [String] { lock.withLock { open.map { "\($1.kind.rawValue) \($0)" } } }

    /// Whether each call has ended, once, and as it may.
    var isGood: Bool { lock.withLock { begun == ended && twice == 0 && wrong.isEmpty } }

    func printTable() {
        lock.withLock {
            print(Table.line(["call", "calls", "outcomes"]))
            for (kind, counts) in outcomes.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                let total = counts.values.reduce(0, +)
                let parts = counts.sorted { $0.value > $1.value }.map { "\($1) \($0)" }
                print(Table.line([kind.rawValue, "\(total)", parts.joined(separator: ", ")]))
            }
            for text in wrong.prefix(20) { print("not allowed: \(text)") }
            print("\(begun) begun, \(ended) ended, \(twice) twice, \(wrong.count) not as they may")
        }
    }
}
