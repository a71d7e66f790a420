// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if !canImport(FoundationNetworking)
import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

@Suite(.serialized, .opensFiles, .timeLimit) struct ChallengeTransportTests {
    let server: LoopbackServer

    init() throws {
        server = try LoopbackServer { _ in
            .text("denied", statusCode: 401).header("WWW-Authenticate", #"Basic realm="test""#)
        }
    }

    private func provider(
        _ disposition: URLSession.AuthChallengeDisposition
    ) -> ServiceProvider<TestService> {
        let transport = ServiceChallengeTransport(configuration: .ephemeral) { challenge in
            let method = challenge.protectionSpace.authenticationMethod
            guard method == NSURLAuthenticationMethodHTTPBasic else {
                return (.performDefaultHandling, nil)
            }
            return (disposition, URLCredential(user: "me", password: "good", persistence: .none))
        }
        return ServiceProvider(transport: transport)
    }

    @Test(.row("C29")) func aClosureRespondsToChallenges() async throws {
        let server = try LoopbackServer { request in
            request.header("Authorization") == "Basic bWU6Z29vZA=="
                ? .text("in")
                : .text("denied", statusCode: 401).header(
                    "WWW-Authenticate", #"Basic realm="test""#)
        }
        #expect(try await provider(.useCredential).text(of: server.service()) == "in")
    }

    @Test func aRefusedCredentialIsNotSentAgain() async throws {
        let error = try await provider(.useCredential).failure(of: server.service())
        #expect(error.unacceptableStatus == 401)
        #expect(server.requests.count == 2)
    }

    @Test func aCancelledChallengeIsAnErrorOfItsOwn() async throws {
        let error = try await provider(.cancelAuthenticationChallenge).failure(of: server.service())
        #expect(error.urlErrorCode == .userCancelledAuthentication)
    }
}
#endif
