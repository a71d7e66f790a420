// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import TestSupport
import Testing

/// A response without a body isn't an error, and has no value.
@Suite(.serialized, .opensFiles, .timeLimit) struct EmptyResponseTests {
    let server: LoopbackServer

    init() throws { server = try LoopbackServer() }

    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let method: ServiceMethod
        let response: LoopbackResponse

        init(_ name: String, _ response: LoopbackResponse, method: ServiceMethod = .get) {
            testDescription = name
            self.response = response
            self.method = method
        }

        static let all = [
            Case("204", .statusCode(204)), Case("205", .statusCode(205)),
            Case("200, Content-Length 0", .statusCode(200)),
            Case("200, no chunk", .statusCode(200).chunked()),
            Case("200, closed immediately", .statusCode(200).untilClose()),
            Case("HEAD", .text("12345"), method: .head),
            Case("HEAD, chunked", .text("12345").chunked(), method: .head),
            Case("DELETE", .statusCode(204), method: .delete),
            Case("304, listed", .statusCode(304)), Case("304, a length", lengthOf304),
        ]

        private static let lengthOf304 = LoopbackResponse.statusCode(304).header(
            "Content-Length", "5")
    }

    private func service(for test: Case) -> TestService {
        server.enqueue(test.response)
        var service = server.service(method: test.method)
        service.validStatusCodes.insert(304)
        return service
    }

    @Test(arguments: TransportUnderTest.allCases, Case.all)
    func eachKindOfCallHasNoValue(_ transport: TransportUnderTest, _ test: Case) async throws {
        let provider = transport.provider()
        #expect(try await provider.load(service: service(for: test)).isEmpty)
        #expect(server.requests.map(\.method) == [test.method.rawValue])
        guard case .empty = await provider.result(of: service(for: test)) else {
            Issue.record("The handler's result isn't empty.")
            return
        }
        let decoded = service(for: test)
        let result: ServiceResult<[Int]> = await withCheckedContinuation { continuation in
            provider.load(service: decoded, decodeType: [Int].self) {
                continuation.resume(returning: $0)
            }
        }
        guard case .empty = result else {
            Issue.record("\(result)")
            return
        }
        let next = service(for: test)
        let error = try await failure {
            _ = try await provider.load(service: next, decodeType: [Int].self)
        }
        guard case .emptyResponse(let response) = error else { throw error }
        #expect(response.data.isEmpty)
        let last = service(for: test)
        #expect(try await provider.load(service: last, decodeType: [Int]?.self) == nil)
    }

    @Test(arguments: TransportUnderTest.allCases)
    func a304FailsUnlessListedAsValid(_ transport: TransportUnderTest) async throws {
        server.enqueue(.statusCode(304).header("ETag", #""v1""#))
        var service = server.service()
        service.headers = ["If-None-Match": #""v1""#]
        let error = try await transport.provider().failure(of: service)
        #expect(error.unacceptableStatus == 304)
        #expect(error.response?.header("ETag") == #""v1""#)
        #expect(error.response?.data == Data())
    }

    /// A body that isn't allowed must not be read as the next response.
    @Test(.row("F16"), arguments: TransportUnderTest.allCases, [204, 304])
    func unexpectedBodiesAreNotTheNextResponse(_ transport: TransportUnderTest, status: Int)
        async throws
    {
        let head = "HTTP/1.1 \(status) Odd\r\nContent-Length: 5\r\n\r\n"
        server.enqueue(.raw(head + "hello"), .text("next"))
        let provider = transport.provider()
        var service = server.service()
        service.validStatusCodes.insert(status)
        #expect(try await provider.load(service: service) == Data())
        #expect(try await provider.load(service: service) == Data("next".utf8))
    }
}
