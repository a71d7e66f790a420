// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

nonisolated extension ServiceBody {
    /// A value as a property list, `application/x-plist`, which is encoded immediately.
    ///
    /// - Parameters:
    ///   - value: An array or a dictionary, or a value that is encoded as one.
    ///   - encoder: Default: `PropertyListEncoder()`, which writes binary. Its `outputFormat` can be XML.
    public static func propertyList(
        _ value: some Encodable, encoder: PropertyListEncoder = PropertyListEncoder()
    ) -> ServiceBody {
        encoded(contentType: "application/x-plist") { try encoder.encode(value) }
    }

    /// Fields as `application/x-www-form-urlencoded`, of the same types as `Service.parameters`.
    public static func form(
        _ fields: [String: Any], encoding: ServiceParameterEncoding = ServiceParameterEncoding()
    ) -> ServiceBody {
        var encoding = encoding
        encoding.destination = .form
        return encoded(contentType: "application/x-www-form-urlencoded") {
            Data(try encoding.encode(fields).utf8)
        }
    }
}
