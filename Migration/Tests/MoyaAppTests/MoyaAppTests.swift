// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import Moya
import TestSupport
import Testing

/// The server of a test.
nonisolated enum Backend {
    @TaskLocal static var url = URL(fileURLWithPath: "/")
}

/// A call of an app, and the request that Moya sends for it. A field "-" isn't sent.
struct Row {
    let line: String
    let fields: [String: String]
    let body: String
    let call: () async throws -> Void

    init(
        _ line: String, _ fields: [String: String], _ body: String,
        call: @escaping () async throws -> Void
    ) {
        self.line = line
        self.fields = fields
        self.body = body
        self.call = call
    }
}

/// The endpoints of five apps, which were written for Moya, in Swift 5 mode, Swift 6 mode and with everything on the main
/// actor by default.
@Suite(.serialized, .opensFiles, .timeLimit) struct MoyaAppTests {
    @Test func appsSendTheRequestsOfMoya() async throws {
        let server = try LoopbackServer { _ in .json("{}") }
        let folder = try TemporaryFolder()
        let file = try folder.write("file", to: "a.bin")
        try await Backend.$url.withValue(#require(URL(string: server.baseURL))) {
            let rows =
                StoreService().rows() + FeedClient(token: "t1").rows() + Wallet().rows(file: file)
                + Ledger.Transaction.rows() + FilmService.rows()
            #expect(rows.count >= 35)
            for row in rows {
                try await row.call()
                let request = try #require(server.requests.last)
                #expect("\(request.method) \(request.target)" == row.line)
                let type = request.header("Content-Type")?.components(separatedBy: "boundary=")
                let boundary = type?.dropFirst().first ?? "B"
                for (name, value) in row.fields {
                    let field = request.header(name) ?? "-"
                    #expect(
                        field.replacingOccurrences(of: boundary, with: "B") == value, "\(row.line)")
                }
                let body = String(decoding: request.body, as: UTF8.self)
                    .replacingOccurrences(of: "\r\n", with: "\n")
                    .replacingOccurrences(of: boundary, with: "B")
                #expect(body == row.body, "\(row.line)")
            }
            #expect(server.requests.count == rows.count)
        }
    }

    @Test func interceptorsRetryAndErrorsAreAlamofires() async throws {
        let server = try LoopbackServer(responses: [
            .statusCode(401), .statusCode(401), .text("{}"), .statusCode(500), .statusCode(404),
            .statusCode(404),
        ])
        try await Backend.$url.withValue(#require(URL(string: server.baseURL))) {
            let wallet = Wallet()
            try await wallet.rows(file: Backend.url)[1].call()
            #expect(server.requests.count == 3)
            let failed = await #expect(throws: (any Error).self) {
                try await wallet.rows(file: Backend.url)[1].call()
            }
            #expect(try "\(#require(failed))".contains("500"))
            let store = StoreService()
            #expect(await store.load(.detail(id: 1)) == 404)
            #expect(store.plugin.lines.last == "<-- 6 404 The server answered 404.")
            let films = await #expect(throws: (any Error).self) {
                try await FilmService.rows()[0].call()
            }
            #expect(try FilmService.reason(of: #require(films)) == 404)
            #expect(try NetworkError.error(by: #require(films)) == .notFound)
        }
        server.stop()
    }

    @Test func sessionsHaveHeaders() async throws {
        let server = try LoopbackServer { _ in .text("{}") }
        try await Backend.$url.withValue(#require(URL(string: server.baseURL))) {
            let provider = MoyaProvider<OtherAPI>(session: makeSession())
            let response = await withCheckedContinuation { next in
                provider.request(OtherAPI()) { next.resume(returning: $0) }
            }
            let (status, error) = result(of: response)
            #expect(status == 200)
            #expect(error == nil)
            let request = try #require(server.requests.first)
            #expect(request.header("X-App") == "1")
            #expect(request.header("User-Agent") == "App/1")
            #expect(request.target == "/other")
        }
    }
}
