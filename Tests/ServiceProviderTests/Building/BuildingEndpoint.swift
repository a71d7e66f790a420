// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// An endpoint of which a test says only what it is about.
struct BuildingEndpoint: Service, CustomTestStringConvertible {
    var baseURL = "https://example.com/api"
    var path = ""
    var percentEncodedPath: String?
    var method = ServiceMethod.get
    var parameters: [String: Any]?
    var parameterEncoding = ServiceParameterEncoding()
    var headers: [String: String] = [:]
    var body: ServiceBody?
    var timeout: TimeInterval?
    var validStatusCodes = ServiceResponse.successfulStatusCodes
    var sampleData = Data()
    var testDescription: String { "\(method.rawValue) '\(baseURL)' + '\(path)'" }

    func request() throws(ServiceError) -> ServiceRequest {
        try ServiceProvider<BuildingEndpoint>().request(for: self)
    }

    func url() throws -> String {
        try #require(request().urlRequest.url).absoluteString
    }

    func bodyText() throws -> String {
        String(decoding: try request().urlRequest.httpBody ?? Data(), as: UTF8.self)
    }

    /// How the endpoint is refused; nil when it is not, or by another error than `.invalidRequest`.
    func refusal() -> BuildingRefusal? {
        do throws(ServiceError) {
            _ = try request()
            return nil
        } catch {
            guard case .invalidRequest(let part, _) = error else { return nil }
            return BuildingRefusal(part: part, text: error.description)
        }
    }
}

struct BuildingRefusal {
    let part: ServiceError.RequestPart
    let text: String
}

/// What parameters become, as text.
enum BuildingText {
    static func query(
        _ parameters: [String: Any], _ encoding: ServiceParameterEncoding = .init()
    ) throws -> String {
        let service = BuildingEndpoint(parameters: parameters, parameterEncoding: encoding)
        let url = try service.url()
        guard let mark = url.firstIndex(of: "?") else { return "" }
        return String(url[mark...].dropFirst())
    }

    static func json(
        _ parameters: [String: Any], _ encoding: ServiceParameterEncoding = .init()
    ) throws -> String {
        var encoding = encoding
        encoding.destination = .json
        return try BuildingEndpoint(
            method: .post, parameters: parameters, parameterEncoding: encoding
        ).bodyText()
    }

    static func form(
        _ parameters: [String: Any], _ encoding: ServiceParameterEncoding = .init()
    ) throws -> String {
        var encoding = encoding
        encoding.destination = .form
        return try BuildingEndpoint(
            method: .post, parameters: parameters, parameterEncoding: encoding
        ).bodyText()
    }

    static func refusal(
        _ parameters: [String: Any], _ destination: ServiceParameterEncoding.Destination
    ) -> BuildingRefusal? {
        BuildingEndpoint(
            method: .post, parameters: parameters,
            parameterEncoding: .init(destination: destination)
        ).refusal()
    }
}
