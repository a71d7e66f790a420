// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderExtras
import ServiceProviderTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The texts and bytes quoted in README and the articles match the library. (`.ci/check-readme`
/// compiles their code.)
@Suite(.serialized, .opensFiles, .timeLimit) struct DocumentedTextTests {
    struct Page: Decodable {
        struct Item: Decodable {
            var id: Int
        }
        var data: [Item]
    }

    static func article(_ name: String) throws -> String {
        let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../..").standardizedFileURL
        let folder = name == "README" ? "" : "Sources/ServiceProvider/ServiceProvider.docc/"
        let file = repository.appendingPathComponent("\(folder)\(name).md")
        return String(decoding: try Data(contentsOf: file), as: UTF8.self)
    }

    @Test(arguments: [
        ("blog.example.com", "/", "DefiningServices"),
        ("https://blog.example.com", "/a/../b", "Errors"),
    ])
    func invalidRequestsAreQuotedCorrectly(baseURL: String, path: String, name: String) throws {
        let provider = ServiceProvider<TestService>()
        let error = #expect(throws: ServiceError.self) {
            try provider.request(service: TestService(baseURL: baseURL, path: path))
        }
        let text = try #require(error?.description)
        #expect(try Self.article(name).contains(text), "\(text)")
    }

    @Test(arguments: [
        ("README", "/repos/swiftlang/swfit", #"{"message": "Not Found"}"#, 404),
        (
            "Errors", "/v1/public/characters",
            #"{"code": 409, "status": "You must provide a hash."}"#, 409
        ),
    ])
    func statusErrorsAreQuotedCorrectly(
        article: String, path: String, body: String, status: Int
    ) async throws {
        let stubs = ServiceStubs(responses: [.json(body, statusCode: status)])
        let provider = ServiceProvider<TestService>(stubs: stubs)
        let error = await #expect(throws: ServiceError.self) {
            try await provider.load(
                service: TestService(baseURL: "https://api.example.com", path: path))
        }
        let text = try #require(error?.description)
        #expect(try Self.article(article).contains(text), "\(text)")
    }

    @Test(arguments: [
        #"{"data": [{"id": 1}, {"id": 2}, {"id": 3}, {"id": "4"}]}"#,
        #"{"data": [{"id": 1}, {"id": 2}, {"id": 3}, {}]}"#,
        "<html></html>",
    ])
    func decodingErrorsAreQuotedCorrectly(body: String) async throws {
        let provider = ServiceProvider<TestService>(stubs: ServiceStubs(responses: [.json(body)]))
        let error = await #expect(throws: ServiceError.self) {
            try await provider.load(
                service: TestService(baseURL: "https://api.example.com/v1"), decodeType: Page.self)
        }
        let text = try #require(error?.description)
        #expect(try Self.article("Errors").contains(text), "\(text)")
    }

    @Test func timeoutsAreQuotedCorrectly() async throws {
        let url = try #require(URL(string: "https://api.example.com/v1"))
        let failure = URLError(.timedOut, userInfo: [NSURLErrorFailingURLErrorKey: url])
        let provider = ServiceProvider<TestService>(
            stubs: ServiceStubs(responses: [.error(failure)]))
        let error = await #expect(throws: ServiceError.self) {
            try await provider.load(service: TestService(baseURL: "https://api.example.com/v1"))
        }
        let text = try #require(error?.description)
        #expect(try Self.article("Errors").contains(text), "\(text)")
    }

    @Test func percentEncodedPathIsQuotedCorrectly() throws {
        let article = try Self.article("DefiningServices")
        let request = try ServiceProvider<TestService>().request(
            service: TestService(baseURL: "https://api.example.com", path: "/tags/C# & 100%"))
        let sent = try #require(request.urlRequest.url?.absoluteString)
        #expect(article.contains(#""/tags/C# & 100%""#))
        #expect(article.contains("`\(sent.dropFirst("https://api.example.com".count))`"), "\(sent)")
    }

    @Test func parameterEncodingsAreQuotedCorrectly() throws {
        let article = try Self.article("ParametersAndBodies")
        let date = Date(timeIntervalSince1970: 1_795_249_800)
        let cases: [([String: Any], ServiceParameterEncoding)] = [
            (["a": [1, 2]], ServiceParameterEncoding()),
            (["a": [1, 2]], ServiceParameterEncoding(arrays: .repeated)),
            (["a": [1, 2]], ServiceParameterEncoding(arrays: .indexed)),
            (["a": [1, 2]], ServiceParameterEncoding(arrays: .commaSeparated)),
            (["": true], ServiceParameterEncoding()),
            (["": true], ServiceParameterEncoding(booleans: .numeric)),
            (["": date], ServiceParameterEncoding()),
        ]
        for (parameters, encoding) in cases {
            let service = TestService(parameters: parameters, parameterEncoding: encoding)
            let url = try #require(
                try ServiceProvider<TestService>().request(service: service).urlRequest.url)
            // The articles show brackets and colons unescaped.
            let query = try #require(
                URLComponents(url: url, resolvingAgainstBaseURL: false)?.percentEncodedQuery)
            let shown = query.replacingOccurrences(of: "%5B", with: "[")
                .replacingOccurrences(of: "%5D", with: "]").replacingOccurrences(
                    of: "%3A", with: ":")
            #expect(article.contains("`\(shown.drop { $0 == "=" })`"), "\(shown)")
        }
    }
}
