// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// Mistakes with Combine, and with members of modules that the file doesn't import. The compiler must diagnose each line
// marked WRONG with the text of its mark, and no other.

import Combine
import Security

struct Subscribed: Sendable {
    let subscription: AnyCancellable  // WRONG: has non-Sendable type 'AnyCancellable'
}

func ignoresErrors(_ publisher: AnyPublisher<Int, any Error>) -> AnyCancellable {
    publisher.sink { _ in }  // WRONG: requires the types
}

func assigns(_ publisher: AnyPublisher<Int, Never>) -> AnyPublisher<Int, any Error> {
    publisher  // WRONG: cannot convert return expression of type 'AnyPublisher<Int, Never>'
}

func words(_ text: String) -> [String] {
    text.components(separatedBy: .whitespaces)  // WRONG: is not available due to missing import of defining module
}
