// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The request of one call: a `URLRequest`, and settings for its response.
///
/// A provider creates it from a ``Service``. Interceptors can change it. To send a request that doesn't
/// belong to a service, create one from a `URLRequest` and pass it to ``ServiceProvider/send(_:)``.
public nonisolated struct ServiceRequest: Sendable {
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
    /// Decides which redirects are followed. Default: nil, which follows them.
    public var redirectPolicy: ServiceRedirectPolicy?
    /// Whether the request may be sent twice. Default: nil, which decides by the method and
    /// `Idempotency-Key`; see ``isRepeatable(methods:)``.
    public var isRepeatable: Bool?
    /// The URL that was valid when the request was built, so that it isn't checked twice.
    var checkedURL: URL?
    private var options: [(key: ObjectIdentifier, value: any Sendable)] = []

    /// Creates a request that doesn't belong to a service.
    public init(_ urlRequest: URLRequest) {
        self.urlRequest = urlRequest
    }

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
        get {
            for option in options where option.key == ObjectIdentifier(Key.self) {
                return option.value as? Key.Value ?? Key.defaultValue
            }
            return Key.defaultValue
        }
        set {
            options.removeAll { $0.key == ObjectIdentifier(Key.self) }
            options.append((ObjectIdentifier(Key.self), newValue))
        }
    }

    /// Sets a header field, and replaces one with the same name.
    ///
    /// Use it instead of `URLRequest.setValue`, which refuses line breaks in values, but not in
    /// names.
    ///
    /// - Parameters:
    ///   - name: A token (RFC 9110, section 5.6.2), except `Content-Length` and `Transfer-Encoding`.
    ///   - value: Text without control characters, except tabs. Spaces around it are removed.
    /// - Throws: ``ServiceError/invalidRequest(_:reason:)``, which names the field but not its value.
    public mutating func setHeader(_ name: String, _ value: String) throws(ServiceError) {
        try Self.validate(header: name, value)
        urlRequest.setValue(Self.trimmed(value), forHTTPHeaderField: name)
    }

    /// Whether the request has a body that can be sent again. An `httpBodyStream` can't.
    public var hasBody: Bool { urlRequest.httpBody?.isEmpty == false || upload != nil }

    /// Whether the request may be sent twice: ``isRepeatable`` if it is set; otherwise, the method
    /// or an `Idempotency-Key` decides. A request with an `httpBodyStream` is never repeatable.
    ///
    /// - Parameter methods: The methods that may be sent twice. Default: ``ServiceMethod/idempotent``.
    public func isRepeatable(
        methods: Set<ServiceMethod> = ServiceMethod.idempotent
    ) -> Bool {
        let hasKey = urlRequest.value(forHTTPHeaderField: "Idempotency-Key") != nil
        let isSafe =
            hasKey || methods.contains(ServiceMethod(rawValue: urlRequest.httpMethod ?? "GET"))
        return urlRequest.httpBodyStream == nil && (isRepeatable ?? isSafe)
    }
}

/// An option on a ``ServiceRequest``.
public nonisolated protocol ServiceRequestOption {
    /// The type of the option.
    associatedtype Value: Sendable
    /// The value of a request that doesn't set the option.
    static var defaultValue: Value { get }
}

nonisolated extension ServiceRequest: CustomStringConvertible, CustomReflectable {
    /// The method and the path, without the query.
    public var description: String {
        let path = URLComponents(string: redactedURL)?.percentEncodedPath ?? ""
        // A path that is hidden stays empty.
        let isRoot = urlRequest.url?.absoluteURL.path.isEmpty == true
        return "\(urlRequest.httpMethod ?? "GET") \(isRoot ? "/" : path)"
    }

    /// Empty, because `dump` would print the headers and the query.
    public var customMirror: Mirror { Mirror(self, children: [:]) }

    /// The URL without user info, query and fragment, which may be secret.
    public var redactedURL: String { Self.redactedURL(urlRequest.url?.absoluteString ?? "") }

    static func redactedURL(_ text: String) -> String {
        guard var parts = URLComponents(string: text) else { return "" }
        // Without a host, the path may contain a password.
        if parts.host == nil, text.unicodeScalars.contains("@") { return "" }
        // A URL inside the path may contain a password, too.
        let path = parts.percentEncodedPath
        if path.contains("//"), path.unicodeScalars.contains("@") { parts.percentEncodedPath = "" }
        (parts.user, parts.password, parts.query, parts.fragment) = (nil, nil, nil, nil)
        return parts.string ?? ""
    }
}
