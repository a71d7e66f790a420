// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

@testable import MarvelClient

/// A server's error message is printed in a terminal, so it must not contain control characters.
@Suite(.serialized, .opensFiles, .timeLimit) struct HostileWordsTests {
    private func error(saying words: String) async throws -> ServiceError {
        let server = try LoopbackServer { _ in .text(words, status: 500) }
        let account = MarvelAccount(baseURL: server.baseURL, publicKey: "", privateKey: "")
        let error = await #expect(throws: ServiceError.self) {
            try await ServiceProvider<MarvelService>().load(service: .character(id: 1, account))
        }
        return try #require(error)
    }

    /// U+009B alone starts a terminal control sequence, as ESC [ does. U+202E reverses the text.
    @Test(arguments: [
        "a\u{1B}[31mb", "a\nb", "a\r\nb", "a\u{7}b", "a\u{9B}31mb", "a\u{7F}b", "a\u{202E}b",
        "a\u{2028}b",
    ])
    func controlCharactersAreRemovedFromErrors(words: String) async throws {
        let text = try await error(saying: words).description
        #expect(text == text.printable)
    }
}
