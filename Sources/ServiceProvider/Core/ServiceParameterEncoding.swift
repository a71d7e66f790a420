// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// Where parameters go and how they are written.
///
/// ```swift
/// var parameterEncoding: ServiceParameterEncoding { .init(destination: .form, arrays: .repeated) }
/// ```
public nonisolated struct ServiceParameterEncoding: Sendable {
    /// The part of the request that carries the parameters.
    public enum Destination: Sendable {
        /// Automatic: the query for GET, HEAD and DELETE, a JSON body otherwise. Query: the URL's. Form:
        /// a body of type `application/x-www-form-urlencoded`. JSON: one of type `application/json`.
        case automatic, query, form, json
    }

    /// How an array is written in a query or form.
    public enum Arrays: Sendable {
        /// In this order: `key[]=a&key[]=b`, `key=a&key=b`, `key[0]=a&key[1]=b`, and `key=a,b` (the comma
        /// escaped as `%2C`; elements that have elements are written with brackets).
        case brackets, repeated, indexed, commaSeparated
    }

    /// How a boolean is written in a query or form. In JSON it is always `true` or `false`.
    public enum Booleans: Sendable {
        /// Literal: `true` and `false`. Numeric: `1` and `0`.
        case literal, numeric
    }

    /// How a date is written, in JSON too.
    public enum Dates: Sendable {
        /// `2026-11-21T08:30:00Z` (RFC 3339, in UTC, fractions of a second left out), a number of seconds,
        /// or a whole number of milliseconds.
        case iso8601, secondsSince1970, millisecondsSince1970
        /// The text that a closure makes.
        case custom(@Sendable (Date) -> String)
    }

    /// Where the parameters go. Default: ``Destination/automatic``.
    public var destination: Destination
    /// How arrays are written. Default: ``Arrays/brackets``.
    public var arrays: Arrays
    /// How booleans are written. Default: ``Booleans/literal``.
    public var booleans: Booleans
    /// How dates are written. Default: ``Dates/iso8601``.
    public var dates: Dates
    /// The names that come first, in this order; the others follow, sorted. Default: none.
    ///
    /// For servers that want, or sign, parameters in an order of their own. It holds for the top level
    /// of a query, a form and JSON; the keys of nested values are sorted.
    public var order: [String]

    /// Makes an encoding; what is left out keeps its default.
    public init(
        destination: Destination = .automatic, arrays: Arrays = .brackets,
        booleans: Booleans = .literal, dates: Dates = .iso8601, order: [String] = []
    ) {
        self.destination = destination
        self.arrays = arrays
        self.booleans = booleans
        self.dates = dates
        self.order = order
    }
}
