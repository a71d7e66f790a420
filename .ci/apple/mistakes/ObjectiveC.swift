// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// Mistakes with Objective-C. The compiler must diagnose each line marked WRONG with the text of its mark, and no other.

import Foundation

enum Phase { case idle, loading }

final class Loader: NSObject {
    let name: String

    init(name: String) { self.name = name }

    init() { name = "" }  // WRONG: overriding declaration requires an 'override' keyword

    func start() {}

    @objc func show(_ phase: Phase) {}  // WRONG: the type of the parameter cannot be represented in Objective-C

    @objc func count() throws -> Int { 0 }  // WRONG: throwing method cannot be marked '@objc' because it returns

    @objc func load(completionHandler: @escaping @Sendable () -> Void) {}  // WRONG: conflicts with method 'load()'

    @objc func load() async {}

    func selector() -> Selector {
        #selector(start)  // WRONG: that is not exposed to Objective-C
    }
}

struct Counter {
    @objc func add() {}  // WRONG: can only be used with members of classes
}
