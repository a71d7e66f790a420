// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite(.serialized, .opensFiles, .timeLimit) struct RequestFieldTests {
    @Test(.row("I3")) func methodsMustBeTokens() throws {
        let tokens = Set(
            "!#$%&'*+-.^_`|~ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                .unicodeScalars)
        for scalar in (0..<128).compactMap(Unicode.Scalar.init) {
            for text in ["\(scalar)Z", "Z\(scalar)Z", "Z\(scalar)"] {
                let service = TestService(method: ServiceMethod(rawValue: text))
                if tokens.contains(scalar) {
                    #expect(try service.request().urlRequest.httpMethod == text)
                } else {
                    #expect(
                        service.refusal()?.part == .method, "the invalid method '\(text)' is sent")
                }
            }
        }
    }

    @Test(arguments: [
        (0.2, 0.2), (1, 1), (90.5, 90.5), (604_800, 604_800), (604_801, 604_800),
        (TimeInterval.infinity, 604_800), (.greatestFiniteMagnitude, 604_800),
        (.leastNonzeroMagnitude, .leastNonzeroMagnitude),
    ])
    func timeoutsAreKeptUpToAWeek(_ timeout: TimeInterval, _ expected: TimeInterval) throws {
        let request = try TestService(timeout: timeout).request()
        #expect(request.urlRequest.timeoutInterval == expected)
    }

    @Test(arguments: [TimeInterval(0), -0.0, -1, -.infinity, .nan, -.greatestFiniteMagnitude])
    func invalidTimeoutsAreRefused(_ timeout: TimeInterval) throws {
        let refusal = try #require(TestService(timeout: timeout).refusal())
        #expect(refusal.part == .timeout)
        #expect(refusal.text.contains("'\(timeout)'"))
    }

    @Test func validStatusCodesAndSampleDataAreCopied() throws {
        let service = TestService(validStatusCodes: [200, 404], sampleData: Data("s".utf8))
        let request = try service.request()
        #expect(request.validStatusCodes == [200, 404])
        #expect(request.sampleData == Data("s".utf8))
        let plain = try TestService().request()
        #expect(plain.validStatusCodes == Set(200...299))
        #expect(plain.sampleData.isEmpty)
    }

    private struct Bare: Service {
        var baseURL: String { "https://example.com" }
        var path: String { "x" }
    }

    @Test func servicesNeedOnlyABaseURLAndAPath() throws {
        let request = try ServiceProvider<Bare>().request(service: Bare())
        #expect(request.urlRequest.url?.absoluteString == "https://example.com/x")
        #expect(request.sampleData.isEmpty)
        #expect(request.urlRequest.httpMethod == "GET")
        #expect(request.urlRequest.httpBody == nil)
        #expect(request.validStatusCodes == Set(200...299))
        #expect(request.isRepeatable == nil)
    }
}
