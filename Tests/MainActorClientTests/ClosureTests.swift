// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import ServiceProviderTesting
import TestTraits
import Testing

private struct Headlines: Service {
    let baseURL: String
    var path: String { "/" }
}

private final class Journal {
    var token = "abc"
    let (lines, writer) = AsyncStream<String>.makeStream()

    func write(_ line: String) {
        MainActor.assertIsolated()
        writer.yield(line)
    }
}

/// Closures can use state of the main actor, written as in the article "Xcode's main-actor
/// default".
@Suite(.serialized, .opensFiles, .timeLimit) struct ClosureTests {
    @Test func closuresUseMainActorState() async throws {
        let server = try LoopbackServer { _ in .statusCode(404) }
        let journal = Journal()
        let provider = ServiceProvider<Headlines>(interceptors: [
            ServiceLog { _ in Task { @MainActor in journal.write("log") } },
            ServiceObserver { event in
                guard case .finished = event else { return }
                Task { @MainActor in journal.write("observer") }
            },
            ServiceAuthorization.bearer { await journal.token },
        ]).onFailure { _, _ in Task { @MainActor in journal.write("failure") } }
        let service = Headlines(baseURL: server.baseURL)
        provider.load(service: service) { _ in journal.write("handler") }
        var lines: Set<String> = []
        for await line in journal.lines {
            lines.insert(line)
            if lines.count == 4 { break }
        }
        #expect(lines == ["log", "observer", "failure", "handler"])
        #expect(server.requests.map { $0.header("Authorization") } == ["Bearer abc"])
    }

    @Test func stubsAndRefreshesUseMainActorState() async throws {
        let journal = Journal()
        let provider = ServiceProvider<Headlines>(interceptors: [
            ServiceAuthenticator<String>(
                token: nil, authorization: { ServiceAuthorization.bearer($0) }
            ) { @MainActor _ in
                journal.token = "new"
                return journal.token
            },
            ServiceStubs { @MainActor request in
                MainActor.assertIsolated()
                let sent = request.urlRequest.value(forHTTPHeaderField: "Authorization")
                return sent == "Bearer new" ? .json("[]") : .statusCode(401)
            },
        ])
        let service = Headlines(baseURL: "https://news.example.com")
        #expect(try await provider.load(service: service).count == 2)
        #expect(journal.token == "new")
    }
}
