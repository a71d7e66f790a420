// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderTesting
import Testing

@testable import HeroApp

@Suite(.timeLimit(.minutes(1))) @MainActor struct HeroPictureTests {
    @Test func aPictureIsLoaded() async throws {
        let model = HeroPicture(heroID: 5, provider: .local(try .heroes()))
        #expect(model.phase == .loading)
        await model.load()
        let color = BitmapColor(red: 120, green: 130, blue: 200)
        #expect(model.phase == .loaded(.bitmap(of: color)))
    }

    @Test func aPictureComesFromTheCacheWhileItIsFresh() async throws {
        let server = try LoopbackServer.heroes()
        let provider = ServiceProvider.local(server)
        for _ in 1...2 {
            let model = HeroPicture(heroID: 5, provider: provider)
            await model.load()
            #expect(model.phase.value != nil)
        }
        #expect(server.requests.count == 1)
    }

    @Test func aPictureThatWasSentReplacesTheStoredOne() async throws {
        let provider = ServiceProvider.local(try .heroes())
        let model = HeroPicture(heroID: 5, provider: provider)
        await model.load()
        let file = FileManager.default.temporaryDirectory
            .appendingPathComponent("HeroPictureTests-\(UUID().uuidString).png")
        try Data("a new picture".utf8).write(to: file)
        let upload = PictureUpload(heroID: 5, provider: provider)
        await upload.send { file }
        #expect(upload.uploads == 1)
        await model.load()
        #expect(model.phase == .loaded(Data("a new picture".utf8)))
    }

    @Test(arguments: [(ServiceStub.statusCode(404), ScreenError.other), (.offline, .unreachable)])
    func aMissingPictureIsAFailure(stub: ServiceStub, error: ScreenError) async {
        let model = HeroPicture(heroID: 5, provider: .preview(picture: stub))
        await model.load()
        #expect(model.phase == .failed(error))
    }

    @Test func aResponseWithoutBytesIsEmpty() async {
        let model = HeroPicture(heroID: 5, provider: .preview(picture: .statusCode(200)))
        await model.load()
        #expect(model.phase == .empty(Data()))
    }

    @Test func aFailedReloadKeepsThePicture() async {
        let stubs = ServiceStubs(responses: [.picture, .offline])
        let provider = ServiceProvider.heroes(token: { nil }, interceptors: [stubs])
        let model = HeroPicture(heroID: 5, provider: provider)
        await model.load()
        let picture = model.phase.value
        await model.load()
        #expect(model.phase == picture.map { .outdated($0, .unreachable) })
    }

    @Test func leavingTheScreenIsNoError() async throws {
        let server = try WaitingServer(["": .statusCode(503)])
        let model = HeroPicture(heroID: 5, provider: .local(server.server))
        let call = Task { await model.load() }
        _ = await server.next()
        call.cancel()
        await call.value
        server.answer("")
        #expect(model.phase == .loading)
    }
}
