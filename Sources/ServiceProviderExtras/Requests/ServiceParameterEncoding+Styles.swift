// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

nonisolated extension ServiceParameterEncoding {
    /// Creates an encoding with a style.
    public init(destination: Destination = .automatic, style: ServiceParameterStyle) {
        self.init(destination: destination)
        write = { parameters, isJSON in try style.encode(parameters, isJSON: isJSON) }
    }
}

nonisolated extension ServiceParameterEncoding {
    /// How an array is written in a query or form.
    public enum Arrays: Sendable {
        /// In this order: `key[]=a&key[]=b`, `key=a&key=b`, `key[0]=a&key[1]=b`.
        case brackets, repeated, indexed
        /// `key=a,b`. A comma in an element is sent as `%2C`. An array that has arrays is written with brackets, here and
        /// for the next two.
        case commaSeparated
        /// `key=a%7Cb`, as OpenAPI writes `pipeDelimited`. An element with a `|` can't be sent: building the request throws.
        case pipeSeparated
        /// `key=a%20b`, as OpenAPI writes `spaceDelimited`. An element with a space can't be sent: building the request
        /// throws.
        case spaceSeparated
    }

    /// How a boolean is written in a query or form.
    public enum Booleans: Sendable {
        /// Literal: `true` and `false`. Numeric: `1` and `0`.
        case literal, numeric
    }

    /// How a date is written, in JSON too.
    public enum Dates: Sendable {
        /// `2026-11-21T08:30:00Z` (RFC 3339, in UTC, without fractions of a second), a number of seconds,
        /// or a whole number of milliseconds.
        case iso8601, secondsSince1970, millisecondsSince1970
        /// The result of a closure.
        case custom(@Sendable (Date) -> String)
    }

    /// Creates an encoding.
    ///
    /// - Parameters:
    ///   - destination: Where the parameters go. Default: decided by the method.
    ///   - arrays: How arrays are written. Default: `key[]=a&key[]=b`.
    ///   - booleans: How booleans are written. Default: `true` and `false`.
    ///   - dates: How dates are written. Default: RFC 3339.
    ///   - order: The top-level keys that come first, in this order. Give their names after `keys`
    ///     has been applied, such as `sort_by`. Default: none.
    ///   - keys: How keys are written, in JSON too. Default: unchanged.
    ///   - nesting: How members of dictionaries are written. Default: `key[member]=a`.
    ///   - nils: How nils are written, in JSON too. Default: dropped.
    ///   - writesSpaceAsPlus: Whether a query or form has `+` for a space, in place of `%20`. Default: false.
    public init(
        destination: Destination = .automatic, arrays: Arrays = .brackets,
        booleans: Booleans = .literal, dates: Dates = .iso8601, order: [String] = [],
        keys: Keys = .unchanged, nesting: Nesting = .brackets, nils: Nils = .dropped,
        writesSpaceAsPlus: Bool = false
    ) {
        let style = ServiceParameterStyle(
            arrays: arrays, booleans: booleans, dates: dates, order: order, keys: keys,
            nesting: nesting, nils: nils, writesSpaceAsPlus: writesSpaceAsPlus)
        self.init(destination: destination, style: style)
    }
}

nonisolated extension ServiceParameterEncoding.Dates {
    /// The value that is written in place of a date. A date outside the years 1 to 9999 stays as it
    /// is: encoding refuses it.
    func value(of date: Date) -> Any {
        let seconds = date.timeIntervalSince1970
        guard ServiceParameterValue.writableDates.contains(seconds) else { return date }
        return switch self {
        case .iso8601: date
        case .secondsSince1970: Int64(exactly: seconds).map { $0 as Any } ?? seconds
        case .millisecondsSince1970: Int64((seconds * 1000).rounded())
        case .custom(let format): format(date)
        }
    }
}

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
        if case .unchanged = self {
            return members
        }
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

    /// Splits words before capitals: `pageURLOrPath` becomes `page_url_or_path`.
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
        case .empty where !isJSON: ""
        case .null where !isJSON: "null"
        case .empty, .null: NSNull()
        }
    }
}
