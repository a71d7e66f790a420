// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderSupport
import Testing

/// An endpoint for tests. Set the properties that the test is about, and leave the others.
public struct TestService: Service, CustomTestStringConvertible, @unchecked Sendable {
    // Unchecked, because `parameters` and `body` can hold any value. Tests only put literals there.
    public var baseURL: String
    public var path: String
    public var method: ServiceMethod
    public var parameters: [String: Any]?
    public var parameterEncoding: ServiceParameterEncoding
    public var headers: [String: String]
    public var body: ServiceBody?
    public var timeout: TimeInterval?
    public var validStatusCodes: Set<Int>
    public var isRepeatable: Bool?
    public var sampleData: Data
    public var secretNames: Set<String>
    public var decoder: (any ServiceDecoder)?
    public var change: (@Sendable (inout ServiceRequest) throws -> Void)?

    public var testDescription: String { "\(method.rawValue) '\(baseURL)' + '\(path)'" }

    public init(
        baseURL: String = "https://example.com/api",
        path: String = "",
        method: ServiceMethod = .get,
        parameters: [String: Any]? = nil,
        parameterEncoding: ServiceParameterEncoding = ServiceParameterEncoding(),
        headers: [String: String] = [:],
        body: ServiceBody? = nil,
        timeout: TimeInterval? = nil,
        validStatusCodes: Set<Int> = ServiceResponse.successfulStatusCodes,
        isRepeatable: Bool? = nil,
        sampleData: Data = Data(),
        secretNames: Set<String> = [],
        decoder: (any ServiceDecoder)? = nil,
        change: (@Sendable (inout ServiceRequest) throws -> Void)? = nil
    ) {
        self.baseURL = baseURL
        self.path = path
        self.method = method
        self.parameters = parameters
        self.parameterEncoding = parameterEncoding
        self.headers = headers
        self.body = body
        self.timeout = timeout
        self.validStatusCodes = validStatusCodes
        self.isRepeatable = isRepeatable
        self.sampleData = sampleData
        self.secretNames = secretNames
        self.decoder = decoder
        self.change = change
    }

    public func prepare(_ request: inout ServiceRequest) throws {
        request.isRepeatable = isRepeatable
        request.sampleData = sampleData
        request.secretNames = secretNames
        request.decoder = decoder
        try change?(&request)
    }

    /// This service with a timeout that's longer than any test. On a busy machine, a test may wait
    /// longer than the session's 60 seconds for its turn.
    public var patient: TestService {
        var service = self
        service.timeout = 3_000
        return service
    }
}
