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
#endif

/// Tests which settings of a session apply, and how long sessions live.
@Suite(.serialized, .opensFiles, .timeLimit) struct SessionTests {
    let server: LoopbackServer

    init() throws {
        server = try LoopbackServer { _ in .text("sent") }
    }

    /// Errors that some calls get when an app returns from the background.
    static let systemErrors = [
        ("NSPOSIXErrorDomain", 53), ("NSPOSIXErrorDomain", 40), ("NSPOSIXErrorDomain", 100),
        ("kCFErrorDomainCFNetwork", -1005), ("kCFErrorDomainCFNetwork", 310),
    ]

    @Test(arguments: systemErrors)
    func errorsOfTheSystemAreLostConnections(_ domain: String, _ code: Int) async throws {
        let transport = URLSessionTransport(configuration: FailingProtocol.configuration)
        let provider = ServiceProvider<TestService>(transport: transport)
        let service = TestService(baseURL: "http://failing.invalid/\(domain)/\(code)?key=1")
        guard case .transport(let error) = try await provider.failure(of: service) else {
            Issue.record("The error isn't a transport error.")
            return
        }
        #expect(error.code == .networkConnectionLost)
        let cause = try #require(error.userInfo[NSUnderlyingErrorKey] as? NSError)
        #expect(cause.domain == domain)
        #expect(cause.code == code)
        // It could have the URL, with its query.
        #expect(cause.userInfo.isEmpty)
    }

    @Test func errorsOfURLSessionKeepTheirCode() async throws {
        let transport = URLSessionTransport(configuration: FailingProtocol.configuration)
        let provider = ServiceProvider<TestService>(transport: transport)
        for code in [URLError.timedOut, .cannotFindHost] {
            let url = "http://failing.invalid/\(NSURLErrorDomain)/\(code.rawValue)"
            let error = try await provider.failure(of: TestService(baseURL: url))
            #expect(error.urlErrorCode == code)
        }
    }

    #if os(Linux)
    /// The cache has the response, so it would respond immediately.
    @Test func cachesOfTheConfigurationAreNotUsed() async throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.requestCachePolicy = .returnCacheDataElseLoad
        let session = URLSession(configuration: configuration)
        for transport in [
            URLSessionTransport(session: session),
            URLSessionTransport(configuration: configuration),
        ] {
            let provider = ServiceProvider<TestService>(transport: transport)
            let request = try provider.request(service: server.service())
            let url = try #require(request.urlRequest.url)
            let cached = try #require(
                HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: [:]))
            configuration.urlCache?.storeCachedResponse(
                CachedURLResponse(response: cached, data: Data("cached".utf8)),
                for: request.urlRequest)
            #expect(try await provider.load(service: server.service()) == Data("sent".utf8))
        }
    }
    #endif

    /// On Linux, using an invalidated session crashes the process.
    @Test func aCallersSessionStaysUsable() async throws {
        let session = URLSession(configuration: .ephemeral)
        weak var transport: URLSessionTransport?
        do {
            let used = URLSessionTransport(session: session)
            transport = used
            let provider = ServiceProvider<TestService>(transport: used)
            _ = try await provider.load(service: server.service())
        }
        try await expectRelease { transport == nil }
        let url = try #require(URL(string: server.baseURL))
        let data: Data? = await withCheckedContinuation { continuation in
            session.dataTask(with: url) { data, _, _ in continuation.resume(returning: data) }
                .resume()
        }
        #expect(data == Data("sent".utf8))
        let provider = ServiceProvider<TestService>(
            transport: URLSessionTransport(session: session))
        #expect(try await provider.load(service: server.service()) == Data("sent".utf8))
    }

    @Test func anOwnedSessionEndsWithItsTransport() async throws {
        weak var transport: URLSessionTransport?
        weak var provider: ServiceProvider<TestService>?
        do {
            let used = URLSessionTransport(configuration: .ephemeral)
            let using = ServiceProvider<TestService>(transport: used)
            (transport, provider) = (used, using)
            _ = try await using.load(service: server.service())
            _ = await using.result(of: server.service())
            let call = using.load(service: server.service()) { _ in }
            call.cancel()
        }
        try await expectRelease { transport == nil && provider == nil }
    }

    /// A call keeps its transport alive.
    @Test(arguments: TransportUnderTest.allCases)
    func aCallOutlivesItsProvider(_ kind: TransportUnderTest) async throws {
        let isDropped = DispatchSemaphore(value: 0)
        let server = try LoopbackServer { _ in
            isDropped.waitForAMinute()
            return .text("late")
        }
        let result: ServiceResult<Data> = await withCheckedContinuation { continuation in
            kind.provider().load(service: server.service()) { continuation.resume(returning: $0) }
            isDropped.signal()
        }
        #expect(result.value == Data("late".utf8))

        var provider: ServiceProvider<TestService>? = kind.provider()
        let task = Task { [provider] in
            await provider?.outcome(of: server.service())
        }
        provider = nil
        _ = try await server.arrival()
        isDropped.signal()
        #expect(await task.value?.isSuccess == true)
    }

    /// Swift Testing also reflects values, such as a model that holds a provider.
    @Test func aProviderCanBePrintedWhileItRunsACall() async throws {
        let isPrinted = DispatchSemaphore(value: 0)
        let server = try LoopbackServer { _ in
            isPrinted.waitForAMinute()
            return .text("late")
        }
        let provider = ServiceProvider<TestService>(
            transport: URLSessionTransport(configuration: .ephemeral))
        let task = Task { await provider.outcome(of: server.service()) }
        _ = try await server.arrival()
        for _ in 0..<50 {
            var text = ""
            dump(provider, to: &text)
            #expect(!text.contains("session"))
        }
        isPrinted.signal()
        #expect(await task.value.isSuccess)
    }

    #if !canImport(FoundationNetworking)
    @Test func backgroundSessionsAreRefused() async throws {
        let configuration = URLSessionConfiguration.background(withIdentifier: "test")
        let session = URLSession(configuration: configuration)
        defer { session.invalidateAndCancel() }
        let provider = ServiceProvider<TestService>(
            transport: URLSessionTransport(session: session))
        let error = try await provider.failure(of: server.service())
        #expect(error.urlErrorCode == .cannotLoadFromNetwork)
    }
    #endif

    /// Waits, because a finished call releases its objects shortly after it returns.
    private func expectRelease(_ isReleased: () -> Bool) async throws {
        let deadline = Date(timeIntervalSinceNow: 300)
        while !isReleased(), Date() < deadline { await Task.yield() }
        #expect(isReleased())
    }
}
