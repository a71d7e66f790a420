// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import Moya
import ServiceProvider
import TestSupport
import Testing

/// Responses of a server that wants to stop the app, or to see its secrets in a log.
@Suite(.serialized, .opensFiles, .timeLimit) struct MoyaHostileTests {
    enum Kind: String, Decodable { case only }

    @Test(arguments: wires, HostileBody.allCases)
    func bodiesThatFitNoModelAreErrors(wire: TransportUnderTest, body: HostileBody) async throws {
        let data = body.data
        let server = try LoopbackServer { _ in .data(data, contentType: "application/json") }
        try await server.serve { () async throws in
            let provider = MoyaProvider<Account>(transport: wire.make())
            let response = try await provider.request(.settings)
            #expect(response.data == data)
            let errors = [
                #expect(throws: MoyaError.self) { try response.map(Profile.self) },
                #expect(throws: MoyaError.self) {
                    try response.map(Profile.self, failsOnEmptyData: false)
                },
                #expect(throws: MoyaError.self) {
                    try response.map(Profile.self, atKeyPath: "a.b")
                },
                #expect(throws: MoyaError.self) { try response.mapString(atKeyPath: "a.b") },
            ]
            for error in errors {
                let text = texts(of: try #require(error))
                #expect(!text.contains("canary") && text.utf8.count < 5_000, "\(text)")
            }
        }
    }

    @Test func noErrorShowsAValueThatDoesNotFit() throws {
        let response = Response(statusCode: 200, data: Data(#""canary""#.utf8))
        let error = #expect(throws: MoyaError.self) { try response.map(Kind.self) }
        let text = texts(of: try #require(error))
        #expect(!text.contains("canary"), "\(text)")
        guard case .objectMapping(is DecodingError, response) = error else {
            Issue.record("no decoding error")
            return
        }
    }

    @Test(arguments: wires)
    func theBodyOfAnErrorIsNotShown(wire: TransportUnderTest) async throws {
        let long = String(repeating: "m", count: megabyte)
        let body = Data(#"{"token":"canary","message":"no Bearer t0k3n \#(long)"}"#.utf8)
        let server = try LoopbackServer { _ in
            .data(body, contentType: "application/json", statusCode: 500)
        }
        try await server.serve { () async throws in
            let plugin = AccessTokenPlugin { _ in "t0k3n" }
            let provider = MoyaProvider<Account>(plugins: [plugin], transport: wire.make())
            let error = try await #require(throws: MoyaError.self) {
                try await provider.request(.me)
            }
            #expect(server.requests.first?.header("Authorization") == "Bearer t0k3n")
            #expect(error.response?.data == body)
            let text = texts(of: error)
            #expect(text.utf8.count < 5_000)
            #expect(!text.contains("canary") && !text.contains("t0k3n"), "\(text)")
        }
    }

    @Test func manyHeadersAreReadInLinearTime() async throws {
        let provider = MoyaProvider<Account>(transport: ManyHeaders())
        let response = try await provider.request(.settings)
        #expect(response.response?.allHeaderFields.count == 300_000)
        let error = await #expect(throws: MoyaError.self) {
            try await MoyaProvider<Account>(transport: ManyHeaders(status: 500)).request(.me)
        }
        #expect(error?.response == error?.response)
        #expect(try !texts(of: #require(error)).contains("canary"))
    }
}
