// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// The body of a request.
///
/// ```swift
/// var body: ServiceBody? { .json(NewPost(title: "Hello")) }
/// ```
public nonisolated struct ServiceBody: Sendable {
    /// Returns an unopened stream at its first byte, and the number of bytes to send.
    ///
    /// The stream must fail if it has fewer bytes; its `streamError` becomes
    /// ``ServiceError/invalidRequest(_:reason:)``.
    public typealias Upload = @Sendable () throws -> (stream: InputStream, size: Int64)

    let attach: @Sendable (inout ServiceRequest) throws -> String?

    /// Creates a body from a closure, which is called once for each request.
    ///
    /// - Parameter attach: Sets `urlRequest.httpBody` or ``ServiceRequest/upload``, and returns the
    ///   `Content-Type` for requests without one. (Without a type, URLSession on Linux says that
    ///   the body is a form.) If the closure sets a header, ``Service/headers`` can't contain that
    ///   header. Any error is wrapped by ``ServiceError/init(_:of:)``.
    public init(attach: @escaping @Sendable (inout ServiceRequest) throws -> String?) {
        self.attach = attach
    }

    /// Bytes as they are.
    public static func data(
        _ data: Data, contentType: String = "application/octet-stream"
    ) -> ServiceBody {
        ServiceBody {
            $0.urlRequest.httpBody = data
            return contentType
        }
    }

    /// Text in UTF-8.
    static func text(_ text: String, contentType: String) -> ServiceBody {
        data(Data(text.utf8), contentType: contentType)
    }

    /// Bytes that a closure returns. It is called immediately, so that they may come from values that aren't `Sendable`.
    package static func encoded(
        contentType: String, by encode: () throws -> Data
    ) -> ServiceBody {
        let data = Result(catching: encode)
        return ServiceBody {
            $0.urlRequest.httpBody = try data.get()
            return contentType
        }
    }

    /// A value as JSON, which is encoded immediately.
    ///
    /// `Data` becomes a Base64 string, and a `String` gets quotes. To send bytes or text as they are, use
    /// ``data(_:contentType:)``.
    ///
    /// - Parameters:
    ///   - value: The value to encode.
    ///   - encoder: Default: ``sortingEncoder``.
    public static func json(
        _ value: some Encodable, encoder: JSONEncoder = sortingEncoder
    ) -> ServiceBody {
        encoded(contentType: "application/json") { try encoder.encode(value) }
    }

    /// A `JSONEncoder` that sorts keys, so that equal values give equal bytes, and writes dates as ``Service/parameters``
    /// do: in ISO 8601, with whole seconds in UTC. It throws for a date outside of the years 1 to 9999.
    public static let sortingEncoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        encoder.dateEncodingStrategy = .custom { date, encoder in
            guard let text = ServiceParameterValue.text(of: date) else {
                let reason = "the year of a date isn't one from 1 to 9999"
                throw EncodingError.invalidValue(
                    date, .init(codingPath: encoder.codingPath, debugDescription: reason))
            }
            var container = encoder.singleValueContainer()
            try container.encode(text)
        }
        return encoder
    }()
}
