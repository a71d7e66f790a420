// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

@testable import MarvelClient

/// `save`, which downloads a picture to a file, with requests to a local server.
@Suite(.serialized, .opensFiles, .timeLimit) struct SaveTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func save(_ character: String, to url: URL, environment: [String: String] = [:])
        async throws -> String
    {
        try await output(of: ["save", url.path, character], environment: environment, width: 300)
    }

    @Test(arguments: ["1009664", "Thor", "thor"])
    func picturesAreSavedByNameOrID(character: String) async throws {
        let file = folder.file("thor.png")
        let text = try await save(character, to: file)
        #expect(text.hasPrefix("Saved the picture of Thor to '\(file.path)'.\n\nData provided"))
        let thor = try #require(GatewayCharacter.all.first { $0.id == 1_009_664 })
        #expect(try Data(contentsOf: file) == GatewayPicture(seed: thor.picturePath).png)
    }

    @Test func anExistingFileIsNotOverwritten() async throws {
        let file = folder.file("thor.png")
        try Data("mine".utf8).write(to: file)
        let error = await #expect(throws: ServiceError.self) {
            try await save("Thor", to: file)
        }
        #expect(error?.description == "Invalid file: '\(file.path)' exists already.")
        #expect(try Data(contentsOf: file) == Data("mine".utf8))
    }

    @Test func aFailedSaveLeavesNoFile() async throws {
        let file = folder.file("nobody.png")
        await #expect(throws: Failure.self) { try await save("Nobody", to: file) }
        await #expect(throws: ServiceError.self) { try await save("1", to: file) }
        let missing = folder.file("none/a.png")
        await #expect(throws: ServiceError.self) {
            try await save("Thor", to: missing)
        }
        #expect(folder.names.isEmpty)
    }

    /// A server whose characters have their pictures on another server.
    private func api(for pictures: LoopbackServer) throws -> LoopbackServer {
        try gatewayServer(host: "127.0.0.1:\(pictures.port)")
    }

    @Test(arguments: ["urlsession", "curl"], [200, 204])
    func anEmptyPictureIsAnError(transport: String, status: Int) async throws {
        #if !os(Linux)
        if transport == "curl" { return }
        #endif
        let pictures = try LoopbackServer { _ in .status(status) }
        let api = try api(for: pictures)
        let file = folder.file("thor.png")
        let error = await #expect(throws: ServiceError.self) {
            try await output(
                of: [
                    "save", file.path, "Thor", "--base-url", api.baseURL, "--transport",
                    transport,
                ], environment: gatewayKeys)
        }
        #expect(error?.description == "The call failed: The picture is empty.")
        #expect(folder.names.isEmpty)
    }

    /// The server sends a byte every 50 ms, so it's never silent for long.
    @Test func aPictureThatNeverEndsIsAnError() async throws {
        let pictures = try LoopbackServer { _ in
            .data(Data(repeating: 1, count: 1_000_000)).dripping(bytes: 1, every: 0.05)
        }
        let api = try api(for: pictures)
        let file = folder.file("thor.png")
        var command = try Command(["save", file.path, "Thor", "--base-url", api.baseURL])
        #expect(command.deadline == 300)
        command.deadline = 1
        // On a busy machine, the deadline may pass before the picture is requested.
        while pictures.requests.isEmpty {
            let console = Console(environment: gatewayKeys, write: { _ in })
            let error = await #expect(throws: ServiceError.self) {
                try await Client.run(command, on: console)
            }
            #expect(error?.description.contains("the deadline of ") == true)
            #expect(folder.names.isEmpty)
            command.deadline *= 2
        }
    }

    @Test func keysAreNotSentToThePictureHost() async throws {
        let pictures = try LoopbackServer { _ in .data(Data([1, 2, 3]), contentType: "image/png") }
        let api = try api(for: pictures)
        let file = folder.file("thor.png")
        _ = try await output(
            of: ["save", file.path, "Thor", "--base-url", api.baseURL], environment: gatewayKeys)
        #expect(try Data(contentsOf: file) == Data([1, 2, 3]))
        #expect(pictures.requests.map(\.target) == ["/u/prod/marvel/i/mg/d/d0/5269657a74350.png"])
        #expect(pictures.requests.allSatisfy { !$0.head.contains(Data("one".utf8)) })
    }
}

extension Data {
    fileprivate func contains(_ part: Data) -> Bool { range(of: part) != nil }
}
