// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// An endpoint of which all that interceptors look at can be chosen; of a host that does not exist.
struct CallService: Service, Sendable {
    var baseURL = "http://stubbed.invalid"
    var path = "/call"
    var method = ServiceMethod.get
    var query: [String: String] = [:]
    var headers: [String: String] = [:]
    var content: Data?
    var file: URL?
    var validStatusCodes = ServiceResponse.successfulStatusCodes
    var isRepeatable: Bool?
    var sample = ""
    var secretNames: Set<String> = []

    var parameters: [String: Any]? { query.isEmpty ? nil : query }
    var sampleData: Data { Data(sample.utf8) }
    var body: ServiceBody? { content.map { .data($0) } ?? file.map { .file($0) } }
}

/// Answers by a closure; nothing goes over a wire.
struct StubTransport: ServiceTransport {
    let answer: @Sendable (ServiceRequest) async throws -> ServiceResponse

    init(_ answer: @escaping @Sendable (ServiceRequest) async throws -> ServiceResponse) {
        self.answer = answer
    }

    func send(_ request: ServiceRequest) async throws -> ServiceResponse {
        try await answer(request)
    }
}

extension ServiceRequest {
    func answer(
        _ status: Int, headers: [String: String] = [:], data: Data = Data("body".utf8)
    ) throws -> ServiceResponse {
        let url = try #require(urlRequest.url)
        let http = HTTPURLResponse(
            url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: headers)
        return ServiceResponse(request: self, http: try #require(http), data: data)
    }

    func header(_ name: String) -> String? { urlRequest.value(forHTTPHeaderField: name) }
}

extension ServiceProvider where T: Sendable {
    /// How a call ends: with a status, good or not, or with an error's text.
    func end(of service: T) async -> String {
        do throws(ServiceError) {
            return "\(try await response(for: service).statusCode)"
        } catch {
            let text = transcribed(error.description, as: .error)
            return error.statusCode.map { "\($0)" } ?? text
        }
    }
}

/// Tokens that are numbers: a refresh makes the next one.
struct CountingTokens: Sendable {
    let refreshes: Milestones
    let authenticator: ServiceAuthenticator<Int>

    init() {
        let refreshes = Milestones()
        authenticator = ServiceAuthenticator(token: 0) {
            ServiceAuthorization.bearer("\(canary("number"))-\($0)")
        } refresh: { token in
            refreshes.pass()
            return (token ?? 0) + 1
        }
        self.refreshes = refreshes
    }
}

/// A server with one token that is good, and `/token` where one gets it.
final class TokenServer: Sendable {
    static let old = canary("old token")
    static let new = canary("new token")

    let server: LoopbackServer

    init() throws {
        server = try LoopbackServer { request in
            if request.path == "/token" { return .text(Self.new) }
            let isGood = request.header("Authorization") == "Bearer \(Self.new)"
            let words = "not with \(request.header("Authorization") ?? "nothing")"
            return isGood ? .text("good") : .text(words, status: 401)
        }
    }

    var service: CallService { CallService(baseURL: server.baseURL) }

    /// What protected requests brought, in order.
    var tokens: [String?] {
        server.requests.filter { $0.path != "/token" }.map {
            $0.header("Authorization")
        }
    }

    var refreshCount: Int { server.requests.filter { $0.path == "/token" }.count }

    func provider(
        _ interceptors: any ServiceInterceptor..., transport: TransportUnderTest = .ownSession
    ) -> ServiceProvider<CallService> {
        ServiceProvider(transport: transport.make(), interceptors: interceptors)
    }

    /// One that gets its token there, by a provider of its own.
    func authenticator(token: String? = TokenServer.old) -> ServiceAuthenticator<String> {
        let logins = provider()
        let login = CallService(baseURL: server.baseURL, path: "/token", method: .post)
        return ServiceAuthenticator(token: token) {
            ServiceAuthorization.bearer($0)
        } refresh: { _ in
            String(decoding: try await logins.load(service: login), as: UTF8.self)
        }
    }
}
