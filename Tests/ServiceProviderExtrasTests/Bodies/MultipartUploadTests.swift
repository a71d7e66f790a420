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

/// Forms with files, sent to a server.
@Suite(.serialized, .opensFiles, .timeLimit) struct MultipartUploadTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Builds the expected body with the boundary from the request.
    private func form(_ request: LoopbackRequest, _ parts: [(head: String, body: Data)]) -> Data {
        let type = request.header("Content-Type") ?? ""
        let boundary = type.components(separatedBy: "boundary=").last ?? ""
        var form = parts.reduce(into: Data()) { form, part in
            form += Data("--\(boundary)\r\n\(part.head)\r\n\r\n".utf8) + part.body
            form += Data("\r\n".utf8)
        }
        form += Data("--\(boundary)--\r\n".utf8)
        return form
    }

    @Test(arguments: TransportUnderTest.allCases, [0, 1, 16_384, 5 << 20])
    func allBytesAndTheirCountAreSent(_ transport: TransportUnderTest, size: Int) async throws {
        let bytes = noise(size)
        let server = try LoopbackServer.forUploads()
        let service = server.upload(
            .multipart([
                .text("Hulk", name: "title"),
                .file(try folder.write(bytes, to: "a.png"), name: "one"),
                .file(try folder.write(to: "b"), name: "two", fileName: "\"", contentType: "x/y"),
            ]))
        _ = try await transport.provider().load(service: service)
        let request = try #require(server.requests.first)
        #expect(request.isFramedRight)
        let start = "Content-Disposition: form-data; name="
        let isSame =
            request.body
            == form(
                request,
                [
                    ("\(start)\"title\"", Data("Hulk".utf8)),
                    ("\(start)\"one\"; filename=\"a.png\"\r\nContent-Type: image/png", bytes),
                    (
                        "\(start)\"two\"; filename=\"%22\"\r\nContent-Type: x/y",
                        Data("content".utf8)
                    ),
                ])
        #expect(isSame, "\(request.bodySize) bytes")
    }

    /// The boundary is the same, because the request is built only once.
    @Test(arguments: TransportUnderTest.allCases)
    func redirectsAndRetriesSendTheSameBytes(_ transport: TransportUnderTest) async throws {
        let server = try LoopbackServer.forUploads()
        server.enqueue(.redirect(to: "/there", statusCode: 307))
        let file = try folder.write(noise(100_000), to: "a")
        let twice = Intercept { request, next in
            _ = try await next(request)
            // The form has been written to a temporary file, so this change has no effect.
            try Data().write(to: file)
            return try await next(request)
        }
        let service = server.upload(.multipart([.file(file, name: "f")]))
        _ = try await transport.provider(twice).load(service: service)
        #expect(server.requests.map(\.path) == ["/upload", "/there", "/upload"])
        #expect(server.requests.allSatisfy { $0.isFramedRight && $0.bodySize > 100_000 })
        #expect(Set(server.requests.map(\.body)).count == 1)
        #expect(Set(server.requests.map { $0.header("Content-Type") }).count == 1)
    }

    @Test(.row("M3"), arguments: TransportUnderTest.allCases)
    func aFileDeletedBeforeTheUploadFailsTheCall(_ transport: TransportUnderTest) async throws {
        let server = try LoopbackServer.forUploads()
        let file = try folder.write(to: "vanishes")
        let remove = Intercept.changing { _ in try? FileManager.default.removeItem(at: file) }
        let service = server.upload(.multipart([.file(file, name: "f")]))
        let error = try await transport.provider(remove).failure(of: service)
        #expect(error.invalidPart == .body)
        #expect(error.description.contains("'\(file.path)' doesn't exist"))
        #expect(server.isUntouched)
    }
}
