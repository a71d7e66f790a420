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
    @Test func methodsMustBeTokens() throws {
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
        "", " ", "GET ", " GET", "GET /evil HTTP/1.1\r\nHost: x\r\n\r\nGET", "G\u{C9}T", "日本",
    ])
    func invalidMethodsAreRefused(_ text: String) throws {
        let service = TestService(method: ServiceMethod(rawValue: text))
        let refusal = try #require(service.refusal())
        #expect(refusal.part == .method)
        #expect(!refusal.text.contains { $0.isNewline })
    }

    @Test(arguments: [
        (ServiceMethod.get, "GET"), (.post, "POST"), (.put, "PUT"), (.patch, "PATCH"),
        (.delete, "DELETE"), (.head, "HEAD"), (.options, "OPTIONS"),
        (ServiceMethod(rawValue: "M-SEARCH"), "M-SEARCH"),
        (ServiceMethod(rawValue: "purge"), "purge"),
    ])
    func methodsAreSentUnchanged(_ method: ServiceMethod, _ text: String) throws {
        #expect(method.rawValue == text)
        #expect(try TestService(method: method).request().urlRequest.httpMethod == text)
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

    @Test func withoutATimeoutTheDefaultIsKept() throws {
        let url = try #require(URL(string: "https://example.com"))
        let request = try TestService().request()
        #expect(request.urlRequest.timeoutInterval == URLRequest(url: url).timeoutInterval)
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
        let request = try ServiceProvider<Bare>().request(for: Bare())
        #expect(request.urlRequest.url?.absoluteString == "https://example.com/x")
        #expect(request.urlRequest.httpMethod == "GET")
        #expect(request.urlRequest.httpBody == nil)
        #expect(request.validStatusCodes == Set(200...299))
        #expect(request.isRepeatable == nil)
    }

    @Test func requestsBuiltByHandHaveTheSameDefaults() throws {
        var own = URLRequest(url: try #require(URL(string: "https://example.com/x")))
        #expect(ServiceRequest(own).isRepeatable == nil)
        #expect(ServiceRequest(own).validStatusCodes == Set(200...299))
        own.httpMethod = "POST"
        #expect(ServiceRequest(own).urlRequest == own)
    }

    /// Describes a request as a text, with sorted headers.
    private func text(_ request: ServiceRequest) -> String {
        let urlRequest = request.urlRequest
        let headers = (urlRequest.allHTTPHeaderFields ?? [:]).sorted { $0.key < $1.key }
        let body = (urlRequest.httpBody ?? Data()).base64EncodedString()
        let url = urlRequest.url?.absoluteString ?? ""
        return "\(urlRequest.httpMethod ?? "") \(url) \(headers) \(body)"
    }

    @Test(arguments: [ServiceMethod.get, .post]) func aServiceAlwaysBuildsTheSameRequest(
        _ method: ServiceMethod
    ) throws {
        let keys = (0..<50).map { "key\($0)" }
        let nested = Dictionary(
            uniqueKeysWithValues: keys.map { ($0, ["b": 1, "a": [$0]] as Any) })
        let first = TestService(
            method: method, parameters: nested,
            headers: Dictionary(uniqueKeysWithValues: keys.map { ($0, $0) }))
        var second = first
        second.parameters = [String: Any](minimumCapacity: 4_000)
        for key in keys.reversed() { second.parameters?[key] = nested[key] }
        #expect(try text(first.request()) == text(first.request()))
        #expect(try text(first.request()) == text(second.request()))
    }
}
