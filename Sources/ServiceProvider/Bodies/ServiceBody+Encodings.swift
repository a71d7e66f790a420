// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

nonisolated extension ServiceBody {
    /// A value as a property list, `application/x-plist`, by an encoder of your choice.
    ///
    /// - Parameters:
    ///   - value: An array or a dictionary, or what is encoded as one.
    ///   - encoder: Default: `PropertyListEncoder()`, whose format is binary. Its `outputFormat` makes
    ///     it XML.
    public static func propertyList(
        _ value: some Encodable, encoder: PropertyListEncoder = PropertyListEncoder()
    ) -> ServiceBody {
        ServiceBody { ("application/x-plist", .data(try encoder.encode(value))) }
    }

    /// Fields as `application/x-www-form-urlencoded`, with the values that
    /// ``Service/parameters`` may hold.
    public static func form(
        _ fields: [String: Any], encoding: ServiceParameterEncoding = ServiceParameterEncoding()
    ) -> ServiceBody {
        ServiceBody {
            var writer = ServiceParameterWriter(encoding: encoding, isJSON: false)
            try writer.write(fields)
            return (formType, .data(Data(writer.bytes)))
        }
    }
}
