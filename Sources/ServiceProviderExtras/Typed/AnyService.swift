// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// Wraps any service, so that one provider can load services of several types.
///
/// ```swift
/// let provider = ServiceProvider<AnyService>()
/// let hero = try await provider.load(
///     service: AnyService(GetHero(id: 7)), decodeType: Hero.self)
/// ```
public nonisolated struct AnyService: Service {
    private let service: any Service

    /// Wraps a service. It is read when it is loaded, in the caller's isolation.
    public init(_ service: some Service) {
        self.service = service
    }

    /// The value of the wrapped service.
    public var baseURL: String { service.baseURL }
    /// The value of the wrapped service.
    public var path: String { service.path }
    /// The value of the wrapped service.
    public var method: ServiceMethod { service.method }
    /// The value of the wrapped service.
    public var parameters: [String: Any]? { service.parameters }
    /// The value of the wrapped service.
    public var parameterEncoding: ServiceParameterEncoding { service.parameterEncoding }
    /// The value of the wrapped service.
    public var headers: [String: String] { service.headers }
    /// The value of the wrapped service.
    public var body: ServiceBody? { service.body }
    /// The value of the wrapped service.
    public var timeout: TimeInterval? { service.timeout }
    /// The value of the wrapped service.
    public var validStatusCodes: Set<Int> { service.validStatusCodes }
    /// Calls the wrapped service.
    public func prepare(_ request: inout ServiceRequest) throws { try service.prepare(&request) }
}
