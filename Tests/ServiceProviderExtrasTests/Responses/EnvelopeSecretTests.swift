// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

/// Errors of envelopes and decoders print no secrets.
@Suite(.serialized, .opensFiles, .timeLimit) struct EnvelopeSecretTests {
    /// Quotes the response in its errors.
    private struct Quoting: ServiceEnvelope {
        enum Role: String, Decodable { case reader }
        struct Refusal: LocalizedError { var errorDescription: String? }

        var message: String?
        var access_token: Role?
        var credentials: [String: Role]?
        var role: Role?

        var content: Int { get throws { throw Refusal(errorDescription: message) } }
    }

    /// The envelope and the decoder quote secrets of the response, and of the request that it
    /// repeats.
    @Test(arguments: [
        (
            #"{"message":"no 'SENT', but token=GOT"}"#,
            "Decoding 'Quoting' failed with an error of type 'Refusal'."
        ),
        (
            #"{"access_token":"GOT"}"#,
            "Decoding 'Quoting' failed at 'access_token': it isn't valid, or a number doesn't fit its type."
        ),
        (
            #"{"access_token":[1]}"#,
            "Decoding 'Quoting' failed at 'access_token': the value isn't a 'String'."
        ),
        (
            #"{"credentials":{"a":"GOT"}}"#,
            "Decoding 'Quoting' failed at 'credentials.…': it isn't valid, or a number doesn't fit its type."
        ),
        (
            #"{"role":"SENT"}"#,
            "Decoding 'Quoting' failed at 'role': it isn't valid, or a number doesn't fit its type."
        ),
    ])
    func errorTextsQuoteNoSecrets(_ body: String, _ text: String) async throws {
        let (sent, got) = (canary("sent key"), canary("token that came"))
        let body = body.replacingOccurrences(of: "SENT", with: sent)
            .replacingOccurrences(of: "GOT", with: got)
        let provider = ServiceProvider<TestService>(
            transport: StubTransport { try $0.answer(200, data: Data(body.utf8)) })
        let endpoint = TestService(
            baseURL: "https://api.example.com/v1", path: "/characters", headers: ["X-Api-Key": sent]
        )
        let thrown = await #expect(throws: ServiceError.self) {
            try await provider.load(service: endpoint, envelope: Quoting.self)
        }
        let error = try #require(thrown)
        #expect(error.description == "The server answered 200 for 'GET /v1/characters'. \(text)")
        let info = "\((error as NSError).userInfo)"
        for text in [error.description, error.localizedDescription, "\(error)", info] {
            #expect(!transcribed(text, as: .error).contains("canary"))
        }
        #expect(!transcribed(String(reflecting: error), as: .error).contains("canary"))
        var dumped = ""
        dump(error, to: &dumped)
        #expect(!transcribed(dumped, as: .error).contains("canary"))
        #expect(dumped.contains(text))
    }
}
