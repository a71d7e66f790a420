// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking

/// On Linux, the cookies of a session are a file that everyone can read, and all programs in a folder of the same name
/// send them. So no session of the library uses that file.
@Suite(.serialized, .opensFiles, .timeLimit) struct CookieTests {
    /// Sends two requests. The first response has a cookie that is kept for years.
    private static func requests(_ transport: any ServiceTransport, value: String) async throws
        -> [LoopbackRequest]
    {
        let server = try LoopbackServer { _ in
            .text("ok").header(
                "Set-Cookie", "sid=\(value); Path=/; Expires=Wed, 09 Jun 2038 10:18:14 GMT")
        }
        let provider = ServiceProvider<TestService>(transport: transport)
        for _ in 0..<2 { _ = try await provider.load(service: server.service()) }
        return server.requests
    }

    /// The file of Foundation's cookies.
    private static var file: URL {
        let name = Bundle.main.bundleURL.lastPathComponent.prefix { $0 != "." }
        let folder = FileManager.default.urls(
            for: .applicationSupportDirectory, in: .userDomainMask)[0]
        return folder.appendingPathComponent("\(name)/.cookies.shared")
    }

    private static func makeTransports() -> [any ServiceTransport] {
        let settings = URLSessionConfiguration.default
        settings.timeoutIntervalForRequest = 120
        return [
            URLSessionTransport.shared, URLSessionTransport(),
            URLSessionTransport(configuration: settings),
            URLSessionTransport(session: .shared),
        ]
    }

    /// Two processes of one program, one after the other: the second sends nothing that the first got, and no file has
    /// the value.
    @Test(.row("K8")) func processesShareNoCookies() async {
        for _ in 0..<2 {
            await #expect(processExitsWith: .success) {
                let value = UUID().uuidString
                for transport in Self.makeTransports() {
                    let requests = try await Self.requests(transport, value: value)
                    #expect(requests.map { $0.header("Cookie") } == [nil, nil])
                }
                let stored = (try? Data(contentsOf: Self.file)) ?? Data()
                #expect(stored.range(of: Data(value.utf8)) == nil)
            }
        }
    }

    /// A session keeps cookies if the app asks for it, and an endpoint's own cookie is sent without them.
    @Test func aStoreOfTheAppIsUsed() async throws {
        let settings = URLSessionConfiguration.default
        settings.httpCookieStorage = URLSessionConfiguration.ephemeral.httpCookieStorage
        let transport = URLSessionTransport(configuration: settings)
        let requests = try await Self.requests(transport, value: "1")
        #expect(requests.map { $0.header("Cookie") } == [nil, "sid=1"])
    }

    @Test func aServicesOwnCookieIsSent() async throws {
        let server = try LoopbackServer { _ in .text("ok").header("Set-Cookie", "sid=1; Path=/") }
        var service = server.service()
        service.headers = ["Cookie": "own=2"]
        for _ in 0..<2 { _ = try await ServiceProvider<TestService>().load(service: service) }
        #expect(server.requests.map { $0.header("Cookie") } == ["own=2", "own=2"])
    }
}
#endif
