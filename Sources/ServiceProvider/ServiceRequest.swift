// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// The request of one call: a `URLRequest`, and settings for its response.
///
/// A provider creates it from a ``Service``. Interceptors can change it. To send a request that doesn't
/// belong to a service, create one from a `URLRequest` and pass it to ``ServicePipeline/send(_:)``:
/// `provider.pipeline.send(request)`.
public nonisolated struct ServiceRequest: Sendable {
    /// Decides about a redirect: returns the request that follows it, or nil to return the redirect
    /// itself. If it throws, the call fails with that error, wrapped by ``ServiceError/init(_:of:)``.
    ///
    /// - Parameters:
    ///   - next: The request that follows the redirect. The closure may change it, for example its
    ///     headers.
    ///   - redirect: The redirect. Its ``ServiceResponse/request`` is the request that was redirected.
    ///   - count: Which redirect of the call this is: 1 for the first.
    public typealias RedirectHandler =
        @Sendable (_ next: ServiceRequest, _ redirect: ServiceResponse, _ count: Int) throws ->
        ServiceRequest?

    /// The request to send.
    public var urlRequest: URLRequest
    /// The status codes that count as success. Default: 200 to 299.
    public var validStatusCodes = ServiceResponse.successfulStatusCodes
    /// Decodes the response. Default: nil, which uses the provider's decoder.
    public var decoder: (any ServiceDecoder)?
    /// Opens a body that isn't in memory, each time the request is sent. Default: nil, which uses
    /// `urlRequest.httpBody`.
    public var upload: ServiceBody.Upload?
    /// Receives the body of a successful response. Default: nil, which collects it in
    /// ``ServiceResponse/data``.
    public var bodySink: (any ServiceBodySink)?
    /// Decides about each redirect and sees it. Default: nil, which follows redirects.
    ///
    /// Whatever it decides, at most 20 redirects are followed each time the request is sent, never one
    /// from https to http or to a URL that isn't http or https, and one with a body to another origin only if
    /// ``sendsBodyToOtherOrigins`` is true for the next request. To add to a handler that is set already, call it in yours.
    public var onRedirect: RedirectHandler?
    /// Whether the request may be sent twice. Overrides the method and the `Idempotency-Key` in
    /// ``mayBeRepeated(ifMethodIn:)``. Default: nil, which lets these decide. False isn't a
    /// guarantee: that method lists the parts that don't ask, such as URLSession for a GET, HEAD, PUT or DELETE.
    public var isRepeatable: Bool?
    // The small properties are beside each other, so that a request doesn't grow: each waiting call has several copies.
    /// Whether the call also returns responses with other status codes, in place of throwing
    /// ``ServiceError/unacceptableStatus(_:)``. Default: false.
    ///
    /// Only ``validStatusCodes`` are successes, even then: redirects are followed, `ServiceRetry` retries,
    /// `ServiceAuthenticator` refreshes its token, and the body of another status goes to ``ServiceResponse/data``. A
    /// download of another status throws, because it has no file.
    public var acceptsAnyStatus = false
    /// Whether a redirect to another origin (scheme, host or port) is followed although the request has a body, as those
    /// of Amazon S3 to the region of a bucket (307). Default: false, because the body may be secret.
    ///
    /// Set it in ``Service/prepare(_:)``, or for the next request in ``onRedirect``, which sees the new host. The next
    /// request has no header fields with credentials, even then. One with a condition, such as `If-Match`, isn't followed
    /// unless ``onRedirect`` sets the condition again.
    public var sendsBodyToOtherOrigins = false
    /// The description of the call's first request, after a redirect. (A server has chosen the URL of this one.)
    var originalDescription: String?
    private var options: [ObjectIdentifier: any Sendable] = [:]

    /// Creates a request that doesn't belong to a service.
    public init(_ urlRequest: URLRequest) { self.urlRequest = urlRequest }

    /// An option that another module adds to requests, by its key.
    ///
    /// ```swift
    /// enum Priority: ServiceRequestOption {
    ///     static var defaultValue: Int { 0 }
    /// }
    ///
    /// request[Priority.self] = 2
    /// ```
    public subscript<Key: ServiceRequestOption>(_: Key.Type) -> Key.Value {
        get { options[ObjectIdentifier(Key.self)].flatMap { $0 as? Key.Value } ?? Key.defaultValue }
        set { options.updateValue(newValue, forKey: ObjectIdentifier(Key.self)) }
    }

    /// Sets a header field, and replaces one with the same name.
    ///
    /// Use it instead of `URLRequest.setValue`, which refuses line breaks in values, but not in
    /// names.
    ///
    /// - Parameters:
    ///   - name: A token (RFC 9110, section 5.6.2), except `Content-Length` and `Transfer-Encoding`.
    ///   - value: Text without control characters, except tabs.
    /// - Throws: ``ServiceError/invalidRequest(_:reason:)``, which names the field but not its value.
    public mutating func setHeader(_ name: String, to value: String) throws {
        try Self.validate(header: name, value: value)
        urlRequest.setValue(value, forHTTPHeaderField: name)
    }

    /// Whether the request has a body: a stream, or at least one byte.
    public var hasBody: Bool {
        let hasBytes = urlRequest.httpBody?.isEmpty == false
        return hasBytes || upload != nil || urlRequest.httpBodyStream != nil
    }

    var method: ServiceMethod { ServiceMethod(rawValue: urlRequest.httpMethod ?? "GET") }
}

/// An option on a ``ServiceRequest``.
public nonisolated protocol ServiceRequestOption {
    /// The type of the option.
    associatedtype Value: Sendable
    /// The value of a request that doesn't set the option.
    static var defaultValue: Value { get }
}

nonisolated extension ServiceRequest: CustomStringConvertible, CustomReflectable {
    /// The method and the path, without the query. After a redirect, those of the first request.
    public var description: String {
        if let originalDescription { return originalDescription }
        let method = method.rawValue
        let parts = URLComponents(string: urlRequest.url?.absoluteString ?? "")
        let path = parts?.percentEncodedPath ?? ""
        // A URL inside the path may contain a password.
        let isSecret = path.contains("//") && path.contains("@")
        guard !path.isEmpty, !isSecret else { return "\(method) /" }
        return "\(method) \(path)"
    }

    /// Empty, because `dump` would print the headers and the query.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
