// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import CurlTransport
import Foundation
import FoundationNetworking
import LoopbackServer
import ServiceProvider
import ServiceProviderBodies
import ServiceProviderExtras
import ServiceProviderTransfers
import TestSupport
import Testing

/// Digest authentication, against servers that misbehave. `RealServerTests` has a server that
/// verifies the digests.
@Suite(.serialized, .opensFiles, .timeLimit) struct DigestTests {
    private static let challenge = #"Digest realm="test", nonce="n", qop="auth", algorithm=MD5"#
    private let password = canary("digest")

    private func client() throws -> ServiceProvider<TestService> {
        let credential = URLCredential(user: "me", password: password, persistence: .none)
        return try provider { configuration in
            configuration.digestCredential = { $0.host == "127.0.0.1" ? credential : nil }
        }
    }

    /// Responds with 401 until a request has a digest.
    private func server(
        _ challenge: String = challenge, body: String = "denied"
    ) throws -> LoopbackServer {
        try LoopbackServer(recordingBodiesUpTo: 1 << 24) { request in
            request.header("Authorization")?.hasPrefix("Digest ") == true
                ? .text("in: \(request.bodySize)")
                : .text(body, status: 401).header("WWW-Authenticate", challenge)
        }
    }

    @Test func aChallengeIsAnswered() async throws {
        let (server, client) = (try server(), try client())
        #expect(try await client.text(of: server.endpoint()) == "in: 0")
        let sent = server.requests.map { $0.header("Authorization") ?? "" }
        #expect(sent.count == 2)
        #expect(sent[0] == "")
        for part in [#"username="me""#, #"realm="test""#, #"nonce="n""#, "nc=00000001"] {
            #expect(sent[1].contains(part))
        }
        #expect(!sent[1].contains(password))
    }

    @Test(arguments: [[], [Data()], [Data("hello".utf8)]])
    func aSequenceIsSentWithADigest(_ chunks: [Data]) async throws {
        let (server, client) = (try server(), try client())
        let (sequence, source) = AsyncStream.makeStream(of: Data.self)
        for chunk in chunks { source.yield(chunk) }
        source.finish()
        let response = try await client.upload(
            service: server.endpoint(.post).patient, chunks: sequence)
        #expect(response.text == "in: \(chunks.reduce(0) { $0 + $1.count })")
    }

    /// The server doesn't say that it closes. The new connection must get the digest.
    @Test func aConnectionThatClosesAfterTheChallengeIsReplaced() async throws {
        let server = try RawServer { connection in
            let head = connection.readHead()
            let isIn = head.contains("Authorization: Digest")
            connection.write(
                isIn
                    ? "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nin"
                    : "HTTP/1.1 401 No\r\nWWW-Authenticate: \(Self.challenge)\r\n"
                        + "Content-Length: 0\r\n\r\n")
        }
        defer { server.stop() }
        let client = try client()
        let service = TestService(baseURL: "http://127.0.0.1:\(server.port)").patient
        for _ in 0..<100 { #expect(try await client.text(of: service) == "in") }
    }

    /// A body in memory is sent with each request, a file only after the challenge.
    @Test func bodiesAreSentWithADigest() async throws {
        let (server, client) = (try server(), try client())
        let noise = noise(3_000_000)
        let folder = try TemporaryFolder()
        let file = try folder.write(noise, to: "file")
        for body in [ServiceBody.data(noise), .file(file)] {
            for method in [ServiceMethod.post, .put, .patch] {
                let service = server.upload(body, method: method)
                #expect(try await client.text(of: service) == "in: 3000000")
            }
        }
        let sizes = server.requests.map(\.bodySize)
        #expect(
            sizes == Array(repeating: 3_000_000, count: 6) + [
                0, 3_000_000, 0, 3_000_000, 0, 3_000_000,
            ])
    }

    @Test(arguments: ["POST", "PUT", "PATCH"])
    func aServerWithoutAChallengeGetsTheBody(_ method: String) async throws {
        let server = try LoopbackServer { request in
            request.bodySize == 0 ? .text("empty", status: 303) : .text("in: \(request.bodySize)")
        }
        let service = server.upload(
            .data(Data("body".utf8)), method: ServiceMethod(rawValue: method))
        #expect(try await client().text(of: service) == "in: 4")
        #expect(server.requests.count == 1)
    }

    /// The response to an empty request isn't the response to the file.
    @Test(arguments: [200, 204, 303, 307, 308, 404])
    func aFileThatWasNotSentIsAnError(_ status: Int) async throws {
        let server = try LoopbackServer { _ in .status(status).header("Location", "/other") }
        let folder = try TemporaryFolder()
        let file = try folder.write("content", to: "file")
        let error = try await client().failure(of: server.upload(.file(file), method: .put))
        // The target of a 307 or 308 would need the file, so the redirect isn't followed.
        #expect(status < 307 ? error.urlErrorCode != nil : error.unacceptableStatus == status)
        #expect(!server.requests.contains { $0.method == "GET" })
    }

    @Test func streamsAndFilesGetTheResponseAfterTheChallenge() async throws {
        let (server, client) = (
            try server(body: String(repeating: "x", count: 1 << 20)), try client()
        )
        let stream = try await client.stream(service: server.endpoint())
        #expect(stream.response.statusCode == 200)
        var data = Data()
        for try await chunk in stream { data += chunk }
        #expect(data == Data("in: 0".utf8))
        let folder = try TemporaryFolder()
        let file = folder.file("file")
        _ = try await client.download(service: server.endpoint(), to: file)
        #expect(try Data(contentsOf: file) == Data("in: 0".utf8))
    }

    @Test func aRefusedPasswordIsA401WithItsBody() async throws {
        let server = try LoopbackServer { _ in
            .text("denied", status: 401).header("WWW-Authenticate", Self.challenge)
        }
        let client = try client()
        for method in [ServiceMethod.get, .post, .head] {
            let error = try await client.failure(
                of: server.endpoint(method, method == .post ? "body" : nil))
            #expect(error.unacceptableStatus == 401)
            #expect(error.response?.data == Data((method == .head ? "" : "denied").utf8))
        }
        #expect(server.requests.count == 6)
    }

    @Test(arguments: [
        "Basic realm=x", "Digest", "Digest realm=",
        #"Digest realm="test", nonce="n", algorithm=SHA-3"#,
        #"Digest realm="x"#, "Bearer", "Digest " + String(repeating: "a=b, ", count: 4_000),
        "Digest " + String(repeating: "\"", count: 10_001),
    ])
    func aChallengeThatCannotBeAnsweredIsA401(_ challenge: String) async throws {
        let (server, client) = (try server(challenge), try client())
        let error = try await client.failure(of: server.endpoint(.post, "body"))
        #expect(error.unacceptableStatus == 401 || error.urlErrorCode != nil, "\(error)")
        #expect(!error.description.contains(password))
    }

    /// libcurl would answer a stale nonce again and again.
    @Test func endlessStaleNoncesEndTheCall() async throws {
        let server = try LoopbackServer { _ in
            .text("denied", status: 401).header("WWW-Authenticate", Self.challenge + ", stale=true")
        }
        let client = try client()
        #expect(await client.code(of: server.endpoint()) == .userAuthenticationRequired)
        #expect(server.requests.count == 3)
    }

    @Test func oneStaleNonceIsReplaced() async throws {
        let challenge = Self.challenge
        let server = try LoopbackServer { request in
            request.header("Authorization")?.contains(#"nonce="new""#) == true
                ? .text("in")
                : .status(401).header(
                    "WWW-Authenticate",
                    request.header("Authorization") == nil
                        ? challenge
                        : #"Digest realm="test", nonce="new", qop="auth", stale=true"#)
        }
        #expect(try await client().text(of: server.endpoint()) == "in")
        #expect(server.requests.count == 3)
    }

    @Test func otherHostsGetNoDigest() async throws {
        let other = try server()
        let server = try LoopbackServer { _ in
            .redirect(to: "http://localhost:\(other.port)/")
        }
        let error = try await client().failure(of: server.endpoint())
        #expect(error.unacceptableStatus == 401)
        #expect(other.requests.map { $0.header("Authorization") } == [nil])
    }

    @Test func anAuthorizationOfTheRequestComesFirst() async throws {
        let (server, client) = (try server(), try client())
        var service = server.endpoint()
        service.headers = ["authorization": "Bearer own"]
        let error = try await client.failure(of: service)
        #expect(error.unacceptableStatus == 401)
        #expect(server.requests.map { $0.header("Authorization") } == ["Bearer own"])
    }

    /// The server closes each connection after its challenge.
    @Test func aClosedConnectionIsReplaced() async throws {
        let server = try LoopbackServer { request in
            request.header("Authorization") != nil
                ? .text("in")
                : .text("denied", status: 401).header("WWW-Authenticate", Self.challenge).closing()
        }
        let client = try client()
        for _ in 0..<20 {
            #expect(try await client.text(of: server.endpoint(.post, "body")) == "in")
        }
        #expect(server.requests.count == 40)
    }

    /// The server reads the request with the digest and closes the connection, so it may have
    /// processed it.
    @Test func aRequestLostAfterAChallengeIsNotSentAgain() async throws {
        let server = try LoopbackServer(responses: [
            .text("denied", status: 401).header("WWW-Authenticate", Self.challenge), .raw(""),
            .text("again"),
        ])
        let code = try await client().code(of: server.endpoint(.post, "body"))
        #expect(code == .networkConnectionLost)
        #expect(server.requests.map(\.connection) == [0, 0])
    }

    /// A challenge with a body that never ends has the timeout of every request.
    @Test func aChallengeWithAnEndlessBodyTimesOut() async throws {
        let server = try LoopbackServer { _ in
            .text("denied", status: 401).header("WWW-Authenticate", Self.challenge)
                .cut(.stall, afterBodyBytes: 3)
        }
        var service = server.endpoint()
        service.timeout = 0.5
        #expect(try await client().code(of: service) == .timedOut)
    }

    @Test func configurationsShowNoPassword() throws {
        var configuration = CurlTransport.Configuration()
        let file = URL(fileURLWithPath: "/nowhere")
        configuration.clientCertificate = .init(
            certificate: file, privateKey: file, password: password)
        configuration.proxy = .url("http://me:\(password)@localhost")
        var text = "\(configuration) \(String(reflecting: configuration))"
        dump(configuration, to: &text)
        dump(try #require(configuration.clientCertificate), to: &text)
        #expect(!text.contains(password))
    }
}
#endif
