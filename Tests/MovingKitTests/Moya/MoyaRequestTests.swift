// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import MoyaKit
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
        .init(target: Bookshop.home, line: "GET /api"),
        .init(
            target: Bookshop.books(page: 2, inStock: true),
            line: "GET /api/books?in_stock=1&page=2"),
        .init(
            target: Bookshop.search("a b+c", tags: ["x", "y"]),
            line: "GET /api/search?q=a%20b%2Bc&tags%5B%5D=x&tags%5B%5D=y"),
        .init(target: Bookshop.availability(id: 7), line: "HEAD /api/books/7/availability"),
        .init(
            target: Bookshop.addBook(title: "Dune & Co", isUsed: true), line: "POST /api/books",
            type: form, body: "title=Dune%20%26%20Co&used=1"),
        .init(
            target: Bookshop.rate(id: 7, stars: 5), line: "PUT /api/books/7/rating", type: json,
            body: #"{"stars":5}"#),
        .init(target: Bookshop.star(id: 7), line: "PUT /api/user/starred/7", type: form),
        .init(
            target: Bookshop.removeBook(id: 7, reason: "old"),
            line: "DELETE /api/books/7?reason=old"
        ),
        .init(
            target: Bookshop.tag(id: 7, tags: ["a", "b"]), line: "PATCH /api/books/7/tags",
            type: form, body: "tags=a&tags=b"),
        .init(
            target: Bookshop.order(items: [["id": 1], ["id": 2, "new": false]], gift: true),
            line: "POST /api/orders", type: json,
            body: #"{"gift":true,"items":[{"id":1},{"id":2,"new":false}]}"#),
        .init(
            target: Bookshop.filter(["new": true, "min": 2.5]),
            line: "GET /api/filter?min=2.5&new=true"),
        .init(
            target: Bookshop.sort(by: ["a", "b"]),
            line: "GET /api/sort%20by?by%5B0%5D=a&by%5B1%5D=b"),
        .init(
            target: Bookshop.note(id: 7, text: "é"), line: "POST /api/books/7/note", type: form,
            body: "text=%C3%A9"),
    ]

    static let account: [MoyaCase] = [
        .init(
            target: Account.login(user: "u", password: "p"), line: "POST /api/v2/login", type: json,
            body: #"{"password":"p","user":"u"}"#),
        .init(
            target: Account.me, line: "GET /api/v2/me", type: json, authorization: "Bearer t0k3n"),
        .init(
            target: Account.update(Profile(name: "Ada")), line: "PATCH /api/v2/me", type: json,
            body: #"{"name":"Ada"}"#, authorization: "Bearer t0k3n"),
        .init(
            target: Account.replace(Profile(name: "Ada", birthday: Date(timeIntervalSince1970: 5))),
            line: "PUT /api/v2/me", type: json, body: #"{"birthday":5,"name":"Ada"}"#,
            authorization: "Bearer t0k3n"),
        .init(
            target: Account.avatar(Data("png".utf8)), line: "PUT /api/v2/me/avatar",
            type: "image/png", body: "png", authorization: "Bearer t0k3n"),
        .init(
            target: Account.log(Data("[1]".utf8), session: "s/1"),
            line: "POST /api/v2/log?session=s%2F1", type: json, body: "[1]",
            authorization: "Bearer t0k3n"),
        .init(
            target: Account.invite(email: "a@b.c", language: "en"),
            line: "POST /api/v2/invitations?lang=en", type: json,
            body: #"{"email":"a@b.c","now":true}"#, authorization: "Bearer t0k3n"),
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
        .init(
            target: Account.logout, line: "DELETE /api/v2/logout", authorization: "Bearer t0k3n"),
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

    @Test(arguments: wires)
    func aFileIsTheBody(wire: TransportUnderTest) async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("picture", to: "a.png")
        let request = try await arrival(of: .uploadFile(file), wire)
        #expect(request.line == "PUT /api/files")
        #expect(request.header("Content-Type") == "application/json")
        #expect(request.text == "picture")
    }

    @Test(arguments: wires)
    func formsHaveTheirBoundary(wire: TransportUnderTest) async throws {
        let folder = try TemporaryFolder()
        let parts = [
            MultipartFormData(provider: .data(Data("Ada".utf8)), name: "name"),
            MultipartFormData(
                provider: .data(Data("x".utf8)), name: "data", fileName: "a.bin",
                mimeType: "application/x"),
            MultipartFormData(
                provider: .file(try folder.write("picture", to: "a.png")), name: "file"),
        ]
        for target in [Media.form(parts), .formWithQuery(parts, album: "é")] {
            let request = try await arrival(of: target, wire)
            let type = try #require(request.header("Content-Type"))
            #expect(type.hasPrefix("multipart/form-data; boundary="))
            let boundary = type.replacingOccurrences(of: "multipart/form-data; boundary=", with: "")
            let isComposite = request.path == "/api/forms" && request.query != nil
            #expect(request.query == (isComposite ? "album=%C3%A9" : nil))
            let expected = """
                --B
                Content-Disposition: form-data; name="name"

                Ada
                --B
                Content-Disposition: form-data; name="data"; filename="a.bin"
                Content-Type: application/x

                x
                --B
                Content-Disposition: form-data; name="file"; filename="a.png"
                Content-Type: image/png

                picture
                --B--

                """
            let text = request.text.replacingOccurrences(of: "\r\n", with: "\n")
            #expect(text.replacingOccurrences(of: boundary, with: "B") == expected)
        }
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
