// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// An endpoint as a value, for a URL that needs no type of its own.
///
/// ```swift
/// let provider = ServiceProvider<ServiceEndpoint>()
/// let heroes = try await provider.load(
///     service: ServiceEndpoint("https://example.com/heroes", parameters: ["limit": 5]),
///     decodeType: [Hero].self)
/// ```
public nonisolated struct ServiceEndpoint: Service, Sendable {
    /// The URL, or the URL that ``path`` is appended to.
    public var baseURL: String
    /// See `Service.path`. Default: empty.
    public var path = ""
    /// See `Service.method`. Default: `ServiceMethod.get`.
    public var method: ServiceMethod
    /// See `Service.parameters`. Default: nil.
    public var parameters: [String: Any]? { sendableParameters }
    private let sendableParameters: [String: any Sendable]?
    /// See `Service.parameterEncoding`. Default: decided by the method.
    public var parameterEncoding = ServiceParameterEncoding()
    /// See `Service.headers`. Default: none.
    public var headers: [String: String]
    /// See `Service.body`. Default: nil.
    public var body: ServiceBody?
    /// See `Service.timeout`. Default: nil.
    public var timeout: TimeInterval?
    /// See `Service.validStatusCodes`. Default: 200 to 299.
    public var validStatusCodes = ServiceResponse.successfulStatusCodes

    /// Creates an endpoint.
    public init(
        _ url: String, method: ServiceMethod = .get, parameters: [String: any Sendable]? = nil,
        headers: [String: String] = [:], body: ServiceBody? = nil
    ) {
        baseURL = url
        self.method = method
        sendableParameters = parameters
        self.headers = headers
        self.body = body
    }
}

nonisolated extension ServiceEndpoint: CustomStringConvertible, CustomReflectable {
    /// The method and the host.
    public var description: String {
        "\(method.rawValue) \(URLComponents(string: baseURL)?.host ?? "")"
    }

    /// Empty, because `dump` would print the headers and the parameters.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
