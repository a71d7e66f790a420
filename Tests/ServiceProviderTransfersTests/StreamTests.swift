// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

import LoopbackServer
import ServiceProvider
import ServiceProviderTransfers
import TestSupport
import Testing

@Suite(.serialized, .opensFiles, .timeLimit) struct StreamTests {
    private static let pattern = Data((0..<251).map { UInt8($0) })
    /// The connection stays open until the client closes it. With this header, URLSession on Apple
    /// platforms doesn't wait for 512 bytes of text.
    private static let stalling = LoopbackResponse.text("abc...")
        .header("X-Content-Type-Options", "nosniff").cut(.stall, afterBodyBytes: 3)

    @Test(arguments: TransportUnderTest.allCases)
    func aStreamIsReturnedWhenItsHeadersArrive(_ transport: TransportUnderTest) async throws {
        let server = try LoopbackServer(responses: [Self.stalling.header("X-Head", "1")])
        let stream = try await transport.provider().stream(service: server.service("/a").patient)
        #expect(stream.response.statusCode == 200)
        #expect(stream.response.header("x-head") == "1")
        #expect(stream.response.data.isEmpty)
        var text = Data()
        for try await chunk in stream {
            text += chunk
            if text.count == 3 { break }
        }
        #expect(text == Data("abc".utf8))
    }

    @Test(arguments: TransportUnderTest.allCases)
    func allBytesArrive(_ transport: TransportUnderTest) async throws {
        let size = 5 << 20 + 3
        var whole = Data()
        while whole.count < size { whole += Self.pattern.prefix(size - whole.count) }
        let body = LoopbackResponse.Body.repeating(Self.pattern, count: size)
        let responses: [LoopbackResponse] = [
            .init(body: body), .init(body: body).chunked(size: 999), .init(body: body).untilClose(),
        ]
        let server = try LoopbackServer(responses: responses)
        for _ in responses {
            var text = Data()
            let stream = try await transport.provider().stream(service: server.service())
            for try await chunk in stream { text += chunk }
            // Compared outside of #expect, which would print both.
            let isWhole = text == whole
            #expect(isWhole, "\(text.count) bytes")
        }
    }

    @Test(arguments: TransportUnderTest.allCases)
    func anEmptyBodyEndsImmediately(_ transport: TransportUnderTest) async throws {
        let server = try LoopbackServer(responses: [.text(""), .statusCode(204), .text("x")])
        for method in [ServiceMethod.get, .get, .head] {
            let stream = try await transport.provider().stream(
                service: server.service(method: method))
            let (chunks, error) = await stream.collected()
            #expect(chunks == [] && error == nil)
        }
    }

    @Test(arguments: TransportUnderTest.allCases, [300, 404, 500])
    func aBadStatusIsAnErrorWithItsBody(
        _ transport: TransportUnderTest, status: Int
    ) async throws {
        let server = try LoopbackServer(responses: [.json(#"{"why":"x"}"#, statusCode: status)])
        let error = await #expect(throws: ServiceError.self) {
            _ = try await transport.provider().stream(service: server.service())
        }
        #expect(error?.unacceptableStatus == status)
        #expect(try error?.response?.decode([String: String].self) == ["why": "x"])
    }

    /// The bytes that arrived come first, then the error.
    @Test(arguments: TransportUnderTest.allCases, [false, true])
    func anIncompleteBodyEndsWithAnError(_ transport: TransportUnderTest, chunked: Bool)
        async throws
    {
        let response = LoopbackResponse.data(Data(count: 5_000))
        let server = try LoopbackServer(responses: [
            (chunked ? response.chunked(size: 100) : response).cut(.close, afterBodyBytes: 2_000)
        ])
        let stream = try await transport.provider().stream(service: server.service())
        let (chunks, error) = await stream.collected()
        let size = chunks.reduce(0) { $0 + $1.count }
        #expect(size > 1_000 && size <= 2_000)
        guard case .transport? = error as? ServiceError else {
            Issue.record("\(error as Any)")
            return
        }
        #expect("\(error as Any)".contains("http://127.0.0.1:\(server.port)"))
    }

    /// Even if each status is a success.
    @Test func anInformationalResponseBeginsNoStream() async throws {
        let transport = StubTransport { request in
            let builder = ServiceResponseBuilder(
                for: request, control: ServiceTransferControl(cancel: {}))
            for status in [103, 200] {
                let head = ServiceResponse(request: request, statusCode: status)
                if let response = try builder.didReceive(head: head) { return response }
            }
            return try builder.end(nil)
        }
        let provider = ServiceProvider<TestService>(transport: transport)
        let service = TestService(baseURL: "http://x.invalid", validStatusCodes: Set(100...599))
        #expect(try await provider.stream(service: service).response.statusCode == 200)
    }

    /// Stubs and caches do this.
    @Test func anInterceptorsResponseIsStreamedToo() async throws {
        let responding = Intercept { request, _ in
            ServiceResponse(request: request, statusCode: 200, data: Data("a\nb".utf8))
        }
        let provider = TransportUnderTest.ownSession.provider(responding)
        let stream = try await provider.stream(service: TestService(baseURL: "http://x.invalid"))
        #expect(await stream.lines().collected().elements == ["a", "b"])
    }

    @Test @MainActor func aStreamCanBeReadOnTheMainActor() async throws {
        let server = try LoopbackServer(responses: [.text("a\nb"), .text("a\nb")])
        let provider = TransportUnderTest.ownSession.provider()
        var (size, lines) = (0, [String]())
        for try await chunk in try await provider.stream(service: server.service()) {
            MainActor.assertIsolated()
            size += chunk.count
        }
        for try await line in try await provider.stream(service: server.service()).lines() {
            MainActor.assertIsolated()
            lines.append(line)
        }
        #expect(size == 3 && lines == ["a", "b"])
    }
}
