// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import HeroModel
import HeroServer
import LoopbackServer
import ServiceProvider
import Testing

@Suite(.timeLimit(.minutes(1))) final class PictureUploadTests {
    private let size = 3_000_000
    private let picture = FileManager.default.temporaryDirectory
        .appendingPathComponent("PictureUploadTests-\(UUID().uuidString).png")

    init() throws {
        try Data(repeating: 7, count: size).write(to: picture)
    }

    deinit {
        try? FileManager.default.removeItem(at: picture)
    }

    @Test func aFinishedUploadHasAProgressOfOne() async throws {
        let server = try LoopbackServer.heroes()
        let upload = PictureUpload(heroID: 3, provider: .local(server))
        #expect(upload.state == .idle)
        await upload.send(picture)
        #expect(upload.state == .sent)
        #expect(upload.progress == 1)
        let request = try #require(server.requests.first)
        #expect(request.method == "PUT")
        #expect(request.path == "/v1/heroes/3/picture")
        #expect(request.header("Content-Type") == "image/png")
        #expect(request.bodySize == size)
    }

    @Test func aRefusedPictureShowsTheServersMessage() async throws {
        let server = try LoopbackServer.heroes()
        let upload = PictureUpload(heroID: 99, provider: .local(server))
        await upload.send(picture)
        #expect(upload.state == .failed("We couldn't find that."))
    }

    @Test func aMissingFileShowsAnError() async throws {
        let server = try LoopbackServer.heroes()
        let upload = PictureUpload(heroID: 3, provider: .local(server))
        await upload.send(picture.appendingPathExtension("missing"))
        #expect(upload.state == .failed("The request can't be sent."))
        #expect(server.requests.isEmpty)
    }

    @Test func leavingTheScreenCancelsTheUpload() async throws {
        let server = try WaitingServer(["": .statusCode(503)])
        let upload = PictureUpload(heroID: 3, provider: .local(server.server))
        let call = Task { [picture] in await upload.send(picture) }
        _ = await server.next()
        #expect(upload.state == .sending)
        call.cancel()
        await call.value
        server.answer("")
        #expect(upload.state == .idle)
    }

    /// It may end when the next one has started.
    @Test func aCancelledUploadDoesNotChangeTheStateOfTheNextOne() async throws {
        let server = try WaitingServer(["": .statusCode(503)])
        let upload = PictureUpload(heroID: 3, provider: .local(server.server))
        let first = Task { [picture] in await upload.send(picture) }
        _ = await server.next()
        let second = Task { [picture] in await upload.send(picture) }
        _ = await server.next()
        first.cancel()
        await first.value
        #expect(upload.state == .sending)
        second.cancel()
        await second.value
        #expect(upload.state == .idle)
        for _ in 0..<2 { server.answer("") }
    }
}
