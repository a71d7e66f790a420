// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite(.serialized, .opensFiles, .timeLimit) struct FileUploadTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(
        arguments: TransportUnderTest.allCases,
        [0, 1, 16_383, 16_384, 16_385, 65_536, 65_537, 5 << 20])
    func allBytesAndTheirCountAreSent(_ transport: TransportUnderTest, size: Int) async throws {
        let bytes = noise(size)
        let server = try LoopbackServer.forUploads()
        let file = try folder.write(bytes, to: "a.png")
        let service = server.upload(.file(file), method: .put)
        #expect(try await transport.provider().load(service: service) == Data("\(size)".utf8))
        let request = try #require(server.requests.first)
        #expect(server.requests.count == 1)
        #expect(request.isFramedRight, "\(request.headers)")
        #expect(request.header("Content-Type") == "image/png")
        // Compared outside of #expect, which would print both.
        let isSame = request.body == bytes
        #expect(isSame)
    }

    @Test(arguments: TransportUnderTest.allCases)
    func manyUploadsCanShareAConnection(_ transport: TransportUnderTest) async throws {
        let server = try LoopbackServer.forUploads()
        let provider = transport.provider()
        for size in [3, 0, 100_000, 0, 7] {
            let file = try folder.write(noise(size), to: "a")
            _ = try await provider.load(service: server.upload(.file(file)))
            _ = try await provider.load(service: server.upload(.data(Data("x".utf8))))
        }
        #expect(server.requests.allSatisfy { $0.isFramedRight })
        #expect(server.requests.map(\.bodySize) == [3, 1, 0, 1, 100_000, 1, 0, 1, 7, 1])
    }

    @Test(.row("R11"), arguments: TransportUnderTest.allCases, [307, 308])
    func aRedirectSendsTheSameBytes(_ transport: TransportUnderTest, status: Int) async throws {
        let bytes = noise(100_000)
        let server = try LoopbackServer.forUploads()
        server.enqueue(.redirect(to: "/there", statusCode: status))
        let service = server.upload(.file(try folder.write(bytes, to: "a")))
        let response = try await transport.provider().response(service: service)
        #expect(response.data == Data("100000".utf8))
        #expect(server.requests.map(\.path) == ["/upload", "/there"])
        #expect(server.requests.allSatisfy { $0.isFramedRight && $0.body == bytes })
    }

    @Test(.row("R10"), arguments: TransportUnderTest.allCases, [307, 308])
    func aRedirectToAnotherOriginSendsNoBody(_ transport: TransportUnderTest, status: Int)
        async throws
    {
        let other = try LoopbackServer.forUploads()
        let server = try LoopbackServer(responses: [
            .redirect(to: other.baseURL, statusCode: status)
        ])
        let service = server.upload(.file(try folder.write(to: "a")))
        let error = try await transport.provider().failure(of: service)
        #expect(error.unacceptableStatus == status)
        #expect(other.isUntouched)
    }

    @Test(arguments: TransportUnderTest.allCases)
    func a303SendsNoBody(_ transport: TransportUnderTest) async throws {
        let server = try LoopbackServer.forUploads()
        server.enqueue(.redirect(to: "/there", statusCode: 303))
        let service = server.upload(.file(try folder.write(to: "a")))
        #expect(try await transport.provider().load(service: service) == Data("0".utf8))
        #expect(server.requests.map(\.method) == ["POST", "GET"])
        #expect(server.requests.last?.header("Content-Length") == nil)
    }

    /// Some interceptors inspect a response before they send its request again.
    @Test(arguments: TransportUnderTest.allCases)
    func theRequestOfAResponseCanBeSentAgain(_ transport: TransportUnderTest) async throws {
        let bytes = noise(70_000)
        let server = try LoopbackServer.forUploads()
        server.enqueue(.statusCode(503))
        let again = Intercept { request, next in
            let response = try await next(request)
            return response.statusCode == 503 ? try await next(response.request) : response
        }
        let service = server.upload(.file(try folder.write(bytes, to: "a")))
        let response = try await transport.provider(again).response(service: service)
        // The caller's response keeps no file open.
        #expect(response.request.upload == nil)
        #expect(server.requests.count == 2)
        #expect(server.requests.allSatisfy { $0.isFramedRight && $0.body == bytes })
    }

    @Test(arguments: TransportUnderTest.allCases)
    func progressReportsTheTotalSize(_ transport: TransportUnderTest) async throws {
        let server = try LoopbackServer.forUploads()
        let steps = Locked<[ServiceProgress]>([])
        let watch = Intercept.changing { request in
            request.reportProgress { step in steps { $0.append(step) } }
        }
        let service = server.upload(.file(try folder.write(noise(300_000), to: "a")))
        _ = try await transport.provider(watch).load(service: service)
        let all = steps { $0 }
        #expect(all.allSatisfy { $0.totalToSend == 300_000 })
        #expect(all.map(\.sent) == all.map(\.sent).sorted())
        #expect(all.last?.sent == 300_000)
        #expect(all.count > 3)
    }
}
