// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct FormTests {
    private func sent(
        _ form: ServiceBody, headers: [String: String] = [:], parameters: [String: Any]? = nil
    ) throws -> URLRequest {
        try TestService(method: .post, parameters: parameters, headers: headers, body: form)
            .request().urlRequest
    }

    @Test func fieldsAreSentAsAForm() throws {
        let request = try sent(
            .form(["b": [1, 2], "a": "x y&z", "c": true], encoding: .init(booleans: .numeric)))
        #expect(request.httpBody == Data("a=x%20y%26z&b%5B%5D=1&b%5B%5D=2&c=1".utf8))
        let type = request.value(forHTTPHeaderField: "Content-Type")
        #expect(type == "application/x-www-form-urlencoded")
        #expect(try sent(.form([:])).httpBody?.isEmpty != false)
    }

    @Test(arguments: ["Content-Type", "content-type", "CONTENT-TYPE", "cOnTeNt-TyPe"])
    func headersOverrideTheContentType(_ name: String) throws {
        let own = "application/vnd.api+json"
        let request = try sent(.form(["a": 1]), headers: [name: own], parameters: ["a": 1])
        #expect(request.value(forHTTPHeaderField: "Content-Type") == own)
        let names = (request.allHTTPHeaderFields ?? [:]).keys.map { $0.lowercased() }
        #expect(names == ["content-type"])
    }
}
