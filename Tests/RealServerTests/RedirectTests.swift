// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderDiagnostics
import ServiceProviderExtras
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension RealServerTests {
    @Suite(.serialized, .opensFiles, .timeLimit) struct Redirects {
        @Test(arguments: Way.all, ["redirect", "relative-redirect", "absolute-redirect"])
        func chainsOfRedirectsAreFollowed(way: Way, kind: String) async throws {
            let provider = try way.provider()
            for count in [1, 2, 20] {
                #expect(
                    try await provider.echo(TestService("/\(kind)/\(count)")).url.hasSuffix("/get"))
            }
            let error = try await provider.failure(of: TestService("/\(kind)/21"))
            #expect(error.statusCode == 302)
        }

        @Test(arguments: Way.all, [301, 302, 303, 307, 308])
        func redirectsOfAPOSTFollowTheRFC(way: Way, status: Int) async throws {
            let call = TestService("/redirect-to").with {
                $0.method = .post
                $0.parameterEncoding.destination = .query
                $0.parameters = ["url": "/anything", "status_code": status]
                $0.body = .data(Data("order".utf8), contentType: "text/plain")
            }
            let echo = try await way.provider().echo(call)
            #expect(echo.method == (status < 304 ? "GET" : "POST"))
            #expect(echo.data == (status < 304 ? "" : "order"))
        }

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

        @Test(arguments: Way.all) func bearerTokensArrive(way: Way) async throws {
            struct Token: Decodable { var token: String }
            let provider = try way.provider(ServiceAuthorization.bearer("abc"))
            let received = try await provider.load(
                service: TestService("/bearer"), decodeType: Token.self)
            #expect(received.token == "abc")
            #expect(try await way.provider().failure(of: TestService("/bearer")).statusCode == 401)
        }

        @Test(arguments: Way.all) func concurrentCallsShareOneTokenRefresh(way: Way) async throws {
            let refreshes = Seen()
            let authenticator = ServiceAuthenticator<String>(
                token: "old", authorization: { ServiceAuthorization.bearer($0) }
            ) { _ in
                refreshes.add(1)
                return "good"
            }
            let provider = try way.provider(authenticator)
            try await withThrowingTaskGroup(of: Data.self) { group in
                for _ in 0..<16 {
                    group.addTask {
                        try await provider.load(
                            service: TestService("/token").with { $0.baseURL = Servers.nginx })
                    }
                }
                for try await data in group { #expect(data == Data(#""in""#.utf8)) }
            }
            #expect(refreshes.all == [1])
        }
    }

    @Suite(.serialized, .opensFiles, .timeLimit) struct Cookies {
        struct Stored: Decodable { var cookies: [String: String] }

        /// URLSession stores cookies in its session. CurlTransport stores none.
        @Test(arguments: Way.all) func cookiesBelongToTheSession(way: Way) async throws {
            let provider = try way.provider()
            let set = TestService("/cookies/set").with { $0.parameters = ["a": "1", "b": "2"] }
            var stored = try await provider.load(service: set, decodeType: Stored.self)
            #expect(stored.cookies == (way == .curl ? [:] : ["a": "1", "b": "2"]))
            let delete = TestService("/cookies/delete").with { $0.parameters = ["a": ""] }
            stored = try await provider.load(service: delete, decodeType: Stored.self)
            // URLSession on Linux keeps a deleted cookie, with an empty value.
            stored.cookies["a"] = stored.cookies["a"]?.isEmpty == true ? nil : stored.cookies["a"]
            #expect(stored.cookies == (way == .curl ? [:] : ["b": "2"]))
        }
    }
}
