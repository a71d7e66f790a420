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

@Suite(.serialized, .opensFiles, .timeLimit) struct HeaderTests {
    private static let secret = "hunter2"
    private static let tokens = Set(
        "!#$%&'*+-.^_`|~ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
            .unicodeScalars)

    private func refusalOf(_ headers: [String: String]) -> TestService.Refusal? {
        TestService(headers: headers).refusal()
    }

    private func sent(_ headers: [String: String]) throws -> URLRequest {
        try TestService(headers: headers).request().urlRequest
    }

    /// Sets a header as interceptors do, and returns the refusal.
    private func refusalOfSetting(_ name: String, _ value: String) throws -> TestService.Refusal? {
        var request = try TestService().request()
        do {
            try request.setHeader(name, to: value)
            return nil
        } catch {
            guard case ServiceError.invalidRequest(let part, _) = error else { return nil }
            return TestService.Refusal(part: part, text: "\(error)")
        }
    }

    @Test(.row("I2")) func headerNamesMustBeTokens() throws {
        for scalar in (0..<128).compactMap(Unicode.Scalar.init) {
            for name in ["\(scalar)", "\(scalar)X-A", "X\(scalar)A", "X-A\(scalar)"] {
                let found = [
                    refusalOf([name: Self.secret]), try refusalOfSetting(name, Self.secret),
                ]
                if Self.tokens.contains(scalar) {
                    #expect(found.allSatisfy { $0 == nil }, "the token '\(name)' is refused")
                    #expect(try sent([name: "v"]).value(forHTTPHeaderField: name) == "v")
                } else {
                    #expect(
                        found.allSatisfy { $0?.part == .header },
                        "the invalid name '\(name)' is sent")
                    #expect(found.allSatisfy { $0?.text.contains(Self.secret) == false })
                }
            }
        }
    }

    @Test(.row("I1")) func controlCharactersInHeaderValuesAreRefused() throws {
        for scalar in (0..<256).compactMap(Unicode.Scalar.init) {
            let isControl = scalar.value < 0x20 && scalar != "\t" || scalar.value == 0x7F
            for value in ["\(scalar)\(Self.secret)", "hunter2\(scalar)x", "hunter2\(scalar)"] {
                let found = [
                    refusalOf(["X-Name": value]), try refusalOfSetting("X-Name", value),
                ]
                guard isControl else {
                    #expect(found.allSatisfy { $0 == nil }, "scalar \(scalar.value) is refused")
                    let field = try sent(["X-Name": value]).value(forHTTPHeaderField: "x-name")
                    #expect(field.map { Array($0.utf8) } == Array(value.utf8))
                    continue
                }
                for refusal in found {
                    #expect(refusal?.part == .header, "scalar \(scalar.value) is sent")
                    #expect(refusal?.text.contains("'X-Name'") == true)
                    #expect(refusal?.text.contains(Self.secret) == false)
                }
            }
        }
    }

    @Test(
        .row("I7"),
        arguments: [
            ["X-A": "hunter2", "x-a": "2"], ["Accept": "hunter2", "ACCEPT": "hunter2"],
            ["a": "hunter2", "A": "", "b": "3"],
        ])
    func headersThatDifferOnlyInCaseAreRefused(_ headers: [String: String]) throws {
        let refusal = try #require(refusalOf(headers))
        #expect(refusal.part == .header)
        #expect(!refusal.text.contains("hunter2"))
    }

    @Test func settingAHeaderIgnoresTheCaseOfItsName() throws {
        var request = try TestService(headers: ["X-Name": "old"]).request()
        try request.setHeader("x-name", to: "new")
        #expect(request.urlRequest.value(forHTTPHeaderField: "X-NAME") == "new")
        #expect(request.urlRequest.allHTTPHeaderFields?.count == 1)
    }

    @Test func refusedHeadersLeaveTheRequestUnchanged() throws {
        var request = try TestService(headers: ["X-Name": "old"]).request()
        #expect(throws: ServiceError.self) { try request.setHeader("X-Name", to: "a\nb") }
        #expect(throws: ServiceError.self) { try request.setHeader("X Name", to: "a") }
        #expect(request.urlRequest.allHTTPHeaderFields == ["X-Name": "old"])
    }
}
