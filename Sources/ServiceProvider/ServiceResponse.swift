// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// An HTTP response: status, headers and body.
public nonisolated struct ServiceResponse: Sendable {
    /// The request that the server answered: the last one, after redirects.
    public var request: ServiceRequest
    /// The body. Empty for a response without a body.
    public var data: Data
    /// The status code, such as 200.
    public let statusCode: Int
    /// The times and sizes of the requests that were redirected, in the order they were sent, and then
    /// those of ``request``. For a stream, those of ``request`` are left out. Empty for a response that
    /// doesn't come from a transport. If an interceptor sends the request twice, the list has both.
    public var metrics: [ServiceMetrics] = []
    private let makeHeaders: @Sendable () -> [String: String]

    /// Creates a response.
    ///
    /// - Parameters:
    ///   - request: The request that the server answered.
    ///   - statusCode: The status code.
    ///   - headers: The header fields. Evaluated each time they are needed. Default: none.
    ///   - data: The body. Default: none.
    public init(
        request: ServiceRequest, statusCode: Int,
        headers: @autoclosure @escaping @Sendable () -> [String: String] = [:], data: Data = Data()
    ) {
        (self.request, self.statusCode, self.data) = (request, statusCode, data)
        makeHeaders = headers
    }

    /// Creates a response from Foundation's type.
    public init(request: ServiceRequest, http: HTTPURLResponse, data: Data = Data()) {
        self.init(
            request: request, statusCode: http.statusCode,
            headers: http.allHeaderFields as? [String: String] ?? [:], data: data)
    }

    /// The header fields. These names are case-sensitive; ``header(_:)`` ignores case.
    public var headers: [String: String] { makeHeaders() }

    /// The value of a header field; nil if the response doesn't have it. The case of the name
    /// doesn't matter.
    public func header(_ name: String) -> String? {
        let (headers, key) = (makeHeaders(), name.lowercased())
        if let value = headers[name] { return value }
        for (name, value) in headers where name.lowercased() == key { return value }
        return nil
    }

    /// The status and the headers as Foundation's type. Nil if Foundation refuses them.
    public var http: HTTPURLResponse? {
        guard let url = request.urlRequest.url else { return nil }
        return HTTPURLResponse(
            url: url, statusCode: statusCode, httpVersion: "HTTP/1.1", headerFields: headers)
    }

    /// The body as text, in the charset of its `Content-Type` (RFC 9110, section 8.3.2) or else UTF-8.
    ///
    /// A byte order mark is removed. Nil if the bytes aren't valid in the charset, or if the
    /// charset isn't one of UTF-8, US-ASCII, UTF-16 (BE, LE), ISO-8859-1 and -2, windows-1250 to
    /// -1254, and Shift_JIS.
    public var text: String? {
        let type = ServiceMediaType(header("Content-Type"))
        // Foundation on Linux ignores half a character at the end.
        let isWhole = type.charset?.hasPrefix("utf-16") != true || data.count.isMultiple(of: 2)
        guard isWhole, let encoding = type.encoding,
            let text = String(data: data, encoding: encoding)
        else { return nil }
        // Foundation on Linux has removed the mark of UTF-8.
        let isRemoved = encoding == .utf8 && text.utf8.count < data.count
        let hasMark = !isRemoved && text.unicodeScalars.first == "\u{FEFF}"
        return hasMark ? String(text.unicodeScalars.dropFirst()) : text
    }

    /// Decodes the body with the call's decoder, in the caller's isolation.
    ///
    /// Use it in generic functions: `load(service:decodeType:)` decodes off the caller's
    /// actor, so it needs types that are `SendableMetatype`.
    ///
    /// ```swift
    /// func get<T: Decodable>(_ endpoint: API, as type: T.Type) async throws -> T {
    ///     try await provider.response(for: endpoint).decode(type)
    /// }
    /// ```
    ///
    /// - Throws: ``ServiceError/decoding(_:_:as:)``; for an empty body, ``ServiceError/emptyResponse(_:)``,
    ///   unless the type is `Data` or an Optional.
    public func decode<U: Decodable>(_: U.Type) throws(ServiceError) -> U {
        if data.isEmpty, U.self != Data.self {
            if let none = Any?.none as? U { return none }
            throw .emptyResponse(self)
        }
        let decoder = request.decoder ?? JSONDecoder()
        do { return try decoder.decode(U.self, from: self) } catch {
            throw .decoding(error, self, as: "\(U.self)")
        }
    }

    /// The status codes that count as success by default: 200 to 299.
    public static let successfulStatusCodes = Set(200...299)
}

nonisolated extension ServiceResponse: CustomStringConvertible, CustomReflectable {
    /// The status, the size, and the request without its secrets.
    public var description: String { "\(statusCode), \(data.count) bytes, for \(request)" }

    /// Empty, because `dump` would print headers and body.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
