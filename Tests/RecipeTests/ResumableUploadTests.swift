// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import ServiceProviderTesting
import TestSupport
import TestTraits
import Testing

/// Uploads to a server for tus that loses connections, forgets uploads and lies.
@Suite(.serialized, .opensFiles, .timeLimit) struct ResumableUploadTests {
    private let folder: TemporaryFolder
    private let server: TusServer

    init() throws {
        folder = try TemporaryFolder()
        server = try TusServer()
    }

    private var note: URL { folder.file("note") }

    private func uploader(
        chunkSize: Int = 1_000, at endpoint: String? = nil,
        transport: any ServiceTransport = URLSessionTransport.shared
    ) -> ResumableUpload {
        let clock = ServiceTestClock().clock
        let retry = ServiceRetry(clock: clock)
        return ResumableUpload(
            endpoint: endpoint ?? server.endpoint,
            provider: ServiceProvider(transport: transport, interceptors: [retry]),
            chunkSize: chunkSize, clock: clock)
    }

    /// Thousands of lost connections can crash URLSession on Linux: see Transports.md.
    private static let robustTransport: any ServiceTransport = {
        #if os(Linux)
        TransportUnderTest.curl.make()
        #else
        URLSessionTransport.shared
        #endif
    }()

    /// Calls `upload` until it succeeds, as an app does that is started again and again.
    private func upload(
        _ file: URL, chunkSize: Int, at endpoint: String? = nil
    ) async throws -> String {
        for _ in 0..<100 {
            do {
                let uploader = uploader(
                    chunkSize: chunkSize, at: endpoint, transport: Self.robustTransport)
                return try await uploader.upload(file, note: note)
            } catch let error as ServiceError {
                // A wrong request isn't the server's trouble.
                try #require(![400, 412, 415].contains(error.statusCode), "\(error)")
            }
        }
        Issue.record("The upload doesn't end.")
        return ""
    }

    @Test(arguments: [0, 1, 999, 1_000, 1_001, 5_000])
    func theServerGetsTheBytesOfTheFile(size: Int) async throws {
        let file = try folder.write(noise(size), to: "a.bin")
        let parts = Locked<[Double]>([])
        let url = try await uploader().upload(file, note: note, metadata: ["name": "é,", "a": ""]) {
            part in parts { $0.append(part) }
        }
        #expect(server.upload(url)?.bytes == noise(size))
        #expect(server.upload(url)?.metadata == "a ,name w6ks")
        let offsets = stride(from: 0, to: size, by: 1_000).map { Double($0) / Double(size) }
        #expect(parts { $0 } == offsets + [1])
        #expect(!FileManager.default.fileExists(atPath: note.path))
        let patches = server.loopback.requests.filter { $0.method == "PATCH" }
        #expect(patches.allSatisfy { $0.bodySize <= 1_000 })
    }

    @Test func aHundredFilesArriveDespiteRandomCuts() async throws {
        var random = SeededGenerator(state: 7)
        for round in 0..<100 {
            let size = Int.random(in: 0...100_000, using: &random)
            let file = try folder.write(noise(size), to: "\(round).bin")
            server.state { state in
                state.random = SeededGenerator(state: UInt64(round))
                state.troublePercent = 40
                state.forgetfulness = round % 4 == 0 ? 3 : 0
            }
            let chunkSize = Int.random(in: 2_000...40_000, using: &random)
            let url = try await upload(file, chunkSize: chunkSize)
            #expect(server.upload(url)?.bytes == noise(size), "round \(round), \(size) bytes")
        }
        let troubles = server.state { $0.troubles }
        #expect(TusServer.Trouble.allCases.allSatisfy { troubles[$0, default: 0] > 20 })
    }

    /// A new object, as after a restart, continues where the bytes end.
    @Test func theNextLaunchContinues() async throws {
        let file = try folder.write(noise(10_000), to: "a.bin")
        server.state { state in
            state.rule = { $0.method == "PATCH" && $0.offset >= 3_000 ? .statusCode(503) : nil }
        }
        let error = try await failure {
            _ = try await uploader().upload(file, note: note)
        }
        #expect(error.statusCode == 503)
        server.state { $0.rule = nil }
        let before = server.loopback.requests.count
        let url = try await uploader().upload(file, note: note)
        #expect(server.upload(url)?.bytes == noise(10_000))
        let offsets = server.loopback.requests.dropFirst(before).filter { $0.method == "PATCH" }
            .map(\.offset)
        #expect(offsets == Array(stride(from: 3_000, to: 10_000, by: 1_000)))
        #expect(server.state { $0.uploads.count } == 1)
    }

    @Test(arguments: [404, 410])
    func aForgottenUploadStartsAgain(status: Int) async throws {
        let file = try folder.write(noise(3_000), to: "a.bin")
        let lost = #"{"url": "\#(server.endpoint)/lost", "name": "a.bin", "size": 3000}"#
        try Data(lost.utf8).write(to: note)
        server.state { $0.goneStatus = status }
        let url = try await uploader().upload(file, note: note)
        #expect(server.upload(url)?.bytes == noise(3_000))
    }

    /// The note of another file, or one that can't be read, isn't used.
    @Test(arguments: [
        #"{"url": "URL", "name": "b.bin", "size": 3000}"#,
        #"{"url": "URL", "name": "a.bin", "size": 2999}"#, "", "{}",
    ])
    func aForeignNoteStartsAgain(text: String) async throws {
        let other = try folder.write(Data(repeating: 1, count: 3_000), to: "b.bin")
        server.state { $0.rule = { $0.method == "PATCH" ? .statusCode(400) : nil } }
        _ = try await failure { _ = try await uploader().upload(other, note: note) }
        server.state { $0.rule = nil }
        let url = server.endpoint + "/1"
        try Data(text.replacingOccurrences(of: "URL", with: url).utf8).write(to: note)
        let file = try folder.write(noise(3_000), to: "a.bin")
        let uploaded = try await uploader().upload(file, note: note)
        #expect(uploaded != url && server.upload(uploaded)?.bytes == noise(3_000))
    }

    @Test(arguments: [
        ("HEAD", "3001"), ("HEAD", "-1"), ("HEAD", "1"), ("HEAD", ""), ("HEAD", "x"), ("HEAD", nil),
        ("PATCH", "0"), ("PATCH", "1001"), ("PATCH", "3000"), ("PATCH", "x"), ("PATCH", nil),
        ("PATCH", "-1000"), ("PATCH", "9223372036854775808"),
    ])
    func aWrongOffsetIsAnError(method: String, offset: String?) async throws {
        let file = try folder.write(noise(3_000), to: "a.bin")
        server.state { state in
            state.rule = { request in
                guard request.method == method else { return nil }
                let response = LoopbackResponse.statusCode(method == "HEAD" ? 200 : 204)
                return offset.map { response.header("Upload-Offset", $0) } ?? response
            }
        }
        await #expect(throws: TusError.wrongOffset) {
            try await uploader().upload(file, note: note)
        }
        #expect(server.loopback.requests.count <= 3)
    }

    /// After a lost chunk, the server says that it has lost confirmed bytes, or has more than were sent.
    @Test(arguments: [0, 999, 2_001, 3_000])
    func aWrongOffsetAfterACutIsAnError(offset: Int) async throws {
        let file = try folder.write(noise(3_000), to: "a.bin")
        server.state { state in
            state.rule = { [isCut = Locked(false)] request in
                if request.method == "PATCH", request.offset == 1_000 {
                    isCut { $0 = true }
                    return .statusCode(200).cut(.close, afterHeaderBytes: 0)
                }
                guard request.method == "HEAD", isCut({ $0 }) else { return nil }
                return .statusCode(200).header("Upload-Offset", "\(offset)")
            }
        }
        await #expect(throws: TusError.wrongOffset) {
            try await uploader().upload(file, note: note)
        }
    }

    @Test(arguments: [409, 423, 500, 404, 0])
    func aServerWithoutProgressEndsTheUpload(status: Int) async throws {
        let file = try folder.write(noise(3_000), to: "a.bin")
        server.state { state in
            state.rule = { request in
                guard request.method == "PATCH" else { return nil }
                let cut = LoopbackResponse.statusCode(204).cut(.close, afterHeaderBytes: 0)
                return status == 0 ? cut : .statusCode(status)
            }
        }
        let error = try await failure { _ = try await uploader().upload(file, note: note) }
        #expect(error.statusCode == (status == 0 ? nil : status))
        let count = server.loopback.requests.count { $0.method == "PATCH" }
        // URLSession on Linux sends a request again if a reused connection closes.
        #expect(count == 5 || status == 0 && count <= 10)
    }

    /// The upload makes progress, but never comes to an end.
    @Test func aServerThatForgetsEachUploadEndsTheUpload() async throws {
        let file = try folder.write(noise(3_000), to: "a.bin")
        server.state { state in
            state.rule = { $0.method == "PATCH" && $0.offset == 2_000 ? .statusCode(404) : nil }
        }
        let error = try await failure { _ = try await uploader().upload(file, note: note) }
        #expect(error.statusCode == 404)
        #expect(server.state { $0.uploads.count } == 5)
    }

    /// A token belongs to the server that creates uploads.
    @Test(arguments: ["http://localhost:PORT/files/1", "https://127.0.0.1:PORT/files/1", nil])
    func anUploadAtAnotherServerIsAnError(location: String?) async throws {
        let file = try folder.write(noise(3_000), to: "a.bin")
        let port = "\(server.loopback.port)"
        server.state { state in
            state.rule = { request in
                guard request.method == "POST" else { return nil }
                let text = location?.replacingOccurrences(of: "PORT", with: port)
                let response = LoopbackResponse.statusCode(201)
                return text.map { response.header("Location", $0) } ?? response
            }
        }
        await #expect(throws: TusError.wrongLocation) {
            try await uploader().upload(file, note: note)
        }
        #expect(server.loopback.requests.count { $0.method == "PATCH" } == 0)
    }

    /// Also if the endpoint is moved there.
    @Test func anUploadAfterARedirectToAnotherServerIsAnError() async throws {
        let file = try folder.write(noise(3_000), to: "a.bin")
        let other = try LoopbackServer { _ in
            .statusCode(201).header("Location", "/files/1")
        }
        server.state {
            $0.rule = { [url = other.baseURL] _ in .redirect(to: url, statusCode: 307) }
        }
        await #expect(throws: TusError.wrongLocation) {
            try await uploader().upload(file, note: note)
        }
        #expect(other.requests.map(\.method) == ["POST"])
    }

    /// For example of the test server, whose tokens differ.
    @Test func aNoteOfAnotherServerStartsAgain() async throws {
        let file = try folder.write(noise(3_000), to: "a.bin")
        server.state { state in
            state.rule = { $0.method == "PATCH" && $0.offset == 2_000 ? .statusCode(403) : nil }
        }
        let error = try await failure { _ = try await uploader().upload(file, note: note) }
        #expect(error.statusCode == 403)
        let count = server.loopback.requests.count
        let other = try TusServer()
        let url = try await uploader(at: other.endpoint).upload(file, note: note)
        #expect(other.upload(url)?.bytes == noise(3_000))
        #expect(server.loopback.requests.count == count)
    }

    @Test func aLostCreationIsRepeated() async throws {
        let file = try folder.write(noise(3_000), to: "a.bin")
        server.state { state in
            state.rule = { [isCut = Locked(false)] request in
                isCut { isCut in
                    guard request.method == "POST", !isCut else { return nil }
                    isCut = true
                    return .statusCode(201).cut(.close, afterHeaderBytes: 0)
                }
            }
        }
        let url = try await uploader().upload(file, note: note)
        #expect(server.upload(url)?.bytes == noise(3_000))
    }

    @Test func anUploadWithAnAbsoluteLocationContinues() async throws {
        let file = try folder.write(noise(3_000), to: "a.bin")
        server.state { $0.hasAbsoluteLocations = true }
        let url = try await uploader().upload(file, note: note)
        #expect(server.upload(url)?.bytes == noise(3_000))
    }

    @Test func aFileThatBecomesShorterIsAnError() async throws {
        let file = try folder.write(noise(3_000), to: "a.bin")
        server.state { state in
            state.rule = { request in
                if request.method == "PATCH" {
                    try? Data().write(to: file)
                }
                return nil
            }
        }
        await #expect(throws: TusError.changedFile) {
            try await uploader().upload(file, note: note)
        }
    }

    @Test func aRefusalIsFinal() async throws {
        let file = try folder.write(noise(3_000), to: "a.bin")
        server.state { $0.rule = { $0.method == "POST" ? .statusCode(413) : nil } }
        let error = try await failure { _ = try await uploader().upload(file, note: note) }
        #expect(error.statusCode == 413)
        #expect(server.loopback.requests.count == 1)
    }

    @Test func aCancelledUploadKeepsItsNote() async throws {
        let file = try folder.write(noise(3_000), to: "a.bin")
        server.state { $0.rule = { $0.method == "PATCH" ? .never : nil } }
        let uploader = uploader()
        let call = Task { [note] in try await uploader.upload(file, note: note) }
        while try await server.loopback.arrival().method != "PATCH" {}
        call.cancel()
        let error = try await failure { _ = try await call.value }
        #expect(error.isCancelled)
        server.state { $0.rule = nil }
        let url = try await uploader.upload(file, note: note)
        #expect(server.upload(url)?.bytes == noise(3_000))
        #expect(server.state { $0.uploads.count } == 1)
    }

    #if os(Linux)
    /// Connections that end while a chunk is sent: the server gets a part of the body, and drops it.
    @Test func cutsWithinARequestAreSurvived() async throws {
        let random = Locked(SeededGenerator(state: 3))
        let port = server.loopback.port
        let relay = try RawServer { connection in
            // A chunk has several reads.
            let left = Locked(random { Int.random(in: 3...20, using: &$0) })
            connection.relay(to: port) {
                left { left in
                    left -= 1
                    return left > 0
                }
            }
        }
        defer { relay.stop() }
        let endpoint = "http://127.0.0.1:\(relay.port)/files"
        for round in 0..<10 {
            let size = 500_000 + round
            let file = try folder.write(noise(size), to: "a.bin")
            let url = try await upload(file, chunkSize: 100_000, at: endpoint)
            #expect(server.upload(url)?.bytes == noise(size))
        }
        #expect(relay.connectionCount > 10)
        #expect(server.loopback.requests.contains { !$0.isComplete })
    }
    #endif

    #if os(Linux) || os(macOS)
    @Test func aFewKilledProcessesLoseNoByte() async throws { try await kill(times: 5) }

    @Test(.slow) func killedProcessesLoseNoByte() async throws { try await kill(times: 200) }

    /// Uploads in processes that are killed, and ends the upload in this one.
    private func kill(times: Int) async throws {
        let size = 100_000
        let file = try folder.write(noise(size), to: "a.bin")
        // Otherwise, the first process might end it.
        server.state { $0.rule = { $0.offset >= 90_000 ? .statusCode(503) : nil } }
        let hasEnough = { server.loopback.requests.count { $0.method == "PATCH" } > times }
        await runKillRounds(times, until: hasEnough) { round, latest in
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [
                    endpoint = server.endpoint as String, path = file.path as String,
                    note = note.path as String, round = round as Int,
                    latest = latest as useconds_t
                ] in
                var random = SeededGenerator(state: UInt64(round))
                killOwnProcess(withinMicroseconds: latest, using: &random)
                let uploader = ResumableUpload(endpoint: endpoint, chunkSize: 500)
                while true {
                    _ = try? await uploader.upload(
                        URL(fileURLWithPath: path), note: URL(fileURLWithPath: note))
                }
            }
        }
        #expect(hasEnough())
        server.state { $0.rule = nil }
        let url = try await uploader().upload(file, note: note)
        #expect(server.upload(url)?.bytes == noise(size))
        // A process that is killed before it has a note leaves an upload without bytes.
        let started = server.state { $0.uploads.values.count { !$0.bytes.isEmpty } }
        #expect(started == 1)
    }
    #endif
}

extension LoopbackRequest {
    fileprivate var offset: Int { Int(header("Upload-Offset") ?? "") ?? 0 }
}

/// A server for tus 1.0.0, with the extension "creation".
private final class TusServer: Sendable {
    enum Trouble: CaseIterable {
        /// The connection ends before the server has done anything, in the middle, or before the response.
        case before, within, after
        /// The server is busy.
        case status
    }

    struct Upload {
        let length: Int
        let metadata: String?
        var bytes = Data()
    }

    struct State {
        /// By their numbers.
        var uploads: [Int: Upload] = [:]
        var goneStatus = 404
        var hasAbsoluteLocations = false
        /// The response to some requests.
        var rule: (@Sendable (LoopbackRequest) -> LoopbackResponse?)?
        var random = SeededGenerator(state: 0)
        /// How many requests have trouble, and make the server forget all uploads.
        var troublePercent = 0
        var forgetfulness = 0
        var troubles: [Trouble: Int] = [:]
    }

    let state: Locked<State>
    let loopback: LoopbackServer

    var endpoint: String { "\(loopback.baseURL)/files" }

    init() throws {
        let state = Locked(State())
        self.state = state
        loopback = try LoopbackServer { request in
            if let rule = state({ $0.rule }), let response = rule(request) {
                return response
            }
            return state { Self.troubled(request, &$0) }
        }
    }

    func upload(_ url: String) -> Upload? {
        state { state in Self.number(url).flatMap { state.uploads[$0] } }
    }

    private static func number(_ url: String) -> Int? {
        url.split(separator: "/").last.flatMap { Int($0) }
    }

    private static func troubled(
        _ request: LoopbackRequest, _ state: inout State
    ) -> LoopbackResponse {
        if Int.random(in: 0..<100, using: &state.random) < state.forgetfulness {
            state.uploads = [:]
        }
        guard Int.random(in: 0..<100, using: &state.random) < state.troublePercent else {
            return respond(to: request, request.body, &state)
        }
        let trouble = Trouble.allCases.randomElement(using: &state.random) ?? .before
        state.troubles[trouble, default: 0] += 1
        let cuts: [LoopbackResponse.Cut] = [.close, .reset]
        let cut = cuts.randomElement(using: &state.random) ?? .close
        switch trouble {
        case .before: return .statusCode(200).cut(cut, afterHeaderBytes: 0)
        case .within:
            let count = Int.random(in: 0...request.body.count, using: &state.random)
            _ = respond(to: request, request.body.prefix(count), &state)
            return .statusCode(204).cut(cut, afterHeaderBytes: 0)
        case .after:
            let response = respond(to: request, request.body, &state)
            let count = Int.random(in: 0...60, using: &state.random)
            return response.cut(cut, afterHeaderBytes: count)
        case .status:
            return .statusCode([409, 423, 503].randomElement(using: &state.random) ?? 503)
        }
    }

    private static func respond(
        to request: LoopbackRequest, _ body: Data, _ state: inout State
    ) -> LoopbackResponse {
        guard request.header("Tus-Resumable") == "1.0.0" else { return .statusCode(412) }
        if request.method == "POST", request.path == "/files" {
            guard let length = request.header("Upload-Length").flatMap({ Int($0) }) else {
                return .statusCode(400)
            }
            // Numbers aren't used again.
            let number =
                (state.uploads.keys.max() ?? 0) + Int.random(in: 1...3, using: &state.random)
            state.uploads[number] = Upload(
                length: length, metadata: request.header("Upload-Metadata"))
            let host = request.header("Host") ?? ""
            let base = state.hasAbsoluteLocations ? "http://\(host)" : ""
            return .statusCode(201).header("Location", "\(base)/files/\(number)")
        }
        guard let number = number(request.path), let upload = state.uploads[number] else {
            return .statusCode(state.goneStatus)
        }
        if request.method == "HEAD" {
            return .statusCode(200).header("Upload-Offset", "\(upload.bytes.count)")
                .header("Upload-Length", "\(upload.length)").header("Cache-Control", "no-store")
        }
        guard request.method == "PATCH" else { return .statusCode(405) }
        guard request.header("Content-Type") == "application/offset+octet-stream" else {
            return .statusCode(415)
        }
        guard request.header("Upload-Offset") == "\(upload.bytes.count)" else {
            return .statusCode(409)
        }
        guard upload.bytes.count + body.count <= upload.length else { return .statusCode(413) }
        state.uploads[number]?.bytes += body
        return .statusCode(204).header("Upload-Offset", "\(upload.bytes.count + body.count)")
    }
}
