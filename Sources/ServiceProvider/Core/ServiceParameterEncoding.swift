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
    /// Automatic: the query for GET, HEAD and DELETE, a JSON body otherwise. Query: the URL's. Form: a
    /// body of type `application/x-www-form-urlencoded`. JSON: a body of type `application/json`.
    public enum Destination: Sendable { case automatic, query, form, json }

    /// An array in a query or form: `key[]=a&key[]=b`, `key=a&key=b`, `key[0]=a&key[1]=b`, or `key=a,b`
    /// (the comma escaped as `%2C`; elements that have elements are written with brackets).
    public enum Arrays: Sendable { case brackets, repeated, indexed, commaSeparated }

    /// A boolean in a query or form: `true` and `false`, or `1` and `0`. In JSON it is always `true` or
    /// `false`.
    public enum Booleans: Sendable { case literal, numeric }

    /// A date, in JSON too: `2026-11-21T08:30:00Z` (RFC 3339, in UTC, fractions of a second left out), a
    /// number of seconds, a whole number of milliseconds, or the text that a closure makes.
    public enum Dates: Sendable {
        case iso8601, secondsSince1970, millisecondsSince1970
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

    /// Makes an encoding; what is left out keeps its default.
    public init(
        destination: Destination = .automatic, arrays: Arrays = .brackets,
        booleans: Booleans = .literal, dates: Dates = .iso8601
    ) {
        self.destination = destination
        self.arrays = arrays
        self.booleans = booleans
        self.dates = dates
    }
}
