// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// The pictures that the mock server has received, by the number of the hero.
///
/// `@unchecked Sendable`, because the lock guards the only variable.
nonisolated final class SentPictures: @unchecked Sendable {
    private let lock = NSLock()
    private var pictures: [Int: Data] = [:]

    subscript(heroID: Int) -> Data? {
        get { lock.withLock { pictures[heroID] } }
        set { lock.withLock { pictures[heroID] = newValue } }
    }
}
