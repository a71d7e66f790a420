// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// An HTTP response: status, headers and body.
public nonisolated struct ServiceResponse: Sendable {
    /// The request that the server answered: the last one, after redirects. Without its ``ServiceRequest/upload``.
    public var request: ServiceRequest
    /// The status code, such as 200.
    public let statusCode: Int
    /// The body. Empty for a response without a body.
    public var data: Data
    /// Makes ``headers``, each time they are needed. `CurlTransport` sets it, so that it reads header lines only then:
    /// most responses are used without their headers.
    package var makeHeaders: @Sendable () -> [String: String]

    /// Creates a response.
    ///
    /// - Parameters:
    ///   - request: The request that the server answered.
    ///   - statusCode: The status code.
    ///   - headers: The header fields. Default: none.
    ///   - data: The body. Default: none.
    public init(
        request: ServiceRequest, statusCode: Int, headers: [String: String] = [:],
        data: Data = Data()
    ) {
        self.request = request
        self.statusCode = statusCode
        self.data = data
        makeHeaders = { headers }
    }

    /// The header fields. These names are case-sensitive; ``header(_:)`` ignores case.
    public var headers: [String: String] { makeHeaders() }

    /// The value of a header field, without blanks around it (RFC 9110, section 5.5); nil if the response doesn't have
    /// it. The case of the name doesn't matter.
    public func header(_ name: String) -> String? {
        let key = name.lowercased().utf8
        // Not `==`, which takes quadratic time for a name of many combining marks.
        let value = headers.first { $0.key.lowercased().utf8.elementsEqual(key) }?.value
        // URLSession on Linux keeps the blanks at the end.
        return value?.trimmingCharacters(in: CharacterSet(charactersIn: " \t"))
    }

    /// Whether the status is one of the request's ``ServiceRequest/validStatusCodes``.
    public var hasValidStatus: Bool { request.validStatusCodes.contains(statusCode) }

    /// Whether the call returns the response. Otherwise it throws ``ServiceError/unacceptableStatus(_:)``.
    package var isAccepted: Bool { hasValidStatus || request.acceptsAnyStatus }

    /// The response; nil if it has no body.
    var nonEmpty: ServiceResponse? { data.isEmpty ? nil : self }

    /// The body as UTF-8 text. Nil if the bytes aren't valid.
    public var text: String? { String(data: data, encoding: .utf8) }

    /// The status codes that count as success by default: 200 to 299.
    public static let successfulStatusCodes = Set(200...299)
}

nonisolated extension ServiceResponse: CustomStringConvertible, CustomReflectable {
    /// The status, the size, and the method and path of the request.
    public var description: String { "\(statusCode), \(data.count) bytes, for \(request)" }

    /// Empty, because `dump` would print headers and body.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
