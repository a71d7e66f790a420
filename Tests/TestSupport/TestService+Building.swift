// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import Testing

extension TestService {
    /// The request that a provider builds.
    package func request() throws(ServiceError) -> ServiceRequest {
        try ServiceProvider<TestService>().request(for: self)
    }

    package func url() throws -> String {
        try #require(request().urlRequest.url).absoluteString
    }

    package func bodyText() throws -> String {
        String(decoding: try request().urlRequest.httpBody ?? Data(), as: UTF8.self)
    }

    /// The `.invalidRequest` that building throws. Nil if it succeeds or throws another error.
    package func refusal() -> Refusal? {
        do throws(ServiceError) {
            _ = try request()
            return nil
        } catch {
            guard case .invalidRequest(let part, _) = error else { return nil }
            return Refusal(part: part, text: error.description)
        }
    }

    /// An `.invalidRequest` and its text.
    package struct Refusal {
        package let part: ServiceError.RequestPart
        package let text: String

        package init(part: ServiceError.RequestPart, text: String) {
            self.part = part
            self.text = text
        }
    }
}

/// Encodes parameters as text, in each of the three ways.
package enum ParameterText {
    package static func query(
        _ parameters: [String: Any], _ encoding: ServiceParameterEncoding = .init()
    ) throws -> String {
        let service = TestService(parameters: parameters, parameterEncoding: encoding)
        let url = try service.url()
        guard let mark = url.firstIndex(of: "?") else { return "" }
        return String(url[mark...].dropFirst())
    }

    package static func json(
        _ parameters: [String: Any], _ encoding: ServiceParameterEncoding = .init()
    ) throws -> String {
        try body(parameters, encoding, .json)
    }

    package static func form(
        _ parameters: [String: Any], _ encoding: ServiceParameterEncoding = .init()
    ) throws -> String {
        try body(parameters, encoding, .form)
    }

    package static func refusal(
        _ parameters: [String: Any], _ destination: ServiceParameterEncoding.Destination
    ) -> TestService.Refusal? {
        TestService(
            method: .post, parameters: parameters,
            parameterEncoding: .init(destination: destination)
        ).refusal()
    }

    private static func body(
        _ parameters: [String: Any], _ encoding: ServiceParameterEncoding,
        _ destination: ServiceParameterEncoding.Destination
    ) throws -> String {
        var encoding = encoding
        encoding.destination = destination
        return try TestService(
            method: .post, parameters: parameters, parameterEncoding: encoding
        ).bodyText()
    }
}
