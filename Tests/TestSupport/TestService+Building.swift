// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderSupport
import Testing

extension TestService {
    /// The request that a provider builds.
    public func request() throws -> ServiceRequest {
        try ServiceProvider<TestService>().request(service: self)
    }

    public func url() throws -> String {
        try #require(request().urlRequest.url).absoluteString
    }

    public func bodyText() throws -> String {
        String(decoding: try request().urlRequest.httpBody ?? Data(), as: UTF8.self)
    }

    /// The `.invalidRequest` that building throws. Nil if it succeeds or throws another error.
    public func refusal() -> Refusal? {
        do {
            _ = try request()
            return nil
        } catch {
            guard case ServiceError.invalidRequest(let part, _) = error else { return nil }
            return Refusal(part: part, text: "\(error)")
        }
    }

    /// An `.invalidRequest` and its text.
    public struct Refusal {
        public let part: ServiceError.RequestPart
        public let text: String

        public init(part: ServiceError.RequestPart, text: String) {
            self.part = part
            self.text = text
        }
    }
}

/// Encodes parameters as a query, JSON or a form.
public enum ParameterText {
    public static func query(
        _ parameters: [String: Any], _ encoding: ServiceParameterEncoding = .init()
    ) throws -> String {
        let service = TestService(parameters: parameters, parameterEncoding: encoding)
        let url = try service.url()
        guard let mark = url.firstIndex(of: "?") else { return "" }
        return String(url[mark...].dropFirst())
    }

    public static func json(
        _ parameters: [String: Any], _ encoding: ServiceParameterEncoding = .init()
    ) throws -> String {
        try body(parameters, encoding, .json)
    }

    public static func form(
        _ parameters: [String: Any], _ encoding: ServiceParameterEncoding = .init()
    ) throws -> String {
        try body(parameters, encoding, .form)
    }

    public static func refusal(
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
