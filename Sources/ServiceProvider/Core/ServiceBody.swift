// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// The body of a request: its content type, and how its bytes are made.
///
/// ```swift
/// var body: ServiceBody? { .json(NewPost(title: "Hello")) }
/// ```
///
/// The bytes are made when the request is built, so that a value that cannot be encoded is an error of
/// the call.
public nonisolated struct ServiceBody {
    /// A content type, and the bytes or the way to them.
    public typealias Content = (type: String?, bytes: Bytes)

    /// Where the bytes are.
    public enum Bytes {
        /// In memory.
        case data(Data)
        /// Elsewhere, and never all of them in memory.
        case upload(Upload)
    }

    /// Opens a body that is not in memory: a stream of its bytes, from the first one, and their number.
    /// A stream that cannot give so many has to fail; where its `streamStatus` is `.error`, its
    /// `streamError` is the call's.
    public typealias Upload = @Sendable () throws -> (stream: InputStream, size: Int64)

    let make: () throws -> Content

    /// Makes a body by a closure, called once for each request that is built.
    ///
    /// - Parameter make: Gives what goes into `Content-Type`, unless the service's own headers name one
    ///   (nil leaves it out; on Linux, URLSession then says that it is a form), and the bytes. What it
    ///   throws becomes ``ServiceError/invalidRequest(_:reason:)``.
    public init(make: @escaping () throws -> Content) {
        self.make = make
    }

    /// Bytes as they are. Their type is `application/octet-stream` unless said otherwise.
    public static func data(
        _ data: Data, contentType: String = "application/octet-stream"
    ) -> ServiceBody {
        ServiceBody { (contentType, .data(data)) }
    }

    /// A value as JSON.
    ///
    /// `Data` becomes a string in Base64, and a `String` gets quotes. To send bytes or text as they are,
    /// use ``data(_:contentType:)``.
    ///
    /// - Parameters:
    ///   - value: The value to encode.
    ///   - encoder: Default: a `JSONEncoder` that sorts keys, so that the same value gives the same bytes
    ///     on every run.
    @inlinable public static func json(
        _ value: some Encodable, encoder: JSONEncoder = sortingEncoder
    ) -> ServiceBody {
        ServiceBody { ("application/json", .data(try encoder.encode(value))) }
    }

    @usableFromInline static let sortingEncoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return encoder
    }()
    static let formType = "application/x-www-form-urlencoded"
}
