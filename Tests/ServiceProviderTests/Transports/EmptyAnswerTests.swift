// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import TestSupport
import Testing

/// A response without a body isn't an error, and has no value.
@Suite(.serialized, .opensFiles, .timeLimit) struct EmptyAnswerTests {
    let server: LoopbackServer

    init() throws { server = try LoopbackServer() }

    struct Answer: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let method: ServiceMethod
        let answer: LoopbackResponse

        init(_ name: String, _ answer: LoopbackResponse, method: ServiceMethod = .get) {
            (testDescription, self.answer, self.method) = (name, answer, method)
        }

        static let all = [
            Answer("204", .status(204)), Answer("205", .status(205)),
            Answer("200, Content-Length 0", .status(200)),
            Answer("200, no chunk", .status(200).chunked()),
            Answer("200, closed immediately", .status(200).untilClose()),
            Answer("HEAD", .text("12345"), method: .head),
            Answer("HEAD, chunked", .text("12345").chunked(), method: .head),
            Answer("DELETE", .status(204), method: .delete),
            Answer("304, listed", .status(304)), Answer("304, a length", lengthOf304),
        ]

        private static let lengthOf304 = LoopbackResponse.status(304).header("Content-Length", "5")
    }

    private func service(for answer: Answer) -> TestService {
        server.enqueue(answer.answer)
        var service = server.service(method: answer.method)
        service.validStatusCodes.insert(304)
        return service
    }

    @Test(arguments: TransportUnderTest.allCases, Answer.all)
    func asyncCallsReturnEmptyData(_ transport: TransportUnderTest, _ answer: Answer) async throws {
        let response = try await transport.provider().response(for: service(for: answer))
        #expect(response.data == Data())
        #expect(server.requests.map(\.method) == [answer.method.rawValue])
    }

    @Test(arguments: TransportUnderTest.allCases, Answer.all)
    func handlersGetEmptyResults(_ transport: TransportUnderTest, _ answer: Answer) async throws {
        let result = await transport.provider().result(of: service(for: answer))
        guard case .empty = result else {
            Issue.record("\(result)")
            return
        }
    }

    @Test(arguments: TransportUnderTest.allCases, Answer.all)
    func handlersOfDecodedValuesGetEmptyResults(
        _ transport: TransportUnderTest, _ answer: Answer
    ) async throws {
        let provider = transport.provider()
        let service = service(for: answer)
        let result: ServiceResult<[Int]> = await withCheckedContinuation { continuation in
            provider.load(service: service, decodeType: [Int].self) {
                continuation.resume(returning: $0)
            }
        }
        guard case .empty = result else {
            Issue.record("\(result)")
            return
        }
    }

    @Test(arguments: TransportUnderTest.allCases, Answer.all)
    func decodingAnEmptyResponseThrows(_ transport: TransportUnderTest, _ answer: Answer)
        async throws
    {
        let service = service(for: answer)
        do {
            _ = try await transport.provider().load(service: service, decodeType: [Int].self)
            Issue.record("The call succeeded.")
        } catch {
            guard case ServiceError.emptyResponse(let response) = error else {
                Issue.record(error)
                return
            }
            #expect(response.data.isEmpty)
        }
    }

    @Test(arguments: TransportUnderTest.allCases, Answer.all)
    func optionalsDecodeToNil(_ transport: TransportUnderTest, _ answer: Answer) async throws {
        let provider = transport.provider()
        let service = service(for: answer)
        #expect(try await provider.load(service: service, decodeType: [Int]?.self) == nil)
        server.enqueue(.json("[1]"))
        let next = server.service()
        #expect(try await provider.load(service: next, decodeType: [Int]?.self) == [1])
    }

    @Test(arguments: TransportUnderTest.allCases)
    func a304FailsUnlessListedAsValid(_ transport: TransportUnderTest) async throws {
        server.enqueue(.status(304).header("ETag", #""v1""#))
        var service = server.service()
        service.headers = ["If-None-Match": #""v1""#]
        let error = try await transport.provider().failure(of: service)
        #expect(error.unacceptableStatus == 304)
        #expect(error.response?.header("ETag") == #""v1""#)
        #expect(error.response?.data == Data())
    }

    /// A body that isn't allowed must not be read as the next response.
    @Test(arguments: TransportUnderTest.allCases, [204, 304])
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
