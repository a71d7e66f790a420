// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// The body of a request.
///
/// ```swift
/// var body: ServiceBody? { .json(NewPost(title: "Hello")) }
/// ```
public nonisolated struct ServiceBody {
    /// Returns an unopened stream at its first byte, and the number of bytes to send.
    ///
    /// The stream must fail if it has fewer bytes; its `streamError` becomes
    /// ``ServiceError/invalidRequest(_:reason:)``.
    public typealias Upload = @Sendable () throws -> (stream: InputStream, size: Int64)

    let write: (inout ServiceRequest) throws -> String?

    /// Creates a body from a closure, which is called once for each request.
    ///
    /// - Parameter write: Sets `urlRequest.httpBody` or ``ServiceRequest/upload``, and returns the
    ///   `Content-Type` for requests without one. (Without a type, URLSession on Linux says that
    ///   the body is a form.) If the closure sets a header, ``Service/headers`` can't contain that
    ///   header. Any error is wrapped
    ///   by ``ServiceError/init(_:of:)``.
    public init(write: @escaping (inout ServiceRequest) throws -> String?) {
        self.write = write
    }

    // Inlined where parameters become a body, it would add 0.7 KB to an app.
    /// Bytes as they are.
    @inline(never) public static func data(
        _ data: Data, contentType: String = "application/octet-stream"
    ) -> ServiceBody {
        ServiceBody {
            $0.urlRequest.httpBody = data
            return contentType
        }
    }

    /// A value as JSON.
    ///
    /// `Data` becomes a Base64 string, and a `String` gets quotes. To send bytes or text as they are, use
    /// ``data(_:contentType:)``.
    ///
    /// - Parameters:
    ///   - value: The value to encode.
    ///   - encoder: Default: a `JSONEncoder` that sorts keys, so that equal values give equal bytes.
    public static func json(
        _ value: some Encodable, encoder: JSONEncoder = sortingEncoder
    ) -> ServiceBody {
        ServiceBody {
            $0.urlRequest.httpBody = try encoder.encode(value)
            return "application/json"
        }
    }

    /// A `JSONEncoder` that sorts keys.
    public static let sortingEncoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return encoder
    }()
}
