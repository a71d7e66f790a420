// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import ServiceProvider
import Testing

/// Parameters and their expected encoded text.
public struct ParameterCase: Sendable, CustomTestStringConvertible {
    public let expected: String
    public let encoding: ServiceParameterEncoding
    public let parameters: @Sendable () -> [String: Any]
    public var testDescription: String { "'\(expected.prefix(60))'" }

    public init(
        _ expected: String, _ encoding: ServiceParameterEncoding = .init(),
        _ parameters: @escaping @Sendable () -> [String: Any]
    ) {
        (self.expected, self.encoding, self.parameters) = (expected, encoding, parameters)
    }
}
