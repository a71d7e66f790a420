// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

#if canImport(ServiceProvider)
import ServiceProvider
#endif

nonisolated extension ServiceBody {
    /// A value as a property list, `application/x-plist`.
    ///
    /// - Parameters:
    ///   - value: An array or a dictionary, or a value that is encoded as one.
    ///   - encoder: Default: `PropertyListEncoder()`, which writes binary. Its `outputFormat` can be XML.
    public static func propertyList(
        _ value: some Encodable, encoder: PropertyListEncoder = PropertyListEncoder()
    ) -> ServiceBody {
        ServiceBody { ("application/x-plist", .data(try encoder.encode(value))) }
    }

    /// Fields as `application/x-www-form-urlencoded`, with the same values as `Service.parameters`.
    public static func form(
        _ fields: [String: Any], encoding: ServiceParameterEncoding = ServiceParameterEncoding()
    ) -> ServiceBody {
        ServiceBody {
            var encoding = encoding
            encoding.destination = .form
            let form = Data(try encoding.encode(fields).utf8)
            return ("application/x-www-form-urlencoded", .data(form))
        }
    }
}
