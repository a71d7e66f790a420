// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// A list whose broken elements are left out, and counted.

/// A list from JSON. An element that can't be decoded is left out, so that one broken hero
/// doesn't hide all others.
///
///     let heroes = try await provider.load(
///         service: .heroes, decodeType: TolerantList<Hero>.self)
///     show(heroes.elements)
///     if !heroes.errors.isEmpty { report(heroes.errors) }
struct TolerantList<Element: Decodable & Sendable>: Decodable, Sendable {
    /// The elements that could be decoded, in their order.
    let elements: [Element]
    /// One error for each element that is left out. A `DecodingError` has the element's place.
    let errors: [any Error]

    init(from decoder: any Decoder) throws {
        let attempts = try decoder.singleValueContainer().decode([Attempt].self)
        elements = attempts.compactMap { try? $0.result.get() }
        errors = attempts.compactMap { attempt in
            guard case .failure(let error) = attempt.result else { return nil }
            return error
        }
    }

    private struct Attempt: Decodable {
        let result: Result<Element, any Error>

        init(from decoder: any Decoder) {
            result = Result { try Element(from: decoder) }
        }
    }
}
