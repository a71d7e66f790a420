// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

#if canImport(ServiceProvider)
import ServiceProvider
#endif

nonisolated extension ServiceParameterEncoding {
    /// How the keys of parameters are written.
    public enum Keys: Sendable {
        /// In this order, for the key `sortBy`: `sortBy`, `sort_by`, `sort-by`.
        case unchanged, snakeCase, kebabCase
        /// The result of a closure.
        case custom(@Sendable (String) -> String)
    }

    /// How the members of a dictionary are written in a query or form.
    public enum Nesting: Sendable {
        /// In this order: `key[member]=a` and `key.member=a`.
        case brackets, dots
        /// The result of a closure, which gets the key and the member.
        case custom(@Sendable (String, String) -> String)
    }

    /// How a nil in a dictionary is written. (Parameters from an `Encodable` value have no nils.)
    public enum Nils: Sendable {
        /// Dropped: the key isn't written. Empty: `key=`. Null: `key=null`. In JSON, the last two are `null`.
        case dropped, empty, null
    }
}

nonisolated extension ServiceParameterEncoding.Keys {
    /// Replaces the keys of a dictionary. If two become the same, building the request throws.
    func rename(_ members: [String: Any]) -> [String: Any] {
        if case .unchanged = self { return members }
        var renamed: [String: Any] = [:]
        for (key, value) in members {
            let name = name(for: key)
            guard renamed.updateValue(value, forKey: name) != nil else { continue }
            let reason = "several keys are written as '\(name)'"
            return ["": ServiceError.invalidRequest(.parameter, reason: reason)]
        }
        return renamed
    }

    private func name(for key: String) -> String {
        switch self {
        case .unchanged: key
        case .snakeCase: Self.separated(key, by: "_")
        case .kebabCase: Self.separated(key, by: "-")
        case .custom(let name): name(key)
        }
    }

    /// Splits words as `JSONEncoder` does: `pageURLOrPath` becomes `page_url_or_path`.
    private static func separated(_ key: String, by separator: Character) -> String {
        let characters = Array(key)
        var text = ""
        for (index, character) in characters.enumerated() {
            let next = index + 1 < characters.count ? characters[index + 1] : character
            let startsWord = index > 0 && character.isUppercase
            let isAfterLower = startsWord && !characters[index - 1].isUppercase
            if startsWord, isAfterLower || next.isLowercase, text.last != separator {
                text.append(separator)
            }
            text += character.lowercased()
        }
        return text
    }
}

nonisolated extension ServiceParameterEncoding.Nils {
    /// The value that is written in place of a nil. Nil to drop it.
    func value(isJSON: Bool) -> Any? {
        switch self {
        case .dropped: nil
        case .empty: isJSON ? NSNull() : ""
        case .null: isJSON ? NSNull() : "null"
        }
    }
}
