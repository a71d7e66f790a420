// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderTesting
import ServiceProviderTransfers
import TestSupport
import Testing

/// Recorded calls can be replayed when the server is gone.
@Suite(.serialized, .opensFiles, .timeLimit) struct ReplayRoundTripTests {
    /// Returns the result of a call, without the headers that depend on the connection.
    private func outcome(
        _ provider: ServiceProvider<TestService>, _ service: TestService
    ) async -> String {
        let framing = ["content-length", "transfer-encoding", "connection"]
        switch await provider.outcome(of: service) {
        case .success(let response):
            let fields = response.headers
                .map { ($0.key.lowercased(), $0.value) }.filter { !framing.contains($0.0) }
            return "\(response.statusCode) \(fields.sorted { $0.0 < $1.0 })"
                + response.data.base64EncodedString()
        case .failure(.unacceptableStatus(let response)):
            return "\(response.statusCode) \(response.data.base64EncodedString())"
        case .failure(let error):
            return "\(error.urlErrorCode?.rawValue ?? 0)"
        }
    }

    @Test(.row("C23")) func twentyReplayedCallsHaveTheSameResults() async throws {
        let responses: [LoopbackResponse] = [
            .text("plain"), .json(#"{"a":[1,null,"é"]}"#), .statusCode(204), .statusCode(404),
            .json(#"{"message":"no"}"#, statusCode: 500), .data(noise(5_000)), .data(Data([0xFF])),
            .text("").cut(.reset, afterHeaderBytes: 0), .redirect(to: "/target"), .text("target"),
            .text("").header("X-A", "é"), .text("chunks").chunked(size: 2), .text("a\0b"),
            .data(Data([0xE9]), contentType: "text/plain; charset=iso-8859-1"),
            .text(String(repeating: "long ", count: 50_000)), .redirect(to: "ftp://h/"),
            .text("posted", statusCode: 201), .text("put"), .text("head"), .text("first"),
            .text("second"),
        ]
        let server = try LoopbackServer(responses: responses)
        var services = (0..<15).map { server.service("/\($0)?\u{1F600}") }
        var post = server.service("/post", method: .post)
        post.body = .data(Data(#"{"a":1}"#.utf8), contentType: "text/plain")
        var put = server.service("/put", method: .put)
        put.body = .data(Data([0, 0xFF]), contentType: "text/plain")
        services += [post, put, server.service("/head", method: .head)]
        services += [server.service("/twice"), server.service("/twice")]
        // A POST is reset, because a GET could be sent again.
        services[7].method = .post
        let folder = try TemporaryFolder()
        let recorder = try ServiceRecorder(file: folder.file("a.har"), isRedacted: false)
        let recording = ServiceProvider<TestService>(interceptors: [recorder])
        var first: [String] = []
        for service in services { first.append(await outcome(recording, service)) }
        #expect(server.requests.count >= 20 && Set(first).count >= 18 && recorder.failure == nil)
        server.stop()
        transcribed(folder.text(of: "a.har") ?? "", as: .har)

        let replay = try ServiceReplay(file: folder.file("a.har"))
        let replaying = ServiceProvider<TestService>(interceptors: [replay])
        for (service, expected) in zip(services, first) {
            #expect(await outcome(replaying, service) == expected)
        }
    }

    @Test(.slow) func replayedResponsesCanBeDownloadedAndStreamed() async throws {
        let content = noise(3_000_000)
        let server = try LoopbackServer(responses: [.data(content)])
        let folder = try TemporaryFolder()
        let recorder = try ServiceRecorder(file: folder.file("a.har"))
        let service = server.service("/a")
        _ = try await ServiceProvider<TestService>(interceptors: [recorder]).load(service: service)
        server.stop()
        let replay = try ServiceReplay(file: folder.file("a.har"))
        let provider = ServiceProvider<TestService>(interceptors: [replay])
        try await provider.download(service: service, to: folder.file("down"))
        #expect(try Data(contentsOf: folder.file("down")) == content)
        var streamed = Data()
        for try await chunk in try await provider.stream(service: service) { streamed += chunk }
        #expect(streamed == content)
    }

    /// A value that was redacted in the recording matches any value.
    @Test(arguments: PlantedSecrets.places) func redactedEntriesAreReplayed(_ place: String)
        async throws
    {
        let folder = try TemporaryFolder()
        let server = try LoopbackServer(responses: [.json(#""found""#)])
        let recorder = try ServiceRecorder(file: folder.file("a.har"))
        let endpoint = PlantedSecrets.endpoint(place, at: server.baseURL)
        let recording = ServiceProvider<TestService>(interceptors: [recorder])
        try await recording.load(service: endpoint)
        server.stop()
        transcribed(folder.text(of: "a.har") ?? "", as: .har)
        let replay = try ServiceReplay(file: folder.file("a.har"))
        let replaying = ServiceProvider<TestService>(interceptors: [replay])
        #expect(try await replaying.load(service: endpoint) == Data(#""found""#.utf8))
    }

    @Test func aByteOrderMarkIsKept() async throws {
        let folder = try TemporaryFolder()
        let body = Data("\u{FEFF}name,age".utf8)
        let server = try LoopbackServer(responses: [.data(body, contentType: "text/csv")])
        let service = TestService(baseURL: server.baseURL)
        let recorder = try ServiceRecorder(file: folder.file("a.har"), isRedacted: false)
        let recording = ServiceProvider<TestService>(interceptors: [recorder])
        #expect(try await recording.load(service: service) == body)
        let replay = try ServiceReplay(file: folder.file("a.har"))
        let replaying = ServiceProvider<TestService>(interceptors: [replay])
        #expect(try await replaying.load(service: service) == body)
    }
}
