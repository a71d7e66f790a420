// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension RealServerTests {
    @Suite(.serialized, .opensFiles, .timeLimit) struct Redirects {
        @Test(arguments: Way.all) func secretsAreNotSentToAnotherHost(way: Way) async throws {
            let headers = [
                "Authorization": "Bearer good", "X-Api-Key": "k", "Cookie": "a=1", "X-Other": "o",
                "Accept-Language": "en",
            ]
            let provider = try way.provider()
            let stays = try await provider.echo(
                TestService("/redirect-to").with {
                    $0.parameters = ["url": "/anything"]
                    $0.headers = headers
                })
            #expect(
                stays.headers["Authorization"] == "Bearer good" && stays.headers["X-Api-Key"] == "k"
            )
            let away = try await provider.echo(
                TestService("/away/anything").with {
                    $0.baseURL = Servers.nginx
                    $0.headers = headers
                })
            #expect(away.headers["Accept-Language"] == "en")
            for name in ["Authorization", "X-Api-Key", "Cookie", "X-Other"] {
                #expect(away.headers[name] == nil, "\(name)")
            }
        }
    }

    @Suite(.serialized, .opensFiles, .timeLimit) struct Credentials {
        private let password = ServiceAuthorization.basic(user: "ülf", password: "p:w é")
        private let path = "/ülf/p:w é"

        @Test(arguments: Way.all) func basicAuthenticationSucceeds(way: Way) async throws {
            let provider = try way.provider(password)
            for kind in ["basic-auth", "hidden-basic-auth"] {
                let data = try await provider.load(service: TestService("/\(kind)\(path)"))
                #expect(String(decoding: data, as: UTF8.self).contains("true"))
                let wrong = try await provider.failure(of: TestService("/\(kind)/other/p"))
                #expect(wrong.statusCode == (kind == "basic-auth" ? 401 : 404))
            }
            let anonymous = try await way.provider().failure(of: TestService("/basic-auth\(path)"))
            #expect(anonymous.statusCode == 401)
            #expect(anonymous.response?.header("WWW-Authenticate")?.hasPrefix("Basic") == true)
        }
    }
}
