// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderBodies
import ServiceProviderDiagnostics
import ServiceProviderExtras
import TestSupport
import Testing

@testable import MarvelClient

/// Logs, cURL commands, recordings and replays.
@Suite(.serialized, .opensFiles, .timeLimit) struct TrafficTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Runs a command. Returns its standard output, and its log entries and cURL commands.
    private func run(
        _ arguments: String..., environment: [String: String] = [:]
    ) async throws -> (text: String, told: [String]) {
        let told = Locked<[String]>([])
        let text = try await output(of: arguments, environment: environment) { line in
            told { $0.append(line) }
        }
        for line in told({ $0 }) { transcribed(line, as: line.hasPrefix("curl ") ? .curl : .log) }
        return (text, told { $0 })
    }

    private static let keys = [
        "MARVEL_PUBLIC_KEY": canary("public key"), "MARVEL_PRIVATE_KEY": canary("private key"),
    ]

    /// A server that accepts only the keys of `keys`.
    private func server(below prefix: String = "") throws -> LoopbackServer {
        try gatewayServer(
            publicKey: canary("public key"), privateKey: canary("private key"), below: prefix)
    }

    private func recording(_ path: String) throws -> String {
        transcribed(try String(contentsOfFile: path, encoding: .utf8), as: .har)
    }

    @Test func nothingIsLoggedByDefault() async throws {
        #expect(try await run("--limit", "1").told == [])
    }

    @Test func verboseLogsOneEntryForEachCall() async throws {
        let (text, told) = try await run("--limit", "1", "--verbose")
        #expect(text.contains("1 to 1 of 87"))
        let entry = try #require(told.first)
        #expect(told.count == 1)
        #expect(entry.contains("apikey=***&hash=***&limit=1&ts=***"))
        #expect(entry.contains("→ 200 in "))
        #expect(!entry.contains("sample-"))
    }

    @Test func curlPrintsOneCommandForEachRequest() async throws {
        let told = try await run("--all", "--limit", "50", "--curl").told
        #expect(told.count == 2)
        #expect(told.allSatisfy { $0.hasPrefix("curl --url 'http://127.0.0.1:") })
        #expect(told.allSatisfy { $0.contains("apikey=***") && !$0.contains("sample-") })
    }

    @Test func recordedResponsesAreReplayed() async throws {
        let file = folder.file("a.har").path
        let recorded = try await run("--all", "--limit", "50", "--record", file).text
        #expect(try await run("--all", "--limit", "50", "--replay", file).text == recorded)
        // The response repeats the public key in other URLs.
        #expect(try !recording(file).contains("apikey=sample-"))
        let error = await #expect(throws: (any Error).self) {
            try await run("--limit", "3", "--replay", file)
        }
        let text = transcribed("\(try #require(error))", as: .error)
        #expect(text.contains("differs in: 'limit'"))
    }

    @Test(arguments: [
        ["--base-url", "http://127.0.0.1:1"], ["--transport", "carrier-pigeon"],
        ["--base-url", "foo"], ["--base-url", "http://"],
    ])
    func aCommandThatCannotStartKeepsTheRecording(arguments: [String]) async throws {
        let file = folder.file("kept.har").path
        _ = try await output(of: ["--limit", "1", "--record", file])
        let recorded = try String(contentsOfFile: file, encoding: .utf8)
        #expect(recorded.contains("/v1/public/characters"))
        await #expect(throws: (any Error).self) {
            try await output(of: arguments + ["--record", file])
        }
        #expect(try String(contentsOfFile: file, encoding: .utf8) == recorded)
    }

    /// Runs in its own process, because the file size limit applies to the whole process.
    @Test func aRecordingThatIsNotCompleteIsAnError() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            let file = folder.file("a.har")
            try await withFileSizeLimit(1_000) {
                do {
                    _ = try await output(of: ["--record", file.path])
                    exit(3)
                } catch let error as Failure {
                    let text = error.description
                    guard text.hasPrefix("The recording isn't complete: ") else { exit(4) }
                    guard text.contains("'\(file.path)' can't be written: ") else { exit(5) }
                    guard text.contains("File too large") else { exit(6) }
                }
            }
        }
    }

    @Test func aBaseURLWithAPathIsReplayed() async throws {
        let server = try server(below: "/proxy/a%20b")
        let file = folder.file("path.har").path
        let arguments = ["--limit", "1", "--base-url", server.baseURL + "/proxy/a%20b"]
        let recorded = try await output(
            of: arguments + ["--record", file], environment: Self.keys)
        #expect(recorded.contains("1 to 1 of 87"))
        #expect(try await output(of: ["--limit", "1", "--replay", file]) == recorded)
        #expect(try await output(of: arguments + ["--replay", file]) == recorded)
        #expect(server.requests.count == 1)
    }

    @Test(arguments: ["no/a.har", "a/b/c.har"])
    func fileErrorsNameTheFile(name: String) async throws {
        let file = folder.file(name).path
        for (option, verb) in [("--record", "written: "), ("--replay", "read: ")] {
            let error = await #expect(throws: ServiceError.self) {
                try await output(of: [option, file])
            }
            #expect(
                error?.description.hasPrefix("Invalid file: '\(file)' can't be \(verb)") == true)
        }
    }

    @Test func keysFromTheEnvironmentAreNotLoggedOrRecorded() async throws {
        let file = folder.file("b.har").path
        let server = try server()
        let (_, told) = try await run(
            "--limit", "1", "--verbose", "--curl", "--record", file,
            "--base-url", server.baseURL, environment: Self.keys)
        #expect(server.requests.first?.query?.contains("canary") == true)
        #expect(told.count == 2)
        let recorded = try recording(file)
        for text in told + [recorded] {
            #expect(text.contains("apikey=***") && !text.contains("apikey=canary"))
            #expect(!text.contains(canary("private key")))
        }
        // In the recording, the response repeats the public key in other URLs.
        #expect(told.allSatisfy { !$0.contains("canary") })
        #expect(recorded.contains("/v1/public/characters"))
    }

    @Test func errorsDoNotContainRefusedKeys() async throws {
        let server = try LoopbackServer { request in
            .json(#"{"message":"no '\#(request.query ?? "")'"}"#, status: 401)
        }
        let error = await #expect(throws: ServiceError.self) {
            try await run("--base-url", server.baseURL, environment: Self.keys)
        }
        let text = transcribed(try #require(error).description, as: .error)
        #expect(text.contains("answered 401") && !text.contains("canary"))
    }

    @Test func aThrottledRequestIsRetried() async throws {
        let refusal = MarvelGateway(publicKey: "one", privateKey: "two").refusal
        let server = try server()
        server.enqueue(.data(refusal.body, status: refusal.status))
        let (text, told) = try await run(
            "--limit", "1", "--verbose", "--base-url", server.baseURL, environment: Self.keys)
        #expect(text.contains("1 to 1 of 87"))
        #expect(server.requests.count == 2)
        #expect(told.count == 1)
    }

    @Test func anUnknownTransportIsAnError() async throws {
        let error = await #expect(throws: UsageError.self) {
            try await run("--transport", "tcp")
        }
        let names = "'urlsession' or, on Linux, 'curl'"
        #expect(error?.reason == "'--transport' must be \(names), not 'tcp'")
    }
}
