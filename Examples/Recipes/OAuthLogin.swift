// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// A login with OAuth 2 in a browser: authorization code with PKCE, and tokens that are refreshed.

import Foundation
import ServiceProvider
import ServiceProviderExtras

#if canImport(CryptoKit)
import CryptoKit
#endif

/// A server with logins, and this app as the server knows it: a client without a secret (RFC 8252).
nonisolated struct OAuthClient: Sendable {
    var authorizationURL: String
    var tokenURL: String
    var clientID: String
    /// Registered at the server, such as `com.example.app:/login`.
    var redirectURL: String
    var scope: String
    #if canImport(CryptoKit)
    var sha256: @Sendable (Data) -> Data = { Data(SHA256.hash(data: $0)) }
    #else
    /// Foundation has no digest. `Crypto`, a package for Linux, has the function that CryptoKit has.
    var sha256: @Sendable (Data) -> Data
    #endif

    /// The challenge for a verifier (RFC 7636, section 4.2).
    func challenge(for verifier: String) -> String { sha256(Data(verifier.utf8)).base64URL }
}

/// The tokens of a login, as the server sends them. `print` and `dump` don't show them.
nonisolated struct OAuthTokens: Codable, Equatable, Sendable {
    let access_token: String
    var token_type: String?
    var refresh_token: String?
    let expires_in: Double?
    /// When this app got them.
    var received: Date?
    var expiry: Date? { expires_in.flatMap { received?.addingTimeInterval($0) } }
}

nonisolated extension OAuthTokens: CustomStringConvertible, CustomReflectable {
    var description: String { "OAuthTokens" }
    var customMirror: Mirror { Mirror(self, children: [:]) }
}

nonisolated enum OAuthError: LocalizedError {
    /// The person or the server has refused the login.
    case accessDenied
    /// The server doesn't accept a code or a token any more.
    case invalidGrant
    /// The server has refused for another reason. Its texts aren't kept, because they may hold secrets.
    case refused
    /// The browser's redirect has no code, or doesn't belong to this login.
    case wrongRedirect
    /// No one has logged in, or the login has ended.
    case loginNeeded

    /// - Parameter code: From the server (RFC 6749, sections 4.1.2.1 and 5.2).
    init(code: String) {
        switch code {
        case "access_denied": self = .accessDenied
        case "invalid_grant": self = .invalidGrant
        default: self = .refused
        }
    }

    var errorDescription: String? {
        switch self {
        case .accessDenied, .invalidGrant, .refused: "The login was refused."
        case .wrongRedirect: "The browser's redirect doesn't belong to this login."
        case .loginNeeded: "Please log in."
        }
    }
}

/// Logs in and out, and adds tokens to requests. Keep it as long as its authenticator.
///
///     let login = OAuthLogin(client, tokens: keychain.tokens) { keychain.tokens = $0 }
///     let provider = ServiceProvider<BlogService>(interceptors: [login.authenticator, ServiceRetry()])
///     try await login.logIn { url in
///         // SwiftUI's environment has it. Other apps use an `ASWebAuthenticationSession`.
///         try await webAuthenticationSession.authenticate(using: url, callbackURLScheme: "com.example.app")
///     }
///
/// Calls that need a login fail with `ServiceError.interceptor(OAuthError.loginNeeded)`.
@MainActor final class OAuthLogin {
    /// Nil if no one has logged in, or the login has ended.
    private(set) var tokens: OAuthTokens?
    private let client: OAuthClient
    private let provider: ServiceProvider<OAuthTokenService>
    private let save: @MainActor (OAuthTokens?) -> Void

    private(set) lazy var authenticator = ServiceAuthenticator(
        token: tokens,
        authorization: { ServiceAuthorization.bearer($0.access_token) },
        expiry: { $0.expiry },
        refresh: { @MainActor [weak self] old in
            guard let self else { throw OAuthError.loginNeeded }
            return try await refreshed(old)
        })

    /// - Parameters:
    ///   - tokens: Those that were saved last.
    ///   - provider: Sends the requests for tokens. It must not have the authenticator.
    ///   - save: Gets all new tokens, and nil at the end of a login.
    init(
        _ client: OAuthClient, tokens: OAuthTokens?,
        provider: ServiceProvider<OAuthTokenService> = ServiceProvider(),
        save: @escaping @MainActor (OAuthTokens?) -> Void
    ) {
        self.client = client
        self.tokens = tokens
        self.provider = provider
        self.save = save
    }

    /// - Parameter browse: Shows a page, and returns the URL with which the browser comes back.
    func logIn(browse: @MainActor (URL) async throws -> URL) async throws {
        let verifier = Self.randomText()
        let state = Self.randomText()
        let page = ServiceEndpoint(
            client.authorizationURL,
            parameters: [
                "response_type": "code", "client_id": client.clientID, "scope": client.scope,
                "redirect_uri": client.redirectURL, "state": state,
                "code_challenge": client.challenge(for: verifier), "code_challenge_method": "S256",
            ])
        let request = try ServiceProvider<ServiceEndpoint>().request(service: page)
        guard let url = request.urlRequest.url else { throw URLError(.badURL) }
        let new = try await requestTokens([
            "grant_type": "authorization_code", "redirect_uri": client.redirectURL,
            "code": Self.code(in: browse(url), state: state), "code_verifier": verifier,
        ])
        keep(new)
        authenticator.token = new
    }

    func logOut() {
        keep(nil)
        authenticator.token = nil
    }

    private func keep(_ new: OAuthTokens?) {
        tokens = new
        save(new)
    }

    private func refreshed(_ old: OAuthTokens?) async throws -> OAuthTokens {
        guard let old, old == tokens else { throw OAuthError.loginNeeded }
        do {
            // A rejected token that can't be refreshed ends the login, too.
            guard let refresh = old.refresh_token else { throw OAuthError.invalidGrant }
            var new = try await requestTokens([
                "grant_type": "refresh_token", "refresh_token": refresh,
            ])
            // The server may keep the old one (RFC 6749, section 6).
            new.refresh_token = new.refresh_token ?? refresh
            // Not after a logout meanwhile.
            guard old == tokens else { throw CancellationError() }
            keep(new)
            return new
        } catch OAuthError.invalidGrant {
            if old == tokens {
                keep(nil)
            }
            throw OAuthError.loginNeeded
        }
    }

    private func requestTokens(_ fields: [String: String]) async throws -> OAuthTokens {
        let fields = fields.merging(["client_id": client.clientID]) { $1 }
        let service = OAuthTokenService(baseURL: client.tokenURL, fields: fields)
        do {
            var new = try await provider.load(service: service, decodeType: OAuthTokens.self)
            new.received = Date()
            // A client must not use a type that it doesn't know (RFC 6749, section 7.1).
            guard (new.token_type ?? "Bearer").lowercased() == "bearer" else {
                throw OAuthError.refused
            }
            return new
        } catch let error as ServiceError {
            // Some servers send it with status 200.
            guard let refusal = try? error.response?.decode(Refusal.self) else { throw error }
            throw OAuthError(code: refusal.error)
        }
    }

    private static func code(in redirect: URL, state: String) throws -> String {
        var parts = URLComponents(url: redirect, resolvingAgainstBaseURL: true)
        // It's a form, in which + is a space.
        let query = parts?.percentEncodedQuery?.replacingOccurrences(of: "+", with: "%20")
        parts?.percentEncodedQuery = query
        let values = Dictionary(grouping: parts?.queryItems ?? [], by: \.name)
            .mapValues { items in items.map { $0.value ?? "" } }
        guard values["state"] == [state] else { throw OAuthError.wrongRedirect }
        if let error = values["error"]?.first {
            throw OAuthError(code: error)
        }
        guard let codes = values["code"], codes.count == 1 else { throw OAuthError.wrongRedirect }
        return codes[0]
    }

    /// 256 random bits.
    private static func randomText() -> String {
        Data((0..<32).map { _ in UInt8.random(in: .min ... .max) }).base64URL
    }

    private nonisolated struct Refusal: Decodable {
        let error: String
    }
}

/// A request for tokens.
nonisolated struct OAuthTokenService: Service, Sendable {
    var baseURL: String
    var fields: [String: String]

    var path: String { "" }
    var method: ServiceMethod { .post }
    var headers: [String: String] { ["Accept": "application/json"] }
    var body: ServiceBody? { .form(fields) }

    func prepare(_ request: inout ServiceRequest) { request.secretNames.insert("code") }
}

nonisolated extension Data {
    /// Base64 for URLs, without padding (RFC 7636, appendix A).
    fileprivate var base64URL: String {
        base64EncodedString()
            .replacingOccurrences(of: "+", with: "-")
            .replacingOccurrences(of: "/", with: "_")
            .replacingOccurrences(of: "=", with: "")
    }
}
