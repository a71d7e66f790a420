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
    /// What goes into `Content-Type`, unless the service's own headers name one. Nil leaves it out
    /// (on Linux, URLSession then says that it is a form). A multipart body adds its boundary.
    public let contentType: String?
    /// Makes the bytes, or says how they are opened; and names the content type of this one time.
    let content: () throws -> (contentType: String?, bytes: Content)

    enum Content {
        case data(Data)
        case upload(Upload)
    }

    /// Opens a body that is not in memory: a stream of its bytes, from the first one, and their number.
    /// A stream that cannot give so many has to fail; its `streamError` is then the call's.
    public typealias Upload = @Sendable () throws -> (stream: InputStream, size: Int64)

    /// Makes a body whose bytes come from a closure, called once for each request that is built.
    ///
    /// - Parameters:
    ///   - contentType: What goes into `Content-Type`; nil sends none.
    ///   - content: Makes the bytes. What it throws becomes ``ServiceError/invalidRequest(_:reason:)``.
    public init(contentType: String?, content: @escaping () throws -> Data) {
        self.init(contentType: contentType) { (contentType, .data(try content())) }
    }

    /// Makes a body that is not in memory.
    ///
    /// - Parameters:
    ///   - contentType: What goes into `Content-Type`; nil sends none.
    ///   - check: Called when a request is built. What it throws becomes
    ///     ``ServiceError/invalidRequest(_:reason:)``.
    ///   - upload: Opens the body, off the main actor and for each time that it is sent.
    public init(contentType: String?, check: @escaping () throws -> Void, upload: @escaping Upload)
    {
        self.init(contentType: contentType) {
            try check()
            return (contentType, .upload(upload))
        }
    }

    init(contentType: String?, content: @escaping () throws -> (contentType: String?, Content)) {
        self.contentType = contentType
        self.content = content
    }

    /// Bytes as they are. Their type is `application/octet-stream` unless said otherwise.
    public static func data(
        _ data: Data, contentType: String = "application/octet-stream"
    ) -> ServiceBody {
        ServiceBody(contentType: contentType) { data }
    }

    /// A value as JSON, by an encoder of your choice. Default: `JSONEncoder()`.
    @inlinable public static func json(
        _ value: some Encodable, encoder: JSONEncoder = plainEncoder
    ) -> ServiceBody {
        ServiceBody(contentType: "application/json") { try encoder.encode(value) }
    }

    /// Fields as `application/x-www-form-urlencoded`, with the values that
    /// ``Service/parameters`` may hold.
    public static func form(
        _ fields: [String: Any], encoding: ServiceParameterEncoding = ServiceParameterEncoding()
    ) -> ServiceBody {
        ServiceBody(contentType: formType) {
            var writer = ServiceParameterWriter(encoding: encoding, isJSON: false)
            try writer.write(fields)
            return Data(writer.bytes)
        }
    }

    @usableFromInline static let plainEncoder = JSONEncoder()
    static let formType = "application/x-www-form-urlencoded"
}
