// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// What an endpoint is: where it lives, and what is sent there.
///
/// Conform an enum with one case for each endpoint, or a struct for each. Only ``baseURL`` and
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
/// A service is read once, in the isolation of whoever loads it, and never travels further: it need
/// not be `Sendable`, and may belong to the main actor.
public nonisolated protocol Service {
    /// The URL that all paths are appended to, such as `"https://api.example.com/v2"`.
    ///
    /// Only `http` and `https`. A query is kept, and parameters are appended to it; a fragment is
    /// dropped.
    var baseURL: String { get }

    /// The path below ``baseURL``, as raw text.
    ///
    /// What is not a path character is percent-encoded as UTF-8; `%`, `?` and `#` are data. Exactly
    /// one slash stands at the seam, whether or not either side brings one. A segment that is
    /// exactly `.` or `..` is refused, since the wire would resolve it.
    var path: String { get }

    /// The path, percent-encoded already; used instead of ``path`` when it is not nil. Default: nil.
    ///
    /// The way out for what raw text cannot say, such as a slash inside a segment (`"a%2Fb"`).
    var percentEncodedPath: String? { get }

    /// The HTTP method. Default: ``ServiceMethod/get``.
    var method: ServiceMethod { get }

    /// What is sent as query, form or JSON; see ``parameterEncoding``. Default: nil.
    ///
    /// Strings, numbers, booleans, `Date`, `URL`, `UUID`, `Data` (as Base64), values with a raw value,
    /// and arrays and dictionaries of these (`key[]`, `key[inner]` in a query). A nil, also one wrapped
    /// in `Any`, drops its key; `NSNull` is null in JSON. All else, NaN and infinity are refused.
    /// `[String: Any].encoding(_:)` makes parameters of an `Encodable` value.
    var parameters: [String: Any]? { get }

    /// Where ``parameters`` go and how they are written. Default: to the query for GET, HEAD and
    /// DELETE, as a JSON body otherwise.
    var parameterEncoding: ServiceParameterEncoding { get }

    /// Header fields by name. Default: none.
    ///
    /// Names must be tokens and values free of control characters (RFC 9110, section 5).
    /// `Content-Length` and `Transfer-Encoding` are refused: the transport sets them.
    var headers: [String: String] { get }

    /// The body. Default: nil. When it is set, ``parameters`` go to the query, also those that
    /// ``parameterEncoding`` would send as a form or JSON: a request has one body.
    var body: ServiceBody? { get }

    /// Seconds without a byte from the server after which the call fails. Default: nil, which leaves
    /// it to the session (60 seconds, unless configured otherwise). `.infinity` waits for a week.
    var timeout: TimeInterval? { get }

    /// The status codes that count as success. Default: 200 to 299.
    ///
    /// A redirect status that is listed here is handed over instead of being followed.
    var validStatusCodes: Set<Int> { get }

    /// Whether the request may be sent twice. Default: nil, and its method tells: see ``ServiceRetry``.
    ///
    /// A POST may be, whose server knows a repetition by a header such as `Idempotency-Key`. A service is
    /// read once for a call: `["Idempotency-Key": UUID().uuidString]` in ``headers`` is the same key for
    /// all its attempts.
    var isRepeatable: Bool? { get }

    /// Names of headers, parameters and JSON members that no log, error or recording may show, in
    /// addition to well-known ones. Default: none. See ``ServiceRequest/isSecret(_:)``.
    var secretNames: Set<String> { get }

    /// What a stub answers for this endpoint. Default: no bytes.
    var sampleData: Data { get }

    /// Makes values of the answers of this endpoint. Default: nil, and the provider's decoder does.
    var decoder: (any ServiceDecoder)? { get }
}

nonisolated extension Service {
    /// Nil: ``Service/path`` counts.
    public var percentEncodedPath: String? { nil }
    /// GET.
    public var method: ServiceMethod { .get }
    /// None.
    public var parameters: [String: Any]? { nil }
    /// The query for GET, HEAD and DELETE, a JSON body otherwise.
    public var parameterEncoding: ServiceParameterEncoding { ServiceParameterEncoding() }
    /// None.
    public var headers: [String: String] { [:] }
    /// None.
    public var body: ServiceBody? { nil }
    /// Nil: the session's own.
    public var timeout: TimeInterval? { nil }
    /// 200 to 299.
    public var validStatusCodes: Set<Int> { ServiceResponse.successfulStatusCodes }
    /// Nil: by its method.
    public var isRepeatable: Bool? { nil }
    /// None.
    public var secretNames: Set<String> { [] }
    /// No bytes.
    public var sampleData: Data { Data() }
    /// Nil: the provider's.
    public var decoder: (any ServiceDecoder)? { nil }
}
