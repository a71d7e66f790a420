// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// Makes a tree of dictionaries, arrays and values encodable.
struct FuzzJSON: Encodable {
    private let value: Any

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    init(_ value: Any) { self.value = value }

    func encode(to encoder: any Encoder) throws {
        if let members = value as? [String: Any] {
            var container = encoder.container(keyedBy: Key.self)
            for (name, value) in members {
                try container.encode(FuzzJSON(value), forKey: Key(stringValue: name))
            }
        } else if let elements = value as? [Any] {
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(FuzzJSON(element)) }
        } else {
            var container = encoder.singleValueContainer()
            if let text = value as? String {
                try container.encode(text)
            } else if let number = value as? Int {
                try container.encode(number)
            } else {
                try container.encodeNil()
            }
        }
    }
}
