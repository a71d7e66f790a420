// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import TestTraits
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A login in a browser, at a server that checks the verifier as RFC 7636 says.
@Suite(.serialized, .opensFiles, .timeLimit) @MainActor struct OAuthLoginTests {
    private let server: LoginServer
    private let saved = Locked<[OAuthTokens?]>([])

    init() throws { server = try LoginServer() }

    private func login(
        tokens: OAuthTokens? = nil, sha256: @escaping @Sendable (Data) -> Data = { sha256($0) },
        decoder: any ServiceDecoder = JSONDecoder(), interceptors: any ServiceInterceptor...
    ) -> OAuthLogin {
        OAuthLogin(
            server.client(sha256), tokens: tokens,
            provider: ServiceProvider(interceptors: interceptors, decoder: decoder)
        ) { [saved] tokens in
            saved { $0.append(tokens) }
        }
    }

    private func provider(_ login: OAuthLogin) -> ServiceProvider<TestService> {
        ServiceProvider(interceptors: [login.authenticator])
    }

    /// A browser in which a person logs in at once.
    private func browse(_ url: URL) async throws -> URL {
        var request = ServiceRequest(URLRequest(url: url))
        request.acceptsAnyStatus = true
        request.onRedirect = { _, _, _ in nil }
        let response = try await ServiceProvider<TestService>().pipeline.send(request)
        return try #require(response.header("Location").flatMap { URL(string: $0) })
    }

    private func isLoginNeeded(_ error: ServiceError) -> Bool {
        if case .interceptor(OAuthError.loginNeeded) = error { true } else { false }
    }

    /// RFC 7636, appendix B.
    @Test func theChallengeIsThatOfTheExample() {
        let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
        let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
        #expect(server.client { sha256($0) }.challenge(for: verifier) == challenge)
    }

    @Test func aLoginReturnsTokensThatRequestsCarry() async throws {
        let login = login()
        try await login.logIn(browse: browse)
        let tokens = try #require(login.tokens)
        #expect(saved { $0 } == [tokens])
        #expect(tokens.access_token == server.state { $0.access })
        #expect(try await provider(login).text(of: server.posts) == "posts")
        try await login.logIn(browse: browse)
        let verifiers = server.state { $0.verifiers }
        #expect(verifiers.count == 2 && Set(verifiers).count == 2)
        #expect(verifiers.allSatisfy { $0.count == 43 })
        #expect(Set(server.state { $0.states }).count == 2)
    }

    /// The server refuses the code of a thief, who doesn't have the verifier.
    @Test func aCodeNeedsTheVerifierOfItsChallenge() async throws {
        let login = login { _ in Data(repeating: 1, count: 32) }
        await #expect(throws: OAuthError.invalidGrant) { try await login.logIn(browse: browse) }
        #expect(login.tokens == nil && saved { $0 }.isEmpty)
    }

    @Test(arguments: [
        ("?code=c&state=x", OAuthError.wrongRedirect), ("?code=c", .wrongRedirect),
        ("?code=c&state=", .wrongRedirect), ("?code=c&state=STATE&state=STATE", .wrongRedirect),
        ("?state=STATE", .wrongRedirect), ("", .wrongRedirect),
        ("#code=c&state=STATE", .wrongRedirect),
        ("?code=c&code=d&state=STATE", .wrongRedirect),
        ("?error=access_denied&state=STATE", .accessDenied),
        ("?error=access_denied&code=c&state=STATE", .accessDenied),
        ("?error=access_denied&state=x", .wrongRedirect),
        ("?error=temporarily_unavailable&state=STATE", .refused),
        ("?error=&state=STATE", .refused),
    ])
    func aRedirectWithoutCodeIsAnError(query: String, error: OAuthError) async throws {
        let login = login()
        await #expect(throws: error) {
            try await login.logIn { url in
                let items = URLComponents(url: url, resolvingAgainstBaseURL: true)?.queryItems
                let state = items?.first { $0.name == "state" }?.value
                let text = query.replacingOccurrences(of: "STATE", with: state ?? "")
                return try #require(URL(string: "com.example.app:/login\(text)"))
            }
        }
        // No request for tokens.
        #expect(server.loopback.isUntouched)
        #expect(login.tokens == nil)
    }

    @Test func anErrorOfTheBrowserIsThrownAsItIs() async throws {
        struct Closed: Error {}
        await #expect(throws: Closed.self) { try await login().logIn { _ in throw Closed() } }
    }

    /// Other tokens can't be sent as `Bearer` (RFC 6749, section 7.1).
    @Test(arguments: [
        ("", true), (#""token_type": "bEARER", "#, true), (#""token_type": "DPoP", "#, false),
        (#""token_type": "", "#, false),
    ])
    func onlyBearerTokensAreAccepted(type: String, isAccepted: Bool) async throws {
        server.state { $0.type = type }
        let login = login()
        var refusal: OAuthError?
        do {
            try await login.logIn(browse: browse)
        } catch let error as OAuthError {
            refusal = error
        }
        #expect(refusal == (isAccepted ? nil : .refused))
        #expect((login.tokens != nil) == isAccepted)
    }

    @Test func aRejectedTokenIsReplacedWithTheRotatedOne() async throws {
        let login = login()
        try await login.logIn(browse: browse)
        let provider = provider(login)
        for count in 1...3 {
            server.state { $0.access = "revoked" }
            #expect(try await provider.text(of: server.posts) == "posts")
            #expect(saved { $0.count } == 1 + count)
            #expect(saved { $0.last } == login.tokens)
        }
        // Each refresh token was used once: the server accepts none twice.
        #expect(server.state { $0.refreshes } == 3)
        // The next launch.
        server.state { $0.access = "revoked" }
        let next = self.login(tokens: login.tokens)
        #expect(try await self.provider(next).text(of: server.posts) == "posts")
    }

    @Test func callsAtTheSameTimeRefreshOnce() async throws {
        let login = login()
        try await login.logIn(browse: browse)
        server.state { $0.access = "revoked" }
        let provider = provider(login)
        let posts = server.posts
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<10 {
                group.addTask { try await provider.text(of: posts) }
            }
            for try await text in group {
                #expect(text == "posts")
            }
        }
        #expect(server.state { $0.refreshes } == 1)
    }

    @Test func anExpiredTokenIsRefreshedBeforeTheRequest() async throws {
        server.state { $0.lifetime = 1 }
        let login = login()
        try await login.logIn(browse: browse)
        server.state { $0.lifetime = 3_600 }
        for _ in 0..<2 {
            #expect(try await provider(login).text(of: server.posts) == "posts")
        }
        #expect(server.state { $0.refreshes } == 1)
        #expect(server.state { $0.rejections } == 0)
    }

    @Test func theOldRefreshTokenStaysIfTheServerSendsNone() async throws {
        server.state { $0.rotates = false }
        let login = login()
        try await login.logIn(browse: browse)
        let refresh = try #require(login.tokens?.refresh_token)
        for _ in 0..<2 {
            server.state { $0.access = "revoked" }
            try await provider(login).load(service: server.posts)
            #expect(login.tokens?.refresh_token == refresh)
        }
    }

    @Test func anInvalidGrantEndsTheLogin() async throws {
        let login = login()
        let provider = provider(login)
        try await login.logIn(browse: browse)
        server.state { state in
            state.access = "revoked"
            state.refreshTokens = []
        }
        for _ in 0..<2 {
            let error = try await provider.failure(of: server.posts)
            #expect(isLoginNeeded(error))
            #expect(error.description == "The call failed: Please log in.")
        }
        #expect(saved { $0.last } == .some(nil))
        #expect(login.tokens == nil)
        // The second call didn't ask again.
        #expect(server.state { $0.refreshes } == 1)
        try await login.logIn(browse: browse)
        #expect(try await provider.text(of: server.posts) == "posts")
    }

    @Test func aRejectedTokenWithoutARefreshTokenEndsTheLogin() async throws {
        let text = #"{"access_token": "old", "received": 0}"#
        let tokens = try JSONDecoder().decode(OAuthTokens.self, from: Data(text.utf8))
        let login = login(tokens: tokens)
        let error = try await provider(login).failure(of: server.posts)
        #expect(isLoginNeeded(error))
        #expect(saved { $0 } == [nil])
    }

    @Test func withoutALoginARejectionAsksForOne() async throws {
        let error = try await provider(login()).failure(of: server.posts)
        #expect(isLoginNeeded(error))
        #expect(server.state { $0.refreshes } == 0)
    }

    @Test(arguments: [(503, ""), (400, #"{"error": "invalid_request", "error_codes": [7]}"#)])
    func anotherFailureKeepsTheLogin(status: Int, body: String) async throws {
        let login = login()
        let provider = provider(login)
        try await login.logIn(browse: browse)
        server.state { state in
            state.access = "revoked"
            state.failure = .json(body, statusCode: status)
        }
        let error = try await provider.failure(of: server.posts)
        #expect(!isLoginNeeded(error))
        #expect(login.tokens != nil && saved { $0.count } == 1)
        server.state { $0.failure = nil }
        #expect(try await provider.text(of: server.posts) == "posts")
    }

    /// Some servers refuse with status 200.
    @Test func aRefusalWithStatus200IsRecognized() async throws {
        let login = login()
        try await login.logIn(browse: browse)
        server.state { state in
            state.access = "revoked"
            state.failure = .json(#"{"error": "invalid_grant"}"#)
        }
        #expect(isLoginNeeded(try await provider(login).failure(of: server.posts)))
    }

    /// Tokens that arrive after a logout aren't saved, and no call uses them.
    @Test func aLogoutDuringARefreshIsFinal() async throws {
        let logOut = Locked<(@MainActor @Sendable () -> Void)?>(nil)
        let isDecoded = Locked(false)
        // The tokens are there, and the main actor logs out before it gets them.
        let decoder = LateDecoder {
            guard let logOut = logOut({ $0 }) else { return }
            isDecoded { $0 = true }
            Task { @MainActor in logOut() }
        }
        let login = login(decoder: decoder)
        try await login.logIn(browse: browse)
        logOut { $0 = { login.logOut() } }
        server.state { $0.access = "revoked" }
        let provider = provider(login)
        #expect(try await provider.failure(of: server.posts).statusCode == 401)
        #expect(isDecoded { $0 })
        // The refresh ends on the main actor, after the logout.
        for _ in 0..<100 { await Task.yield() }
        #expect(login.tokens == nil)
        #expect(saved { $0.count } == 2 && saved { $0.last } == .some(nil))
        #expect(isLoginNeeded(try await provider.failure(of: server.posts)))
    }

    @Test func noTextShowsASecret() async throws {
        let texts = Locked<[String]>([])
        let log = ServiceLog(.bodies) { entry in texts { $0.append(entry.message) } }
        let login = login(interceptors: log)
        let provider = ServiceProvider<TestService>(interceptors: [login.authenticator, log])
        let add = { @Sendable (text: String) in texts { $0.append(transcribed(text, as: .error)) } }
        try await login.logIn(browse: browse)
        try await provider.load(service: server.posts)
        var dumped = ""
        dump(login.tokens, to: &dumped)
        add("\(String(describing: login.tokens)) \(String(reflecting: login.tokens)) \(dumped)")
        for refusal in ["invalid_grant", "other \(canary("OAuth error"))"] {
            let canary = canary("OAuth description")
            let body = #"{"error": "\#(refusal)", "error_description": "\#(canary)"}"#
            server.state { state in
                state.access = "revoked"
                state.failure = .json(body, statusCode: 400)
            }
            let failure = try await provider.failure(of: server.posts)
            add("\(failure) \(failure.localizedDescription) \(String(reflecting: failure))")
            do {
                try await login.logIn(browse: browse)
            } catch {
                add("\(error) \(error.localizedDescription) \(String(reflecting: error))")
            }
            server.state { $0.failure = nil }
            try await login.logIn(browse: browse)
        }
        let written = texts { $0 }
        // The log has the requests for tokens, and shows what isn't secret.
        #expect(written.contains { $0.contains("grant_type=refresh_token") })
        let secrets = server.state { $0.secrets + $0.verifiers }
        #expect(secrets.count > 10)
        for secret in secrets {
            let form = ServicePercentEncoding.encode(secret)
            #expect(!written.contains { $0.contains(secret) || $0.contains(form) })
        }
        // The log shows the server's body, but no error does.
        #expect(!written.contains { $0.contains("canary") && !$0.contains("/token") })
    }
}

/// Runs a closure when it has decoded a value.
private struct LateDecoder: ServiceDecoder {
    let whenDone: @Sendable () -> Void

    func decode<U: Decodable>(_ type: U.Type, from data: Data) throws -> U {
        defer { whenDone() }
        return try JSONDecoder().decode(type, from: data)
    }
}

/// A server with logins and posts. Each refresh token is good for one refresh.
private final class LoginServer: Sendable {
    struct State {
        /// The challenges of codes that haven't been used.
        var challenges: [String: String] = [:]
        var refreshTokens: Set<String> = []
        /// The access token that is valid.
        var access = ""
        /// With its comma; empty if the server doesn't send it.
        var type = #""token_type": "Bearer", "#
        var lifetime = 3_600
        var rotates = true
        /// The response to requests for tokens.
        var failure: LoopbackResponse?
        var refreshes = 0
        var rejections = 0
        var verifiers: [String] = []
        var states: [String] = []
        /// All codes and tokens.
        var secrets: [String] = []

        mutating func secret(_ kind: String) -> String {
            // With characters that need escapes in a form.
            secrets.append("\(kind)+\(secrets.count) /=&\(UUID().uuidString)")
            return secrets[secrets.count - 1]
        }

        mutating func bearer() -> String {
            secrets.append("access-\(UUID().uuidString)")
            return secrets[secrets.count - 1]
        }
    }

    static let redirect = "com.example.app:/login"

    let state: Locked<State>
    let loopback: LoopbackServer

    init() throws {
        let state = Locked(State())
        self.state = state
        loopback = try LoopbackServer { request in
            switch request.path {
            case "/authorize": state { Self.authorize(request, &$0) }
            case "/token": Self.token(request, state)
            default: state { Self.posts(request, &$0) }
            }
        }
    }

    var posts: TestService { loopback.service("/posts") }

    func client(_ sha256: @escaping @Sendable (Data) -> Data) -> OAuthClient {
        OAuthClient(
            authorizationURL: "\(loopback.baseURL)/authorize?tenant=a%20b",
            tokenURL: "\(loopback.baseURL)/token",
            clientID: "app & 1", redirectURL: Self.redirect, scope: "posts offline_access",
            sha256: sha256)
    }

    /// The fields of a form.
    private static func fields(_ form: String) -> [String: String] {
        var parts = URLComponents()
        parts.percentEncodedQuery = form.replacingOccurrences(of: "+", with: "%20")
        let pairs = (parts.queryItems ?? []).map { ($0.name, $0.value ?? "") }
        return Dictionary(pairs) { "\($0),\($1)" }
    }

    private static func authorize(
        _ request: LoopbackRequest, _ state: inout State
    ) -> LoopbackResponse {
        let fields = fields(request.query ?? "")
        let wanted = [
            "tenant": "a b", "response_type": "code", "client_id": "app & 1",
            "redirect_uri": redirect, "scope": "posts offline_access",
            "code_challenge_method": "S256",
        ]
        let isRight = wanted.allSatisfy { fields[$0.key] == $0.value }
        guard isRight, let challenge = fields["code_challenge"], let text = fields["state"] else {
            return .statusCode(400)
        }
        state.states.append(text)
        let code = state.secret("code")
        state.challenges[code] = challenge
        // A form, in which + is a space.
        let form = ServicePercentEncoding.encode(code).replacingOccurrences(of: "%20", with: "+")
        return .redirect(to: "\(redirect)?state=\(text)&code=\(form)")
    }

    private static func token(
        _ request: LoopbackRequest, _ state: Locked<State>
    ) -> LoopbackResponse {
        let fields = fields(String(decoding: request.body, as: UTF8.self))
        return state { granted(fields, &$0) }
    }

    private static func granted(
        _ fields: [String: String], _ state: inout State
    ) -> LoopbackResponse {
        let refusal = LoopbackResponse.json(#"{"error": "invalid_grant"}"#, statusCode: 400)
        if fields["grant_type"] == "refresh_token" {
            state.refreshes += 1
        }
        if let failure = state.failure {
            return failure
        }
        guard fields["client_id"] == "app & 1" else { return .statusCode(401) }
        var refresh: String? = fields["refresh_token"]
        switch fields["grant_type"] {
        case "authorization_code":
            let challenge = state.challenges.removeValue(forKey: fields["code"] ?? "")
            let verifier = fields["code_verifier"] ?? ""
            let hash = sha256(Data(verifier.utf8)).base64EncodedString()
                .replacingOccurrences(of: "+", with: "-")
                .replacingOccurrences(of: "/", with: "_")
                .replacingOccurrences(of: "=", with: "")
            guard challenge == hash, fields["redirect_uri"] == redirect else { return refusal }
            state.verifiers.append(verifier)
            refresh = state.secret("refresh")
        case "refresh_token":
            guard let old = refresh, state.refreshTokens.contains(old) else { return refusal }
            guard state.rotates else {
                refresh = nil
                break
            }
            state.refreshTokens.remove(old)
            refresh = state.secret("refresh")
        default: return .statusCode(400)
        }
        if let refresh {
            state.refreshTokens.insert(refresh)
        }
        state.access = state.bearer()
        let more = refresh.map { #", "refresh_token": "\#($0)""# } ?? ""
        return .json(
            """
            {"access_token": "\(state.access)", \(state.type)\
            "expires_in": \(state.lifetime)\(more)}
            """)
    }

    private static func posts(
        _ request: LoopbackRequest, _ state: inout State
    ) -> LoopbackResponse {
        guard request.header("Authorization") == "Bearer \(state.access)" else {
            state.rejections += 1
            return .statusCode(401)
        }
        return .text("posts")
    }
}
