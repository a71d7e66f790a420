// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import CurlTransport
import Foundation
import FoundationNetworking
import LoopbackServer
import ServiceProvider
import TestSupport
import Testing

/// Tests the effect of environment variables and files, in separate processes.
@Suite(.serialized, .opensFiles, .timeLimit) struct EnvironmentTests {
    /// PROXY stands for the proxy's URL, which is known only at run time. `isAsked` says whether
    /// the request goes to the proxy.
    static let rows: [(variables: [String: String], url: String, isAsked: Bool)] = [
        (["http_proxy": "PROXY"], "http://127.0.0.1", true),
        (["http_proxy": "PROXY"], "https://127.0.0.1", false),
        (["http_proxy": ""], "http://127.0.0.1", false),
        // In a CGI program, this is the client's header field "Proxy" (CVE-2016-5386).
        (["HTTP_PROXY": "PROXY"], "http://127.0.0.1", false),
        (["https_proxy": "PROXY"], "https://127.0.0.1", true),
        (["HTTPS_PROXY": "PROXY"], "https://127.0.0.1", true),
        (["all_proxy": "PROXY"], "http://127.0.0.1", true),
        (["ALL_PROXY": "PROXY"], "https://127.0.0.1", true),
        (["http_proxy": "PROXY", "NO_PROXY": "127.0.0.1"], "http://127.0.0.1", false),
        (["https_proxy": "PROXY", "no_proxy": "127.0.0.1"], "https://127.0.0.1", false),
    ]

    private static func set(_ variables: [String: String]) {
        for name in ["http", "https", "all", "no"] {
            unsetenv("\(name)_proxy")
            unsetenv("\(name)_proxy".uppercased())
        }
        for (name, value) in variables { setenv(name, value, 1) }
    }

    @Test(.row("S1", "S2")) func environmentVariablesSelectTheProxy() async {
        await #expect(processExitsWith: .success) {
            for row in Self.rows {
                let proxy = try LoopbackServer { _ in .text("proxy", statusCode: 502) }
                // Also accepts connections for TLS. Their handshake then fails.
                let origin = try RawServer { connection in
                    _ = connection.read()
                    connection.write("HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n")
                }
                defer { origin.stop() }
                Self.set(row.variables.mapValues { $0 == "PROXY" ? proxy.baseURL : $0 })
                let service = TestService(baseURL: "\(row.url):\(origin.port)")
                _ = try await provider { $0.proxy = .environment }.code(of: service)
                let counts = [proxy.connectionCount, origin.connectionCount]
                #expect(counts == (row.isAsked ? [1, 0] : [0, 1]), "\(row)")
                // `.none` ignores the environment.
                _ = try await provider { $0.proxy = .none }.code(of: service)
                #expect(proxy.connectionCount == counts[0], "\(row)")
                #expect(origin.connectionCount == counts[1] + 1, "\(row)")
            }
        }
    }

    /// Private addresses can't be refused behind a proxy, but these variables don't name one.
    @Test func otherVariablesAreNoProxy() async {
        await #expect(processExitsWith: .success) {
            Self.set(["http_proxy": "", "REVERSE_PROXY": "http://127.0.0.1:1"])
            let server = try LoopbackServer { _ in .text("hello") }
            let provider = try provider {
                ($0.proxy, $0.allowsPrivateAddresses) = (.environment, false)
            }
            let error = try await provider.failure(of: server.endpoint())
            guard "\(error)".contains("isn't public") else { exit(1) }
        }
    }

    /// `no_proxy` applies only to a proxy from the environment.
    @Test(.row("S2")) func theConfiguredProxyIgnoresNoProxy() async {
        await #expect(processExitsWith: .success) {
            Self.set(["no_proxy": "127.0.0.1"])
            let proxy = try LoopbackServer { _ in .text("proxy") }
            let origin = try LoopbackServer { _ in .text("origin") }
            let provider = try provider { $0.proxy = .url(proxy.baseURL) }
            guard try await provider.text(of: origin.endpoint()) == "proxy" else { exit(1) }
        }
    }

    /// Other programs read logins from `.netrc` (CVE-2024-11053). The transport sends none of them,
    /// even if the URL or a redirect contains the user name.
    @Test(.row("S6")) func netrcAndCurlrcFilesAreNotRead() async {
        await #expect(processExitsWith: .success) {
            let home = FileManager.default.temporaryDirectory
                .appendingPathComponent(UUID().uuidString)
            try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: home) }
            let text = "machine 127.0.0.1 login joe password sesame\ndefault login a password b\n"
            for name in [".netrc", "_netrc", ".curlrc"] {
                try text.write(
                    to: home.appendingPathComponent(name), atomically: true, encoding: .utf8)
            }
            for name in ["HOME", "CURL_HOME", "XDG_CONFIG_HOME"] { setenv(name, home.path, 1) }
            setenv("NETRC", home.path + "/.netrc", 1)
            let server = try LoopbackServer { request in
                switch request.path {
                case "/": .redirect(to: "/there")
                case "/there":
                    .text("no", statusCode: 401)
                        .header("WWW-Authenticate", "Basic realm=\"x\"")
                default: .text("yes")
                }
            }
            let own = server.baseURL.replacingOccurrences(of: "//", with: "//joe@")
            let provider = try provider()
            for base in [server.baseURL, own] {
                _ = await provider.code(of: TestService(baseURL: base))
            }
            let sent = server.requests.map { $0.header("Authorization") }
            let joe = "Basic \(Data("joe:".utf8).base64EncodedString())"
            #expect(sent == [nil, nil, joe, joe])
        }
    }
}
#endif
