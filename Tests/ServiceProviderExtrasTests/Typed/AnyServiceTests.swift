// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import TestSupport
import Testing

import ServiceProvider
import ServiceProviderExtras

/// One provider for services of several types.
@Suite(.serialized, .opensFiles, .timeLimit) struct AnyServiceTests {
    /// Every property differs from its default.
    static let odd = TestService(
        baseURL: "http://example.com/base", path: "/raw", method: .put,
        parameters: ["list": [1, 2]],
        parameterEncoding: ServiceParameterEncoding(destination: .query, arrays: .indexed),
        headers: ["X-Odd": "yes"], body: .data(Data("body".utf8), contentType: "text/odd"),
        timeout: 7, validStatusCodes: [299], sampleData: Data("sample".utf8),
        decoder: PropertyListDecoder())

    @Test func aWrappedServiceKeepsEveryRequirement() throws {
        let odd = Self.odd
        let (own, any) = (
            try ServiceProvider<TestService>().request(service: odd),
            try ServiceProvider<AnyService>().request(service: AnyService(odd))
        )
        #expect(any.urlRequest == own.urlRequest)
        #expect(any.urlRequest.url?.absoluteString.hasSuffix("/raw?list[0]=1") == false)
        #expect(any.urlRequest.url?.path.hasPrefix("/base/raw") == true)
        #expect(any.urlRequest.url?.query?.contains("2") == true)
        #expect(any.urlRequest.httpMethod == "PUT")
        #expect(any.urlRequest.value(forHTTPHeaderField: "X-Odd") == "yes")
        #expect(any.urlRequest.value(forHTTPHeaderField: "Content-Type") == "text/odd")
        #expect(any.urlRequest.httpBody == Data("body".utf8))
        #expect(any.urlRequest.timeoutInterval == 7)
        #expect(any.validStatusCodes == [299])
        #expect(any.sampleData == odd.sampleData)
        #expect(any.decoder is PropertyListDecoder)
        #expect(AnyService(odd).path == "/raw")
    }

    /// Reads the sources, because forgetting a requirement that has a default would still compile.
    @Test func everyRequirementIsPassedOn() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Sources")
        let required = try lines(of: root.appendingPathComponent("ServiceProvider/Service.swift"))
            .filter { $0.hasSuffix("{ get }") }.map { name($0) }
        let passedOn = try lines(
            of: root.appendingPathComponent("ServiceProviderExtras/Typed/AnyService.swift")
        )
        .filter { $0.contains("{ service.") }.map { name($0) }
        #expect(required.count >= 9)
        #expect(required.sorted() == passedOn.sorted())
    }

    private func lines(of file: URL) throws -> [String] {
        try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
            .filter { !$0.contains("//") }
    }

    /// `parameters` of `    public var parameters: [String: Any]? { get }`.
    private func name(_ line: String) -> String {
        let head = line.prefix { $0 != ":" }
        return head.split(separator: " ").last.map(String.init) ?? ""
    }

    enum Cases: Service {
        case one(String)

        var baseURL: String {
            switch self {
            case .one(let server): server
            }
        }
        var path: String { "/enum" }
    }

    @Test func severalTypesShareAProvider() async throws {
        let server = try LoopbackServer { .text($0.path) }
        let provider = ServiceProvider<AnyService>()
        let services = [
            AnyService(Cases.one(server.baseURL)), AnyService(server.service("/struct")),
            AnyService(AnyService(server.service("/twice"))),
        ]
        for (service, path) in zip(services, ["/enum", "/struct", "/twice"]) {
            #expect(try await provider.response(service: service).text == path)
        }
        let text = await withCheckedContinuation { continuation in
            provider.load(service: services[0]) { continuation.resume(returning: $0.value) }
        }
        #expect(text == Data("/enum".utf8))
    }

    /// Counts how often it is read.
    final class Counting: Service {
        var reads = 0
        var baseURL: String {
            reads += 1
            return "http://example.com"
        }
        var path: String { "/" }
    }

    @Test func aWrappedServiceIsReadOnce() throws {
        let service = Counting()
        let wrapped = AnyService(service)
        #expect(service.reads == 0)
        _ = try ServiceProvider<AnyService>().request(service: wrapped)
        #expect(service.reads == 1)
    }
}
