// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// Records which calls have started and how they have ended, to check that each ends once.
final class Ledger: @unchecked Sendable {
    // Unchecked, because the compiler can't verify that the lock guards every use of the `var`s.
    private let lock = NSLock()
    private let isCurl: Bool
    private var open: [Int: (kind: Kind, mayBeCancelled: Bool)] = [:]
    private var outcomes: [Kind: [Outcome: Int]] = [:]
    private var (started, ended, endedTwice) = (0, 0, 0)
    private var wrong: [String] = []

    init(curl isCurl: Bool) { self.isCurl = isCurl }

    func start(_ call: Int, _ kind: Kind, mayBeCancelled: Bool) {
        lock.withLock {
            started += 1
            open[call] = (kind, mayBeCancelled)
        }
    }

    /// Records the end of a call. Returns false if the call has ended before.
    @discardableResult func end(_ call: Int, _ outcome: Outcome) -> Bool {
        lock.withLock {
            guard let (kind, mayBeCancelled) = open.removeValue(forKey: call) else {
                endedTwice += 1
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

    /// The kinds and numbers of calls that haven't ended.
    var pending: [String] { lock.withLock { open.map { "\($1.kind.rawValue) \($0)" } } }

    /// Whether each call has ended once, with an allowed outcome.
    var isGood: Bool { lock.withLock { started == ended && endedTwice == 0 && wrong.isEmpty } }

    func printTable() {
        lock.withLock {
            print(Table.line(["call", "calls", "outcomes"]))
            for (kind, counts) in outcomes.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                let total = counts.values.reduce(0, +)
                let parts = counts.sorted { $0.value > $1.value }.map { "\($1) \($0)" }
                print(Table.line([kind.rawValue, "\(total)", parts.joined(separator: ", ")]))
            }
            for text in wrong.prefix(20) { print("unexpected outcome: \(text)") }
            print("calls: \(started) started, \(ended) ended, \(endedTwice) ended twice")
            print("unexpected outcomes: \(wrong.count)")
        }
    }
}
