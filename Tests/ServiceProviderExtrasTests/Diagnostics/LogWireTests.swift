// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import ServiceProviderTransfers
import TestSupport
import Testing

/// Logging changes nothing and shows no secrets.
@Suite(.serialized, .opensFiles, .timeLimit) struct LogWireTests {
    @Test(.row("H1", "C27"), arguments: PlantedSecrets.places)
    func noSecretIsShown(_ place: String) async throws {
        let server = try LoopbackServer(responses: [PlantedSecrets.response])
        let entries = Locked<[String]>([])
        let log = ServiceLog(.bodies) { entry in entries { $0.append(entry.message) } }
        let provider = PlantedSecrets.provider(log)
        try await provider.load(service: PlantedSecrets.endpoint(place, at: server.baseURL))
        let entry = transcribed(entries { $0 }.joined(), as: .log)
        #expect(!entry.contains("canary"), "\(entry)")
        #expect(entry.contains(#"{"message":"no","access_token":"***"}"#))
        #expect(entry.contains("< Set-Cookie: ***\n") && entry.contains("< X-Auth-Token: ***\n"))
        #expect(server.requests.count == 1 && entry.contains("/planted"))
    }

    #if os(Linux) || os(macOS)
    @Test func theDefaultLogWritesToStandardError() async throws {
        let result = await #expect(
            processExitsWith: .success,
            observing: [\.standardErrorContent, \.standardOutputContent]
        ) {
            let server = try LoopbackServer(responses: [.text("12345")])
            let provider = PlantedSecrets.provider(ServiceLog())
            try await provider.load(
                service: PlantedSecrets.endpoint("query", at: server.baseURL))
        }
        func text(_ bytes: [UInt8]?) -> String { String(decoding: bytes ?? [], as: UTF8.self) }
        let logged = transcribed(text(result?.standardErrorContent), as: .log)
        #expect(logged.contains("/planted?apikey=***&name=Hulk → 200 in "))
        #expect(
            logged.contains(" s, sent 0 bytes, received 5 bytes\n") && !logged.contains("canary"))
        let printed = text(result?.standardOutputContent)
        #expect(!printed.contains("/planted"))
    }
    #endif

    /// Only an inner interceptor, or the request after a redirect, knows that the names are secret.
    @Test(.row("H1")) func secretNamesOfAllStepsCount() async throws {
        let secret = canary("code")
        let server = try LoopbackServer(responses: [
            .redirect(to: "/b?code=\(secret)", statusCode: 307),
            .json(#"{"code":"\#(secret)","ticket":"\#(secret)"}"#),
        ])
        let entries = Locked<[String]>([])
        let log = ServiceLog(.bodies) { entry in entries { $0.append(entry.message) } }
        let outer = Intercept.changing { request in
            request.onRedirect = { next, _, _ in
                var next = next
                next.secretNames = ["ticket"]
                return next
            }
        }
        let inner = Intercept.changing { $0.secretNames = ["code"] }
        let provider = ServiceProvider<TestService>(interceptors: [outer, log, inner])
        try await provider.load(
            service: .init(
                baseURL: server.baseURL, parameters: ["code": secret, "ticket": secret]))
        let entry = transcribed(entries { $0 }.joined(), as: .log)
        #expect(entry.contains("?code=***&ticket=*** → \(server.baseURL)/b?code=*** → 200"))
        #expect(entry.hasSuffix(#"< {"code":"***","ticket":"***"}"#))
    }

    /// Bytes, files and streams are the same with and without logging.
    @Test(.row("H5"), arguments: [false, true])
    func loggingDoesNotChangeBodies(_ isLogged: Bool) async throws {
        let folder = try TemporaryFolder()
        let content = noise(100_000)
        try content.write(to: folder.file("up"))
        let response = LoopbackResponse.data(content)
        let server = try LoopbackServer(responses: [response, response, response])
        let entries = Locked<[String]>([])
        let log = ServiceLog(.bodies) { entry in entries { $0.append(entry.message) } }
        let provider = ServiceProvider<TestService>(interceptors: isLogged ? [log] : [])
        var upload = PlantedSecrets.service(at: server.baseURL)
        (upload.method, upload.body) = (.put, .file(folder.file("up")))
        let get = PlantedSecrets.service(at: server.baseURL)

        #expect(try await provider.load(service: upload) == content)
        #expect(server.requests.first?.body == content)
        try await provider.download(service: get, to: folder.file("down"))
        #expect(try Data(contentsOf: folder.file("down")) == content)
        var streamed = Data()
        for try await chunk in try await provider.stream(service: get) { streamed += chunk }
        #expect(streamed == content)

        let logged = entries { $0 }.map { transcribed($0, as: .log) }
        #expect(logged.count == (isLogged ? 3 : 0))
        guard isLogged else { return }
        #expect(logged[0].contains("sent 100000 bytes, received 100000 bytes\n"))
        #expect(logged[0].contains("\n> \n> (100000 bytes of a file)\n"))
        #expect(logged[0].hasSuffix("\n< (100000 bytes of application/octet-stream)"))
        #expect(logged[1].contains("received 100000 bytes\n"))
        #expect(logged[1].hasSuffix("\n< (delivered elsewhere)"))
        #expect(logged[2].hasSuffix("\n< (delivered elsewhere)"))
    }

    @Test func theSizeOfAStreamIsShown() async throws {
        let server = try LoopbackServer { _ in .statusCode(204) }
        let entries = Locked<[String]>([])
        let log = ServiceLog(.bodies) { entry in entries { $0.append(entry.message) } }
        var request = try server.service(method: .put).request()
        request.urlRequest.httpBodyStream = InputStream(data: Data("abc".utf8))
        _ = try await ServiceProvider<TestService>(interceptors: [log]).pipeline.send(request)
        let entry = try #require(entries { $0 }.first)
        #expect(entry.contains("sent 3 bytes"))
        #expect(entry.hasSuffix("\n> \n> (3 bytes of a stream)"))
    }

    @Test(arguments: [204, 404])
    func anEmptyResponseIsNotDeliveredElsewhere(_ status: Int) async throws {
        let folder = try TemporaryFolder()
        let server = try LoopbackServer(responses: [.statusCode(status)])
        let entries = Locked<[String]>([])
        let log = ServiceLog(.bodies) { entry in entries { $0.append(entry.message) } }
        let provider = ServiceProvider<TestService>(interceptors: [log])
        _ = try? await provider.download(service: server.service(), to: folder.file("down"))
        #expect(entries { $0.count } == 1 && !entries { $0[0] }.contains("delivered elsewhere"))
    }
}
