// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// An HTTP endpoint: its URL, and the contents of its request.
///
/// Conform an enum with one case per endpoint, or one struct per endpoint. Only ``baseURL`` and
/// ``path`` have no default.
///
/// ```swift
/// enum MarvelService {
///     case characters(name: String)
/// }
///
/// extension MarvelService: Service {
///     var baseURL: String { "https://gateway.example.com/v1/public" }
///     var path: String { "/characters" }
///     var parameters: [String: Any]? {
///         switch self {
///         case .characters(let name): ["name": name]
///         }
///     }
/// }
/// ```
///
/// A service is read once for each call, in the caller's isolation. It doesn't have to be `Sendable`,
/// and may belong to the main actor.
public nonisolated protocol Service {
    /// The URL that paths are appended to, such as `"https://api.example.com/v2"`.
    ///
    /// The scheme is `http` or `https`. A query is kept, and parameters are appended to it. A fragment
    /// is dropped.
    var baseURL: String { get }

    /// The path below ``baseURL``, as raw text.
    ///
    /// Characters that a path can't contain are percent-encoded; `%`, `?` and `#` are encoded as well.
    /// Exactly one slash joins the base URL and a path that isn't empty. A segment `.` or `..` is refused.
    var path: String { get }

    /// The HTTP method. Default: ``ServiceMethod/get``.
    var method: ServiceMethod { get }

    /// The parameters of the query, form or JSON body; see ``parameterEncoding``. Default: nil.
    ///
    /// Values are strings, numbers, booleans, `Date` (ISO 8601, UTC, whole seconds), `URL`, `UUID`, `Data` (as Base64),
    /// `RawRepresentable` values, and arrays and dictionaries of these (`key[]` and `key[inner]` in
    /// a query). A nil drops its key; `NSNull` is null in JSON. Any other value is an error, NaN
    /// and infinity included. If a value is a ``ServiceError``, the call throws it. This lets code
    /// that can't throw, such as this property, report a failure.
    var parameters: [String: Any]? { get }

    /// Where ``parameters`` go and how they are written. Default: the query for GET, HEAD and DELETE, a
    /// JSON body for other methods.
    var parameterEncoding: ServiceParameterEncoding { get }

    /// The header fields. Default: none.
    ///
    /// Names must be tokens, and values free of control characters (RFC 9110, section 5). The transport
    /// sets `Content-Length` and `Transfer-Encoding`, so these are refused.
    var headers: [String: String] { get }

    /// The body. Default: nil. With a body, ``parameters`` go to the query.
    var body: ServiceBody? { get }

    /// The call fails after this many seconds without a byte sent or received. Default: nil, which
    /// uses the session's timeout (60 seconds by default). The longest timeout is a week.
    var timeout: TimeInterval? { get }

    /// The status codes that count as success. Default: 200 to 299.
    ///
    /// A redirect with one of these codes is returned instead of being followed.
    var validStatusCodes: Set<Int> { get }

    /// Changes the finished request before it is sent. Default: does nothing.
    ///
    /// Use it for settings that have no property here, such as ``ServiceRequest/decoder``,
    /// ``ServiceRequest/isRepeatable``, and options that other modules add to a request.
    ///
    /// - Throws: Any error; the call throws it wrapped by ``ServiceError/init(_:of:)``.
    func prepare(_ request: inout ServiceRequest) throws
}

nonisolated extension Service {
    /// GET.
    public var method: ServiceMethod { .get }
    /// None.
    public var parameters: [String: Any]? { nil }
    /// The query for GET, HEAD and DELETE, a JSON body for other methods.
    public var parameterEncoding: ServiceParameterEncoding { ServiceParameterEncoding() }
    /// None.
    public var headers: [String: String] { [:] }
    /// None.
    public var body: ServiceBody? { nil }
    /// Nil, which uses the session's timeout.
    public var timeout: TimeInterval? { nil }
    /// 200 to 299.
    public var validStatusCodes: Set<Int> { ServiceResponse.successfulStatusCodes }
    /// Does nothing.
    public func prepare(_ request: inout ServiceRequest) throws {}
}
