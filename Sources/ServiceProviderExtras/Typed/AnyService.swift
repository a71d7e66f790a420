// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

#if canImport(ServiceProvider)
import ServiceProvider
#endif

/// Any service: for one provider that serves services of several types.
///
/// ```swift
/// let provider = ServiceProvider<AnyService>()
/// let hero = try await provider.load(service: AnyService(GetHero(id: 7)), decodeType: Hero.self)
/// ```
public nonisolated struct AnyService: Service {
    private let service: any Service

    /// Wraps a service, which is read when it is loaded, in the isolation of whoever loads it.
    public init(_ service: some Service) {
        self.service = service
    }

    /// The wrapped service's.
    public var baseURL: String { service.baseURL }
    /// The wrapped service's.
    public var path: String { service.path }
    /// The wrapped service's.
    public var percentEncodedPath: String? { service.percentEncodedPath }
    /// The wrapped service's.
    public var method: ServiceMethod { service.method }
    /// The wrapped service's.
    public var parameters: [String: Any]? { service.parameters }
    /// The wrapped service's.
    public var parameterEncoding: ServiceParameterEncoding { service.parameterEncoding }
    /// The wrapped service's.
    public var headers: [String: String] { service.headers }
    /// The wrapped service's.
    public var body: ServiceBody? { service.body }
    /// The wrapped service's.
    public var timeout: TimeInterval? { service.timeout }
    /// The wrapped service's.
    public var validStatusCodes: Set<Int> { service.validStatusCodes }
    /// Calls the wrapped service's.
    public func prepare(_ request: inout ServiceRequest) throws { try service.prepare(&request) }
}
