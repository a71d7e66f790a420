// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

/// The body that a service sets besides its parameters.
enum OwnBody: CaseIterable {
    case none, data, json, form

    var body: ServiceBody? {
        switch self {
        case .none: nil
        case .data: .data(Data("a=1;{}".utf8))
        case .json: .json(["own": 1])
        case .form: .form(["own": [1, 2]], encoding: .init(arrays: .repeated))
        }
    }

    /// The text and content type on the wire.
    var sent: [String] {
        switch self {
        case .none: ["", ""]
        case .data: ["a=1;{}", "application/octet-stream"]
        case .json: [#"{"own":1}"#, "application/json"]
        case .form: ["own=1&own=2", "application/x-www-form-urlencoded"]
        }
    }
}

/// Where parameters and bodies end up on the wire.
@Suite(.serialized, .opensFiles, .timeLimit) struct ParameterWireTests {
    static let methods = ["GET", "HEAD", "DELETE", "POST", "PUT", "PATCH", "OPTIONS", "PURGE"]
    static let query = "by=2&at=0&f%5Bx%5D=a%20%26%20b&l%5B0%5D=1&l%5B1%5D=0"
    static let json = #"{"by":2,"at":0,"f":{"x":"a & b"},"l":[true,false]}"#

    static func service(
        _ base: String, _ method: String, _ own: OwnBody,
        _ destination: ServiceParameterEncoding.Destination
    ) -> TestService {
        TestService(
            baseURL: base + "?k=v", path: "/p", method: ServiceMethod(rawValue: method),
            parameters: [
                "l": [true, false], "f": ["x": "a & b"], "at": Date(timeIntervalSince1970: 0),
                "by": 2,
            ],
            parameterEncoding: ServiceParameterEncoding(
                destination: destination, arrays: .indexed, booleans: .numeric,
                dates: .secondsSince1970, order: ["by"]),
            body: own.body)
    }

    /// The expected query, body and content type. Nil if the request must be refused.
    static func expected(
        _ method: String, _ own: OwnBody, _ destination: ServiceParameterEncoding.Destination
    ) -> [String]? {
        let isBodiless = ["GET", "HEAD"].contains(method)
        if own != .none { return isBodiless ? nil : ["k=v&" + query] + own.sent }
        let isQueryByMethod = isBodiless || method == "DELETE"
        switch destination {
        case .automatic, .queryOrForm:
            guard !isQueryByMethod else { return expected(method, own, .query) }
            return expected(method, own, destination == .automatic ? .json : .form)
        case .form where !isBodiless: return ["k=v", query, OwnBody.form.sent[1]]
        case .json where !isBodiless: return ["k=v", json, OwnBody.json.sent[1]]
        case .query: return ["k=v&" + query, "", ""]
        default: return nil
        }
    }

    @Test(arguments: OwnBody.allCases, methods) func parametersAndBodyArriveInTheRightPlace(
        _ own: OwnBody, _ method: String
    ) async throws {
        let server = try LoopbackServer { _ in .text("") }
        let provider = ServiceProvider<TestService>()
        let destinations: [ServiceParameterEncoding.Destination] = [
            .automatic, .queryOrForm, .query, .form, .json,
        ]
        for destination in destinations {
            let service = Self.service(server.baseURL, method, own, destination)
            let count = server.requests.count
            guard let expected = Self.expected(method, own, destination) else {
                #expect(service.refusal()?.part == .body, "\(destination)")
                continue
            }
            _ = try await provider.response(service: service)
            let request = try #require(server.requests.dropFirst(count).first)
            #expect(request.method == method)
            #expect(request.path == "/p")
            let body = String(decoding: request.body, as: UTF8.self)
            #expect([request.query ?? "", body] == expected.prefix(2), "\(destination)")
            // URLSession on Linux adds a content type to an empty body.
            if !body.isEmpty { #expect(request.header("Content-Type") == expected[2]) }
        }
    }
}
