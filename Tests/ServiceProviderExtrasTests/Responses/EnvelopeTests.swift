// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

/// Responses in an envelope.
@Suite(.serialized, .opensFiles, .timeLimit) struct EnvelopeTests {
    let server: LoopbackServer
    let provider = ServiceProvider<TestService>()

    init() throws { server = try LoopbackServer() }

    struct Answer<Value: Decodable>: ServiceEnvelope {
        struct Refusal: LocalizedError {
            var errorDescription: String?
        }

        var code: Int
        var message: String?
        var data: Value?

        var content: Value {
            get throws {
                if let data { return data }
                throw Refusal(errorDescription: message ?? "\(code)")
            }
        }
    }

    @Test func theContentOfAnEnvelopeIsLoaded() async throws {
        let service = server.answering(.json(#"{"code": 200, "data": {"id": 7}}"#))
        let hero = try await provider.load(service: service, envelope: Answer<Hero>.self)
        #expect(hero == Hero(id: 7))
    }

    @Test func anErrorOfTheContentIsTheCause() async throws {
        let json = #"{"code": 409, "message": "You must provide a hash."}"#
        let service = server.answering(.json(json))
        let error = try await failure {
            _ = try await provider.load(service: service, envelope: Answer<Hero>.self)
        }
        let text = "The server answered 200 for 'GET /answer'. Decoding"
        #expect(error.description.hasPrefix(text))
        #expect(error.localizedDescription == "The response can't be read.")
        #expect(error.response?.text == json)
        guard case .decoding(is Answer<Hero>.Refusal, _, _) = error else {
            Issue.record(error)
            return
        }
    }

    @Test func otherErrorsAreNotChanged() async throws {
        let type = Answer<Hero>.self
        let odd = server.answering(.json(#"{"code": "x"}"#))
        let undecodable = try await failure {
            _ = try await provider.load(service: odd, envelope: type)
        }
        #expect(undecodable.description.contains("Decoding 'Answer<Hero>' failed at 'code': "))
        let empty = server.answering(.status(204))
        guard
            case .emptyResponse = try await failure(of: {
                _ = try await provider.load(service: empty, envelope: type)
            })
        else {
            Issue.record("no error of an empty response")
            return
        }
        let missing = server.answering(.status(404))
        let error = try await failure {
            _ = try await provider.load(service: missing, envelope: type)
        }
        #expect(error.unacceptableStatus == 404)
    }

    @Test func anEnvelopeCanBeAtAKeyPath() async throws {
        let service = server.answering(.json(#"{"answer": {"code": 200, "data": [1, 2]}}"#))
        let type = Answer<[Int]>.self
        let list = try await provider.decoding(at: "answer").load(service: service, envelope: type)
        #expect(list == [1, 2])
    }

    @Test func handlersGetContentFailureAndEmpty() async throws {
        for (answer, expected) in [
            (LoopbackResponse.json(#"{"code": 200, "data": {"id": 7}}"#), "7"),
            (.json(#"{"code": 409}"#), "The server answered 200 for 'GET /answer'. Decoding "),
            (.status(204), "empty"), (.status(404), "The server answered 404 for 'GET /answer'."),
        ] {
            let service = server.answering(answer)
            let text: String = await withCheckedContinuation { continuation in
                provider.load(service: service, envelope: Answer<Hero>.self) { result in
                    let text =
                        switch result {
                        case .success(let hero): "\(hero.id)"
                        case .failure(let error): "\(error)"
                        case .empty: "empty"
                        }
                    continuation.resume(returning: text)
                }
            }
            #expect(text.hasPrefix(expected.dropLast()))
        }
    }
}
