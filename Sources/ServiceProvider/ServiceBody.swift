// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// The body of a request: a content type, and a closure that makes the bytes.
///
/// ```swift
/// var body: ServiceBody? { .json(NewPost(title: "Hello")) }
/// ```
public nonisolated struct ServiceBody {
    /// A content type and the bytes.
    public typealias Content = (type: String?, bytes: Bytes)

    /// The bytes of a body.
    public enum Bytes {
        /// Bytes in memory.
        case data(Data)
        /// Bytes elsewhere, such as in a file. They are never in memory as a whole.
        case upload(Upload)
    }

    /// Opens a stream at its first byte, and returns it with the number of bytes to send.
    ///
    /// The stream fails if it has fewer bytes; the call then throws its `streamError`.
    public typealias Upload = @Sendable () throws -> (stream: InputStream, size: Int64)

    let make: () throws -> Content

    /// Creates a body from a closure, which is called once for each request.
    ///
    /// - Parameter make: Returns the value of `Content-Type`, unless the service's headers have one, and
    ///   the bytes. (Without a type, URLSession on Linux says that the body is a form.) Any error becomes
    ///   ``ServiceError/invalidRequest(_:reason:)``.
    public init(make: @escaping () throws -> Content) {
        self.make = make
    }

    /// Bytes as they are. The default type is `application/octet-stream`.
    public static func data(
        _ data: Data, contentType: String = "application/octet-stream"
    ) -> ServiceBody {
        ServiceBody { (contentType, .data(data)) }
    }

    /// A value as JSON.
    ///
    /// `Data` becomes a Base64 string, and a `String` gets quotes. To send bytes or text as they are, use
    /// ``data(_:contentType:)``.
    ///
    /// - Parameters:
    ///   - value: The value to encode.
    ///   - encoder: Default: a `JSONEncoder` that sorts keys, so that equal values give equal bytes.
    @inlinable public static func json(
        _ value: some Encodable, encoder: JSONEncoder = sortingEncoder
    ) -> ServiceBody {
        ServiceBody { ("application/json", .data(try encoder.encode(value))) }
    }

    static let formType = "application/x-www-form-urlencoded"

    /// A `JSONEncoder` that sorts keys.
    public static let sortingEncoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return encoder
    }()
}
