// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// The same bytes again and again. Counts its iterators, the elements that were asked for, and the iterators that were
/// released.
public struct CountedElements: AsyncSequence, Sendable {
    public let iterators = Milestones()
    public let asked = Milestones()
    public let ended = Milestones()
    private let element: Data
    private let count: Int
    private let waits: Bool

    /// - Parameters:
    ///   - count: How many elements there are.
    ///   - waits: Whether the sequence then waits until its task is cancelled, instead of ending.
    public init(_ element: Data, count: Int, waits: Bool = false) {
        self.element = element
        self.count = count
        self.waits = waits
    }

    public func makeAsyncIterator() -> Iterator {
        iterators.pass()
        return Iterator(elements: self)
    }

    public final class Iterator: AsyncIteratorProtocol {
        private let elements: CountedElements
        private var left: Int

        init(elements: CountedElements) {
            self.elements = elements
            left = elements.count
        }

        deinit { elements.ended.pass() }

        public func next() async throws -> Data? {
            elements.asked.pass()
            guard left == 0 else {
                left -= 1
                return elements.element
            }
            // Returns when the task is cancelled.
            if elements.waits { await Milestones().reach(1) }
            return nil
        }
    }
}
