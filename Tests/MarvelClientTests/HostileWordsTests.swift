// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import Testing

@testable import MarvelClient

/// What a server says in an error reaches a terminal: none of it may be obeyed there.
@Suite struct HostileWordsTests {
    private func error(saying words: String) async throws -> ServiceError {
        let server = try LoopbackServer { _ in .text(words, status: 500) }
        let account = MarvelAccount(baseURL: server.baseURL, publicKey: "", privateKey: "")
        let error = await #expect(throws: ServiceError.self) {
            try await ServiceProvider<MarvelService>().load(service: .character(id: 1, account))
        }
        return try #require(error)
    }

    @Test(arguments: ["a\u{1B}[31mb", "a\nb", "a\r\nb", "a\u{7}b"])
    func controlsOfASCIIAreLeftOut(words: String) async throws {
        let text = try await error(saying: words).description
        #expect(text == text.printable)
    }

    /// U+009B alone starts a terminal's control sequence, as ESC [ does; U+202E turns the text.
    @Test(arguments: ["a\u{9B}31mb", "a\u{7F}b", "a\u{202E}b", "a\u{2028}b"])
    func otherControlsAreLeftOut(words: String) async throws {
        let text = try await error(saying: words).description
        #expect(text == text.printable)
    }
}
