// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import Moya
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A target, and the request that Moya sends for it.
struct MoyaCase: CustomTestStringConvertible {
    let target: any TargetType
    let line: String
    var type: String?
    var body = ""
    var authorization: String?

    var testDescription: String { line }

    static let form = "application/x-www-form-urlencoded; charset=utf-8"
    static let json = "application/json"

    static let bookshop: [MoyaCase] = [
        .init(target: Bookshop.availability(id: 7), line: "HEAD /api/books/7/availability"),
        .init(target: Bookshop.star(id: 7), line: "PUT /api/user/starred/7", type: form),
        .init(
            target: Bookshop.tag(id: 7, tags: ["a", "b"]), line: "PATCH /api/books/7/tags",
            type: form, body: "tags=a&tags=b"),
    ]

    static let account: [MoyaCase] = [
        .init(
            target: Account.replace(Profile(name: "Ada", birthday: Date(timeIntervalSince1970: 5))),
            line: "PUT /api/v2/me", type: json, body: #"{"birthday":5,"name":"Ada"}"#,
            authorization: "Bearer t0k3n"),
        // The header of the target wins, as in Moya.
        .init(
            target: Account.move(from: "x", to: "y"), line: "POST /api/v2/move?dry=0&from=x",
            type: json, body: "now=1&to=y", authorization: "Bearer t0k3n"),
        .init(
            target: Account.session, line: "GET /api/v2/session", type: json,
            authorization: "Basic t0k3n"),
        .init(
            target: Account.legacy, line: "GET /api/v2/legacy", type: json,
            authorization: "Token t0k3n"),
    ]

    static let weather: [MoyaCase] = [
        .init(
            target: Forecast(city: "Zürich/a?b"),
            line: "GET /weather/forecast/Z%C3%BCrich/a%3Fb?key=k1"),
        .init(target: Current(), line: "GET /weather/current?key=k1&unit=%C2%B0C"),
        .init(
            target: Alerts(ids: [3, 1, 2]), line: "POST /weather/alerts?key=k1", type: json,
            body: "[3,1,2]"),
        .init(
            target: Subscribe(), line: "POST /weather/subscriptions?key=k1", type: form,
            body: "area%5Bname%5D=a%20b%26c&area%5Bnorth%5D=1.5"),
        .init(
            target: Unsubscribe(), line: "DELETE /weather/subscriptions?key=k1", type: form,
            body: "all=1"),
    ]

    static let all = bookshop + account + weather
}

@Suite(.serialized, .opensFiles, .timeLimit) struct MoyaRequestTests {
    @Test(arguments: wires, MoyaCase.all)
    func requestsArriveAsMoyaSendsThem(wire: TransportUnderTest, row: MoyaCase) async throws {
        let server = try LoopbackServer { _ in .json("{}") }
        try await server.serve { () async throws in
            // The closure gets the target inside.
            let plugin = AccessTokenPlugin { $0 is MultiTarget ? "wrong" : "t0k3n" }
            let provider = MoyaProvider<MultiTarget>(plugins: [plugin], transport: wire.make())
            let response = try await provider.request(MultiTarget(row.target))
            #expect(response.statusCode == 200)
            let request = try await server.arrival()
            #expect(request.line == row.line)
            #expect(request.header("Content-Type") == row.type)
            #expect(request.text == row.body)
            #expect(request.header("Authorization") == row.authorization)
            #expect(request.header("X-Shop") == (row.target is Bookshop ? "en" : nil))
        }
    }

    @Test(
        arguments: [
            (10.0, "10"), (-3.0, "-3"), (0.0, "0"), (2.5, "2.5"), (1e15, "1000000000000000"),
            (1e300, "1e%2B300"), (Float(10), "10"), (Float(2.5), "2.5"), (CGFloat(10), "10"),
            (Optional(10.0), "10"), (9_007_199_254_740_991.0, "9007199254740991"),
            (-9.223372036854775808e18, "-9.223372036854776e%2B18"), (true, "1"), (3, "3"),
        ] as [(any Sendable, String)])
    func numbersAreWrittenAsMoyaWritesThem(value: any Sendable, text: String) throws {
        let url = try #require(URL(string: "https://h/"))
        let parameters: [String: Any] = ["a": value, "b": [["c": value]]]
        let request = try URLEncoding.default.encode(URLRequest(url: url), with: parameters)
        #expect(request.url?.query == "a=\(text)&b%5B%5D%5Bc%5D=\(text)")
        let json = try JSONEncoding(options: .prettyPrinted)
            .encode(URLRequest(url: url), with: ["a": value])
        let written = value is Bool ? "true" : text.replacingOccurrences(of: "%2B", with: "+")
        #expect(json.httpBody == Data(#"{"a":\#(written)}"#.utf8))
    }

    @Test(
        arguments: [
            ("given.txt", nil, "a.png image/png"), (nil, "a/b", "a.png image/png"),
            ("given.txt", "a/b", "given.txt a/b"),
        ] as [(String?, String?, String)])
    func aFileHasAGivenNameAndTypeOrItsOwn(
        name: String?, type: String?, sent: String
    ) async throws {
        let folder = try TemporaryFolder()
        let part = MultipartFormData(
            provider: .file(try folder.write("picture", to: "a.png")), name: "n", fileName: name,
            mimeType: type)
        let text = try await arrival(of: .form([part]), wires[0]).text
        let parts = sent.split(separator: " ")
        #expect(text.contains("filename=\"\(parts[0])\"\r\nContent-Type: \(parts[1])\r\n"))
    }

    @Test func partsAndMethodsCanBeRead() {
        let part = MultipartFormData(
            provider: .data(Data("a".utf8)), name: "n", fileName: "f", mimeType: "a/b")
        #expect([part.name, part.fileName, part.mimeType] == ["n", "f", "a/b"])
        guard case .data(let data) = part.provider else { Issue.record("no data"); return }
        #expect(data == Data("a".utf8))
        let methods: [Moya.Method] = [.get, .head, .post, .put, .patch, .delete, .options]
        #expect(methods.filter(\.supportsMultipart) == [.post, .put, .patch])
    }

    private func arrival(
        of target: Media, _ wire: TransportUnderTest
    ) async throws -> LoopbackRequest {
        let server = try LoopbackServer { _ in .json("{}") }
        try await server.serve { () async throws in
            _ = try await MoyaProvider<Media>(transport: wire.make()).request(target)
        }
        return try await server.arrival()
    }
}
