// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// The parameters of a request for characters, with the checks of the real API.
struct GatewayQuery: Sendable {
    /// The index of the first result to return.
    private(set) var offset = 0
    /// The maximum number of results to return.
    private(set) var limit = 20

    private var name: String?
    private var prefix: String?
    private var since: Int?
    private var orders: [Order] = [.name]
    private var appearances: [GatewayAppearance.Kind: Set<Int>] = [:]

    /// The possible orders. The raw values are the values of the `orderBy` parameter.
    private enum Order: String {
        case name
        case nameDescending = "-name"
        case modified
        case modifiedDescending = "-modified"

        /// Whether `a` comes before `b`. Nil if both are equal in this order.
        func precedes(_ a: GatewayCharacter, _ b: GatewayCharacter) -> Bool? {
            switch self {
            case .name: Self.less(a.foldedName, b.foldedName)
            case .nameDescending: Self.less(b.foldedName, a.foldedName)
            case .modified: Self.less(a.instant, b.instant)
            case .modifiedDescending: Self.less(b.instant, a.instant)
            }
        }

        private static func less<Value: Comparable>(_ a: Value, _ b: Value) -> Bool? {
            a == b ? nil : a < b
        }
    }

    /// The parameters of the endpoint, except the three that sign the request.
    private enum Parameter: String {
        case name, nameStartsWith, modifiedSince, comics, series, stories, events
        case orderBy, limit, offset
    }

    /// Reads the parameters in order. Throws the error of the first wrong one.
    init(_ pairs: [(name: String, value: String)]) throws(GatewayFailure) {
        for (name, value) in pairs {
            guard let parameter = Parameter(rawValue: name) else {
                throw .unknownParameter(name)
            }
            guard !value.allSatisfy(\.isWhitespace) else { throw .blank(name) }
            try take(value, for: parameter)
        }
    }

    private mutating func take(_ value: String, for parameter: Parameter) throws(GatewayFailure) {
        switch parameter {
        case .name: name = value.lowercased()
        case .nameStartsWith: prefix = value.lowercased()
        case .modifiedSince:
            guard let instant = GatewayDate.instant(value) else { throw .dateInvalid }
            since = instant
        case .comics: try take(value, for: GatewayAppearance.Kind.comics)
        case .series: try take(value, for: GatewayAppearance.Kind.series)
        case .stories: try take(value, for: GatewayAppearance.Kind.stories)
        case .events: try take(value, for: GatewayAppearance.Kind.events)
        case .orderBy: orders = try Self.orders(value)
        case .limit:
            guard let number = Self.number(value), number > 0 else { throw .limitInvalid }
            guard number <= 100 else { throw .limitTooHigh }
            limit = number
        case .offset:
            guard let number = Self.number(value) else { throw .offsetInvalid }
            offset = number
        }
    }

    /// All matching characters in order, not only one page.
    func select(from characters: [GatewayCharacter]) -> [GatewayCharacter] {
        characters.filter(matches).sorted { a, b in
            for order in orders {
                if let precedes = order.precedes(a, b) { return precedes }
            }
            // Ties are broken by ID. Otherwise two pages could contain the same character.
            return a.id < b.id
        }
    }

    private func matches(_ character: GatewayCharacter) -> Bool {
        if let name, character.foldedName != name { return false }
        if let prefix, !character.foldedName.hasPrefix(prefix) { return false }
        if let since, character.instant < since { return false }
        return appearances.allSatisfy { kind, ids in
            character.appearances(in: kind).contains { ids.contains($0.id) }
        }
    }

    /// Parses a number that consists of digits only. A number that doesn't fit into an `Int` is
    /// still valid and becomes `Int.max`.
    private static func number(_ text: String) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return Int(text) ?? .max
    }

    private mutating func take(
        _ value: String, for kind: GatewayAppearance.Kind
    ) throws(GatewayFailure) {
        let parts = value.split(separator: ",")
        guard parts.count <= 10 else { throw .tooManyIDs(kind.noun) }
        let ids = Set(parts.compactMap { Self.number(String($0)) })
        guard !ids.isEmpty else { throw .noValidID(kind.noun) }
        appearances[kind] = ids
    }

    private static func orders(_ text: String) throws(GatewayFailure) -> [Order] {
        var orders: [Order] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let order = Order(rawValue: String(part)) else {
                throw .ordering(String(part))
            }
            orders.append(order)
        }
        return orders
    }
}

extension GatewayCharacter {
    /// The recorded appearances of one kind.
    func appearances(in kind: GatewayAppearance.Kind) -> [GatewayAppearance] {
        (GatewayAppearance.byCharacter[id] ?? []).filter { $0.kind == kind }
    }
}
