// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import CurlTransport
import Foundation
import FoundationNetworking
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

/// The folder in which `.ci/check-tls` keeps the files of its server.
private let folder = ProcessInfo.processInfo.environment["TLS_FOLDER"]

/// Tests TLS with a real server, which `.ci/check-tls` starts.
@Suite(.enabled(if: folder != nil, "needs .ci/check-tls"), .serialized, .opensFiles, .timeLimit)
struct TLSTests {
    /// Returns the contents of a file that the script wrote.
    static func text(_ name: String) throws -> String {
        let path = try #require(folder) + "/" + name
        return try String(contentsOfFile: path, encoding: .utf8)
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    static func url(_ server: String, host: String = "127.0.0.1") throws -> String {
        "https://\(host):\(try text("\(server).port"))"
    }

    enum Library: CaseIterable, Sendable { case system, newer }

    /// Creates a provider that trusts the script's certificate authority.
    static func provider(
        _ library: Library = .system,
        _ change: (inout CurlTransport.Configuration) -> Void = { _ in }
    ) throws -> ServiceProvider<TestService> {
        var configuration = CurlTransport.Configuration()
        configuration.proxy = .none
        configuration.certificateAuthorities = URL(
            fileURLWithPath: try #require(folder) + "/ca.pem")
        if library == .newer { configuration.library = try text("libcurl") }
        change(&configuration)
        return ServiceProvider(transport: try CurlTransport(configuration))
    }

    @Test(arguments: Library.allCases)
    func aGoodCertificateIsTrusted(_ library: Library) async throws {
        let provider = try Self.provider(library)
        for host in ["127.0.0.1", "localhost"] {
            let service = TestService(baseURL: try Self.url("good", host: host), path: "/hello")
            for _ in 0..<3 { #expect(try await provider.text(of: service) == "hello") }
        }
        let packed = TestService(baseURL: try Self.url("good"), path: "/packed")
        #expect(try await provider.load(service: packed) == Data(count: 1_000))
    }

    /// The end of TLS comes with the last chunk or before it, while the upload waits.
    @Test(arguments: [("/cut", nil), ("/whole", "why")] as [(String, String?)], Library.allCases)
    func aResponseIsCompleteOnlyWithItsLastChunk(
        _ end: (path: String, text: String?), _ library: Library
    ) async throws {
        let provider = try Self.provider(library) { $0.allowsHTTP2 = false }
        let service = TestService(
            baseURL: try Self.url("truncating"), path: end.path, method: .post
        ).patient
        for _ in 0..<10 {
            let (chunks, source) = AsyncStream.makeStream(of: Data.self)
            source.yield(Data("first".utf8))
            let text = try await within(seconds: 60) {
                do {
                    return try await provider.upload(service: service, chunks: chunks).text
                } catch let error as ServiceError {
                    #expect(error.urlErrorCode == .networkConnectionLost)
                    return nil
                }
            }
            #expect(text == end.text)
            source.finish()
        }
    }

    @Test(
        .row("S5"),
        arguments: [
            ("name", URLError.Code.serverCertificateUntrusted, "127.0.0.1"),
            ("expired", .serverCertificateHasBadDate, "expired"),
        ], Library.allCases)
    func badCertificatesAreNotTrusted(
        _ certificate: (server: String, code: URLError.Code, word: String), _ library: Library
    ) async throws {
        let service = TestService(baseURL: try Self.url(certificate.server), path: "/hello")
        try await refuses(service, certificate.code, certificate.word, by: Self.provider(library))
    }

    @Test(.row("S5"), arguments: Library.allCases)
    func anUnknownAuthorityIsNotTrusted(_ library: Library) async throws {
        let service = TestService(baseURL: try Self.url("good"), path: "/hello")
        let other = URL(fileURLWithPath: try #require(folder) + "/other.pem")
        let provider = try Self.provider(library) { $0.certificateAuthorities = other }
        try await refuses(service, .serverCertificateHasUnknownRoot, "issuer", by: provider)
    }

    private func refuses(
        _ service: TestService, _ code: URLError.Code, _ word: String,
        by provider: ServiceProvider<TestService>
    ) async throws {
        do {
            _ = try await provider.load(service: service)
            Issue.record("the certificate was trusted")
        } catch {
            guard case ServiceError.transport(let failure) = error else { throw error }
            #expect(failure.code == code, "\(error)")
            #expect("\(error)".contains(word), "\(error)")
        }
    }

    @Test(.row("S5", "C32"), arguments: Library.allCases)
    func keysCanBePinned(_ library: Library) async throws {
        let service = TestService(baseURL: try Self.url("good"), path: "/hello")
        let pin = try Self.text("pin")
        let wrong = Data(count: 32).base64EncodedString()
        let right = try Self.provider(library) { $0.pinnedPublicKeys = [wrong, pin] }
        #expect(try await right.text(of: service) == "hello")
        let other = try Self.provider(library) { $0.pinnedPublicKeys = [wrong] }
        #expect(await other.code(of: service) == .serverCertificateUntrusted)
    }

    /// The keys that ServicePinnedKeys finds on Apple platforms are those that OpenSSL finds.
    @Test(.row("C32"), arguments: ["good", "curve", "ca"])
    func publicKeysAreFound(_ name: String) throws {
        let folder = URL(fileURLWithPath: try #require(folder))
        let certificate = try Data(contentsOf: folder.appendingPathComponent("\(name).der"))
        let key = try Data(contentsOf: folder.appendingPathComponent("\(name).key.der"))
        #expect(ServicePinnedKeys.publicKeyInfo(ofCertificate: certificate) == key)
    }

    /// Returns a provider with a client certificate: NAME.pem with NAME.key, or another key.
    static func provider(
        _ library: Library, certificate: String, key: String, password: String? = nil
    ) throws -> ServiceProvider<TestService> {
        let folder = URL(fileURLWithPath: try #require(folder))
        return try provider(library) {
            $0.clientCertificate = .init(
                certificate: folder.appendingPathComponent("\(certificate).pem"),
                privateKey: folder.appendingPathComponent("\(key).key"), password: password)
        }
    }

    @Test(.row("C29"), arguments: Library.allCases)
    func clientCertificatesAreSent(_ library: Library) async throws {
        let service = TestService(baseURL: try Self.url("client"), path: "/who")
        let plain = try Self.provider(library, certificate: "me", key: "me")
        #expect(try await plain.text(of: service) == "SUCCESS CN=me")
        let encrypted = try Self.provider(
            library, certificate: "me", key: "encrypted", password: "key password")
        #expect(try await encrypted.text(of: service) == "SUCCESS CN=me")
        // A server that doesn't ask for one doesn't get it.
        let good = TestService(baseURL: try Self.url("good"), path: "/who")
        #expect(try await plain.text(of: good) == "NONE ")
    }

    @Test(arguments: Library.allCases)
    func aServerRefusesOtherClients(_ library: Library) async throws {
        let service = TestService(baseURL: try Self.url("client"), path: "/who")
        let none = try await Self.provider(library).failure(of: service)
        #expect(none.unacceptableStatus == 400, "\(none)")
        let stranger = try Self.provider(library, certificate: "stranger", key: "stranger")
        let error = try await stranger.failure(of: service)
        #expect(error.unacceptableStatus == 400, "\(error)")
    }

    @Test(
        arguments: Library.allCases,
        [("me", "encrypted", "wrong"), ("me", "good", nil), ("missing", "me", nil)])
    func aClientCertificateThatCannotBeReadIsAnError(
        _ library: Library, _ files: (certificate: String, key: String, password: String?)
    ) async throws {
        let service = TestService(baseURL: try Self.url("client"), path: "/who")
        let provider = try Self.provider(
            library, certificate: files.certificate, key: files.key, password: files.password)
        let error = try await provider.failure(of: service)
        #expect(error.urlErrorCode == .clientCertificateRejected, "\(error)")
    }

    @Test(.row("S5")) func aServerWithoutTLSIsAnError() async throws {
        let provider = try Self.provider()
        let code = await provider.code(of: TestService(baseURL: try Self.url("plain")))
        #expect(code == .secureConnectionFailed)
    }

    @Test(.row("C28"), arguments: Library.allCases)
    func handshakesAreMeasured(_ library: Library) async throws {
        let provider = try Self.provider(library)
        for (server, expected) in [("good", "http/1.1"), ("h2", "h2")] {
            let service = TestService(baseURL: try Self.url(server), path: "/hello")
            var metrics: [ServiceMetrics] = []
            for _ in 0..<2 { metrics += try await provider.response(service: service).metrics }
            #expect(metrics[0].protocolName == (library == .newer ? expected : "http/1.1"))
            #expect(metrics[0].secureConnect.map { $0 > 0 && $0 < 60 } == true)
            #expect(metrics[1].secureConnect == nil)
            #expect(metrics.map(\.isReusedConnection) == [false, true])
        }
    }

    /// HTTP/2 is used only if libcurl detects truncated bodies. The requests share a connection
    /// even before the first response.
    @Test(arguments: Library.allCases)
    func concurrentRequestsShareAnHTTP2Connection(_ library: Library) async throws {
        let provider = try Self.provider(library)
        let service = TestService(baseURL: try Self.url("h2"), path: "/connection")
        let connections = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<100 { group.addTask { try await provider.text(of: service) } }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        let isShared = connections.count == 1 && connections.first?.hasPrefix("HTTP/2.0 ") == true
        #expect(isShared == (library == .newer), "\(connections)")
    }

    /// The server behind the TLS server closes its connection. Over HTTP/2, this resets the stream.
    @Test(.row("F18"), arguments: Library.allCases)
    func aTruncatedBodyOverTLSIsAnError(_ library: Library) async throws {
        let server = try LoopbackServer { _ in
            .data(Data(count: 100_000), contentType: "x/y").cut(.close, afterBodyBytes: 50_000)
        }
        let provider = try Self.provider(library)
        let base = try Self.url("h2") + "/?port=\(server.port)"
        await withTaskGroup(of: URLError.Code?.self) { group in
            for _ in 0..<300 {
                group.addTask {
                    await provider.code(of: TestService(baseURL: base, path: "/pass/x"))
                }
            }
            for await code in group { #expect(code == .networkConnectionLost) }
        }
    }
}
#endif
