// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import Testing

/// An endpoint for tests: set what the test is about, leave the rest.
package struct TestService: Service, CustomTestStringConvertible, @unchecked Sendable {
    // Unchecked, because `parameters` and `body` can hold any value. Tests only put literals there.
    package var baseURL: String
    package var path: String
    package var percentEncodedPath: String?
    package var method: ServiceMethod
    package var parameters: [String: Any]?
    package var parameterEncoding: ServiceParameterEncoding
    package var headers: [String: String]
    package var body: ServiceBody?
    package var timeout: TimeInterval?
    package var validStatusCodes: Set<Int>
    package var isRepeatable: Bool?
    package var sampleData: Data
    package var secretNames: Set<String>
    package var decoder: (any ServiceDecoder)?

    package var testDescription: String { "\(method.rawValue) '\(baseURL)' + '\(path)'" }

    package init(
        baseURL: String = "https://example.com/api",
        path: String = "",
        percentEncodedPath: String? = nil,
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
        decoder: (any ServiceDecoder)? = nil
    ) {
        self.baseURL = baseURL
        self.path = path
        self.percentEncodedPath = percentEncodedPath
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
    }

    /// This service with a timeout that's longer than any test. On a busy machine a test may wait for
    /// its turn for longer than the session's 60 seconds.
    package var patient: TestService {
        var service = self
        service.timeout = 3_000
        return service
    }
}
