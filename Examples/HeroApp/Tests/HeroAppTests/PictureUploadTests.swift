// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderTesting
import Testing

@testable import HeroApp

@Suite(.timeLimit(.minutes(1))) @MainActor final class PictureUploadTests {
    private let size = 3_000_000
    private let picture = FileManager.default.temporaryDirectory
        .appendingPathComponent("PictureUploadTests-\(UUID().uuidString).png")

    init() throws {
        try Data(repeating: 7, count: size).write(to: picture)
    }

    nonisolated deinit {
        try? FileManager.default.removeItem(at: picture)
    }

    @Test func anUploadIsIdleBeforeAPictureIsChosen() {
        #expect(PictureUpload.preview(.never).phase == .idle)
    }

    @Test func aPictureIsSentWithItsType() async throws {
        let server = try LoopbackServer.heroes()
        let upload = PictureUpload(heroID: 3, provider: .local(server))
        await upload.send { picture }
        #expect(upload.phase == .sent)
        #expect(upload.uploads == 1)
        let request = try #require(server.requests.first)
        #expect(request.method == "PUT")
        #expect(request.path == "/v1/heroes/3/picture")
        #expect(request.header("Content-Type") == "image/png")
        #expect(request.bodySize == size)
    }

    @Test func theCopyIsDeleted() async throws {
        let upload = PictureUpload(heroID: 3, provider: .local(try .heroes()))
        await upload.send { picture }
        #expect(!FileManager.default.fileExists(atPath: picture.path))
    }

    @Test func progressEndsWithEverythingSent() async throws {
        let server = try WaitingServer(["": .statusCode(204)])
        let upload = PictureUpload(heroID: 3, provider: .local(server.server))
        let call = Task { await upload.send { picture } }
        // The whole picture has arrived.
        _ = await server.next()
        await until { upload.phase == .sending(1) }
        server.answer("")
        await call.value
        #expect(upload.phase == .sent)
    }

    @Test func readingThePictureShowsItsOwnState() async {
        let upload = PictureUpload.preview(.statusCode(204))
        let (steps, step) = AsyncStream.makeStream(of: Void.self)
        let call = Task {
            await upload.send {
                for await _ in steps { break }
                return try .preview()
            }
        }
        await until { upload.phase != .idle }
        #expect(upload.phase == .preparing)
        step.yield()
        await call.value
        #expect(upload.phase == .sent)
    }

    @Test func aPictureThatCannotBeReadIsAFailure() async throws {
        let server = try LoopbackServer.heroes()
        let upload = PictureUpload(heroID: 3, provider: .local(server))
        await upload.send { throw CocoaError(.fileReadNoPermission) }
        #expect(upload.phase == .failed(.unreadableFile))
        await upload.send { self.picture.appendingPathExtension("missing") }
        #expect(upload.phase == .failed(.unreadableFile))
        #expect(server.requests.isEmpty)
    }

    @Test func aRefusedPictureShowsTheServersMessage() async throws {
        let upload = PictureUpload(heroID: 99, provider: .local(try .heroes()))
        await upload.send { picture }
        #expect(upload.phase == .failed(.message("We couldn't find that.")))
        #expect(upload.uploads == 0)
    }

    @Test func aRetryShowsProgressAndNoError() async throws {
        let server = try WaitingServer(["": .statusCode(204)])
        let upload = PictureUpload(
            heroID: 3, provider: .local(server.server, after: .offline))
        let copy = picture.appendingPathExtension("png")
        try FileManager.default.copyItem(at: picture, to: copy)
        await upload.send { picture }
        #expect(upload.phase == .failed(.unreachable))
        let retries = upload.retries
        upload.retry()
        // The view starts a new task, because the number has changed.
        #expect(upload.retries != retries)
        let retry = Task { await upload.send { copy } }
        _ = await server.next()
        guard case .sending = upload.phase else {
            Issue.record("\(upload.phase)")
            return
        }
        server.answer("")
        await retry.value
        #expect(upload.phase == .sent)
    }

    @Test func leavingTheScreenCancelsTheUpload() async throws {
        let server = try WaitingServer(["": .statusCode(503)])
        let upload = PictureUpload(heroID: 3, provider: .local(server.server))
        let call = Task { await upload.send { picture } }
        _ = await server.next()
        call.cancel()
        await call.value
        server.answer("")
        #expect(upload.phase == .idle)
    }

    @Test func leavingTheScreenWhileThePictureIsReadIsNoError() async {
        let upload = PictureUpload.preview(.statusCode(204))
        let call = Task {
            await upload.send {
                try await Task.sleep(for: .seconds(3_600))
                return try .preview()
            }
        }
        await until { upload.phase != .idle }
        call.cancel()
        await call.value
        #expect(upload.phase == .idle)
    }

    /// The photo library may go on for a while after its task is cancelled.
    @Test func cancellingShowsNoProgressWhileThePictureIsStillRead() async {
        let upload = PictureUpload.preview(.statusCode(204))
        let (steps, step) = AsyncStream.makeStream(of: Void.self)
        let call = Task {
            await upload.send {
                await Task { for await _ in steps { break } }.value
                return try .preview()
            }
        }
        await until { upload.phase == .preparing }
        call.cancel()
        upload.cancel()
        #expect(upload.phase == .idle)
        step.yield()
        await call.value
        #expect(upload.phase == .idle)
    }

    /// The photo library reports a cancelled copy as an error of its own.
    @Test func aReaderThatFailsBecauseItIsCancelledIsNoError() async {
        let upload = PictureUpload.preview(.statusCode(204))
        let call = Task {
            await upload.send {
                try? await Task.sleep(for: .seconds(3_600))
                throw CocoaError(.userCancelled)
            }
        }
        call.cancel()
        await call.value
        #expect(upload.phase == .idle)
    }

    @Test func aCancelledUploadDoesNotChangeTheStateOfTheNextOne() async throws {
        let server = try WaitingServer(["": .statusCode(503)])
        let upload = PictureUpload(heroID: 3, provider: .local(server.server))
        let copy = picture.appendingPathExtension("png")
        try FileManager.default.copyItem(at: picture, to: copy)
        let first = Task { await upload.send { picture } }
        _ = await server.next()
        let second = Task { await upload.send { copy } }
        _ = await server.next()
        first.cancel()
        await first.value
        guard case .sending = upload.phase else {
            Issue.record("\(upload.phase)")
            return
        }
        second.cancel()
        await second.value
        #expect(upload.phase == .idle)
        for _ in 0..<2 { server.answer("") }
    }
}
