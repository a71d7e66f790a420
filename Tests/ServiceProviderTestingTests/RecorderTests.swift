// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import ServiceProviderTesting
import ServiceProviderTransfers
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite(.serialized, .opensFiles, .timeLimit) struct RecorderTests {
    private typealias JSON = [String: Any]

    private func har(_ file: URL) throws -> (text: String, entries: [JSON]) {
        let text = transcribed(try String(contentsOf: file, encoding: .utf8), as: .har)
        let json = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? JSON)
        let log = try #require(json["log"] as? JSON)
        #expect(log["version"] as? String == "1.2" && (log["creator"] as? JSON)?["name"] != nil)
        return (text, try #require(log["entries"] as? [JSON]))
    }

    @Test func anEntryHoldsTheWholeRequestAndResponse() async throws {
        let folder = try TemporaryFolder()
        let server = try LoopbackServer(responses: [
            .json(#"{"a":1}"#, statusCode: 201).header(
                "Set-Cookie", "sid=\(canary("Set-Cookie")); Path=/")
        ])
        let clock = TestClock()
        let recorder = try ServiceRecorder(file: folder.file("a.har"), clock: clock.clock)
        #expect(try har(folder.file("a.har")).entries.isEmpty)
        let passing = Intercept { request, next in
            clock.advance(by: 0.25)
            return try await next(request)
        }
        let provider = PlantedSecrets.provider(recorder, passing)
        try await provider.load(
            service: .init(
                baseURL: server.baseURL + "?q=a%20b", path: "/planted", method: .post,
                headers: ["Cookie": "theme=\(canary("cookie value")); b=1"], body: .json(["b": 2])))
        let entry = try #require(try har(folder.file("a.har")).entries.first)
        #expect(entry["startedDateTime"] as? String == "2027-01-15T08:00:00.000Z")
        #expect(entry["time"] as? Double == 250 && entry["cache"] is JSON)
        let timings = try #require(entry["timings"] as? [String: Double])
        #expect(timings == ["send": 0, "wait": 250, "receive": 0])
        let request = try #require(entry["request"] as? JSON)
        #expect(request["method"] as? String == "POST" && request["bodySize"] as? Int == 7)
        #expect(request["url"] as? String == "\(server.baseURL)/planted?q=a%20b")
        #expect(request["queryString"] as? [[String: String]] == [["name": "q", "value": "a b"]])
        #expect(
            request["postData"] as? [String: String] == [
                "mimeType": "application/json", "text": #"{"b":2}"#,
            ])
        #expect(
            request["headers"] as? [[String: String]] == [
                ["name": "Content-Type", "value": "application/json"],
                ["name": "Cookie", "value": "***"],
            ])
        let response = try #require(entry["response"] as? JSON)
        #expect(response["status"] as? Int == 201 && response["redirectURL"] as? String == "")
        let content = try #require(response["content"] as? JSON)
        #expect(content["size"] as? Int == 7 && content["text"] as? String == #"{"a":1}"#)
        for part in [request, response] {
            #expect(part["cookies"] as? [String] == [])
            #expect(part["httpVersion"] is String && part["headersSize"] as? Int == -1)
        }
    }

    /// A file and a stream alike.
    @Test func theSizeOfABodyThatIsNotInMemoryIsUnknown() async throws {
        let server = try LoopbackServer { _ in .statusCode(204) }
        let folder = try TemporaryFolder()
        let recorder = try ServiceRecorder(file: folder.file("a.har"))
        let pipeline = ServiceProvider<TestService>(interceptors: [recorder]).pipeline
        let service = server.service(method: .put)
        var upload = try service.request()
        upload.upload = { (InputStream(data: Data("abc".utf8)), 3) }
        var stream = try service.request()
        stream.urlRequest.httpBodyStream = InputStream(data: Data("abc".utf8))
        for request in [upload, stream] {
            _ = try await pipeline.send(request)
        }
        let entries = try har(folder.file("a.har")).entries
        #expect(entries.count == 2)
        for entry in entries {
            let request = try #require(entry["request"] as? JSON)
            #expect(request["bodySize"] as? Int == -1)
            #expect(request["comment"] as? String == "The body is not recorded.")
        }
    }

    @Test(.row("H2"), arguments: PlantedSecrets.places)
    func noSecretIsRecorded(_ place: String) async throws {
        let folder = try TemporaryFolder()
        let redirect = LoopbackResponse.redirect(to: "ftp://h/?token=\(canary("redirect"))")
        let server = try LoopbackServer(responses: [PlantedSecrets.response, redirect])
        let recorder = try ServiceRecorder(file: folder.file("a.har"))
        let provider = PlantedSecrets.provider(recorder)
        let endpoint = PlantedSecrets.endpoint(place, at: server.baseURL)
        try await provider.load(service: endpoint)
        _ = try? await provider.load(service: endpoint)
        let (text, entries) = try har(folder.file("a.har"))
        #expect(!text.contains("canary"), "\(text)")
        #expect(entries.count == 2 && text.contains(#"\"access_token\":\"***\""#))
        #expect(text.contains(#""redirectURL":"ftp://h/?token=***""#))
        #expect(recorder.failure == nil)
    }

    @Test func omittedBodiesHaveAComment() async throws {
        let folder = try TemporaryFolder()
        try folder.write(canary("file"), to: "up")
        let server = try LoopbackServer(responses: [.text("a"), .text("b")])
        let recorder = try ServiceRecorder(file: folder.file("a.har"))
        let provider = PlantedSecrets.provider(recorder)
        let parts = ServiceBody.multipart([.text(canary("multipart"), name: "password")])
        for body in [ServiceBody.file(folder.file("up")), parts] {
            var service = PlantedSecrets.service(at: server.baseURL)
            (service.method, service.body) = (.put, body)
            try await provider.download(
                service: service, to: folder.file("down"), options: [.overwrite])
        }
        let (text, entries) = try har(folder.file("a.har"))
        #expect(!text.contains("canary") && entries.count == 2)
        for entry in entries {
            let content = (entry["response"] as? JSON)?["content"] as? JSON
            #expect(
                (entry["request"] as? JSON)?["comment"] as? String == "The body is not recorded.")
            #expect(content?["comment"] as? String == "The body went elsewhere.")
            #expect(content?["text"] == nil && content?["size"] as? Int == -1)
        }
    }

    /// Secrets can't be found in text. Types such as ZIP may be wrong.
    @Test(
        arguments: [
            ("text/xml", false), ("application/jwt", false), ("text/html", false),
            ("application/zip", false), ("image/svg+xml", false), (nil, false), ("image/png", true),
        ] as [(String?, Bool)])
    func bodiesThatMayHideSecretsAreNotRecorded(_ type: String?, _ isRecorded: Bool) async throws {
        let folder = try TemporaryFolder()
        let body = Data("\n<token>\(isRecorded ? "none" : canary("XML"))</token>".utf8)
        var response = LoopbackResponse(body: .data(body))
        if let type { response = response.header("Content-Type", type) }
        let server = try LoopbackServer(responses: [response])
        let recorder = try ServiceRecorder(file: folder.file("a.har"))
        try await PlantedSecrets.provider(recorder).load(
            service: PlantedSecrets.service(at: server.baseURL))
        let (text, entries) = try har(folder.file("a.har"))
        #expect(!text.contains("canary"))
        let content = (entries.first?["response"] as? JSON)?["content"] as? JSON
        #expect((content?["text"] != nil) == isRecorded)
    }

    /// For a test account.
    @Test func everythingIsRecordedOnRequest() async throws {
        let folder = try TemporaryFolder()
        let server = try LoopbackServer(responses: [
            .text("<token>").header("Set-Cookie", "sid=1; Path=/").header("X-A", "b"),
            .data(Data([0xE9]), contentType: "application/json; charset=iso-8859-1"),
        ])
        let recorder = try ServiceRecorder(file: folder.file("a.har"), isRedacted: false)
        let provider = ServiceProvider<TestService>(interceptors: [recorder])
        var service = server.service("/a?token=c", method: .post)
        service.headers = ["Authorization": "Bearer d"]
        service.body = .data(Data("key=e".utf8), contentType: "text/plain")
        for _ in 0..<2 { try await provider.load(service: service) }
        let text = try har(folder.file("a.har")).text
        for shown in [
            "<token>", "sid=1; Path=/", #""name":"X-A","value":"b""#,
            "a%3Ftoken=c", "Bearer d", "key=e",
            #""encoding":"base64","mimeType":"application/json"#,
        ] { #expect(text.contains(shown), "\(shown)") }
        #expect(!text.contains("***"))
    }

    @Test func aCallWithoutAResponseHasStatusZero() async throws {
        let folder = try TemporaryFolder()
        let server = try LoopbackServer(responses: [.text("").cut(.reset, afterHeaderBytes: 0)])
        let recorder = try ServiceRecorder(file: folder.file("a.har"))
        let provider = ServiceProvider<TestService>(interceptors: [recorder])
        let error = try await provider.failure(of: server.service("/a", method: .post))
        let response = try har(folder.file("a.har")).entries.first?["response"] as? JSON
        #expect(response?["status"] as? Int == 0)
        #expect(response?["_error"] as? String == "URLError \(error.urlErrorCode?.rawValue ?? 0)")
    }

    /// Another user could open it before the recorder sets its permissions.
    @Test(.slow) func theFileIsPrivateFromTheStart() async throws {
        let folder = try TemporaryFolder()
        let file = folder.file("a.har")
        let (isOver, seen, ended) = (Locked(false), Locked<Set<mode_t>>([]), Gate())
        Thread.detachNewThread {
            var info = stat()
            while !isOver({ $0 }) {
                if stat(file.path, &info) == 0 { seen { _ = $0.insert(info.st_mode & 0o777) } }
            }
            ended.open()
        }
        for _ in 0..<3_000 { _ = try ServiceRecorder(file: file) }
        isOver { $0 = true }
        await ended.pass()
        #expect(seen { $0 } == [0o600])
    }

    @Test(.row("H2")) func theFileIsPrivateAndReplacesOnlyArchives() throws {
        let folder = try TemporaryFolder()
        let file = folder.file("a.har")
        func mode() throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        }
        _ = try ServiceRecorder(file: file)
        #expect(try mode() == 0o600)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
        _ = try ServiceRecorder(file: file)
        #expect(try mode() == 0o600)
        for text in ["my diary", "{}", "[1]"] {
            try folder.write(text, to: "a.har")
            #expect(throws: ServiceError.self) { try ServiceRecorder(file: file) }
            #expect(folder.text(of: "a.har") == text)
        }
    }

    /// The first one goes on in a file that no name leads to.
    @Test(.row("H10", "Q20")) func theLastRecorderOwnsTheFile() async throws {
        let folder = try TemporaryFolder()
        let file = folder.file("a.har")
        let recorders = try (0..<2).map { _ in try ServiceRecorder(file: file) }
        for (number, recorder) in recorders.enumerated().reversed() {
            let transport = StubTransport { try $0.respond(200, data: Data()) }
            let provider = ServiceProvider<TestService>(
                transport: transport, interceptors: [recorder])
            try await provider.load(service: TestService(baseURL: "https://h", path: "/\(number)"))
        }
        let urls = try har(file).entries.map { ($0["request"] as? JSON)?["url"] as? String }
        #expect(urls == ["https://h/1"] && recorders.allSatisfy { $0.failure == nil })
    }

    @Test func fileErrorsNameTheFile() throws {
        let folder = try TemporaryFolder()
        let pipe = folder.file("pipe")
        #expect(mkfifo(pipe.path, 0o600) == 0)
        let cases = [
            (folder.url, "isn't an HTTP Archive, so it isn't replaced"),
            (pipe, "isn't an HTTP Archive, so it isn't replaced"),
            (folder.file("no/a.har"), "can't be written: "),
        ]
        for (file, text) in cases {
            let error = #expect(throws: ServiceError.self) { try ServiceRecorder(file: file) }
            guard case .file(let reason) = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(reason.hasPrefix("'\(file.path)' \(text)"))
        }
        #expect(folder.names == ["pipe"])
    }

    @Test func aSymbolicLinkStaysALink() async throws {
        let folder = try TemporaryFolder()
        let link = folder.file("link.har")
        try folder.write("", to: "a.har")
        try FileManager.default.createSymbolicLink(
            at: link, withDestinationURL: folder.file("a.har"))
        let provider = ServiceProvider<TestService>(
            transport: StubTransport {
                try $0.respond(200, headers: ["Content-Type": "text/plain"], data: Data())
            }, interceptors: [try ServiceRecorder(file: link)])
        try await provider.load(service: TestService(baseURL: "https://h", path: "/a"))
        #expect(try har(folder.file("a.har")).entries.count == 1)
        let target = try FileManager.default.destinationOfSymbolicLink(atPath: link.path)
        #expect(target.hasSuffix("a.har"))
    }

    #if os(Linux) || os(macOS)
    /// Runs in its own process, because the file size limit applies to the whole process.
    @Test func aFullDiskKeepsTheEarlierArchive() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            let file = folder.file("a.har")
            _ = try ServiceRecorder(file: file)
            let earlier = try Data(contentsOf: file)
            try await withFileSizeLimit(10) {
                do {
                    _ = try ServiceRecorder(file: file)
                    exit(3)
                } catch ServiceError.file(let reason) {
                    let start = "'\(file.path)' can't be written: "
                    guard reason.hasPrefix(start), reason.contains("File too large") else {
                        exit(5)
                    }
                }
            }
            guard try Data(contentsOf: file) == earlier, folder.names == ["a.har"] else { exit(4) }
        }
    }
    #endif

    /// Between calls, the file is a complete archive with all calls so far.
    @Test func theFileIsAnArchiveAfterEachCall() async throws {
        let folder = try TemporaryFolder()
        let file = folder.file("a.har")
        let recorder = try ServiceRecorder(file: file)
        let provider = ServiceProvider<TestService>(
            transport: StubTransport {
                try $0.respond(200, headers: ["Content-Type": "text/plain"], data: Data())
            }, interceptors: [recorder])
        for call in 1...20 {
            try await provider.load(service: TestService(baseURL: "https://h", path: "/\(call)"))
            #expect(try har(file).entries.count == call)
        }
    }

    #if os(Linux) || os(macOS)
    /// Runs in its own process, because the file size limit applies to the whole process.
    @Test func aFullDiskLeavesAValidArchive() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            let file = folder.file("a.har")
            let recorder = try ServiceRecorder(file: file)
            let provider = ServiceProvider<TestService>(
                transport: StubTransport {
                    try $0.respond(200, headers: ["Content-Type": "text/plain"], data: Data())
                }, interceptors: [recorder])
            try await provider.load(service: TestService(baseURL: "https://h", path: "/first"))
            try await withFileSizeLimit(try Data(contentsOf: file).count + 100) {
                for path in ["/second", "/third"] {
                    try await provider.load(service: TestService(baseURL: "https://h", path: path))
                    let text = recorder.failure.map { "\($0)" } ?? ""
                    let start = "Invalid file: '\(file.path)' can't be written: "
                    guard text.hasPrefix(start), text.contains("File too large") else { exit(3) }
                    let entries = try RecorderTests().har(file).entries
                    guard entries.count == 1 else { exit(4) }
                }
            }
        }
    }
    #endif

    @Test(.slow) func concurrentCallsAreAllRecorded() async throws {
        let folder = try TemporaryFolder()
        let file = folder.file("a.har")
        let recorder = try ServiceRecorder(file: file)
        let provider = ServiceProvider<TestService>(
            transport: StubTransport {
                try $0.respond(200, headers: ["Content-Type": "text/plain"], data: Data())
            }, interceptors: [recorder])
        for round in 1...4 {
            await withTaskGroup(of: Void.self) { group in
                for caller in 0..<10 {
                    group.addTask {
                        for call in 0..<25 {
                            let path = "/\(round)/\(caller)/\(call)"
                            _ = await provider.outcome(
                                of: TestService(baseURL: "https://h", path: path))
                        }
                    }
                }
            }
            let entries = try har(file).entries
            let urls = Set(entries.compactMap { ($0["request"] as? JSON)?["url"] as? String })
            #expect(entries.count == round * 250 && urls.count == round * 250)
        }
    }

    /// Secrets can't be found in them, also if they aren't UTF-8.
    @Test(arguments: [
        "application/xml; charset=iso-8859-1", "application/soap+xml", "text/a+xml",
        "multipart/mixed; boundary=b", "application/a; charset=iso-8859-1", "",
    ])
    func textInAnotherCharsetIsLeftOut(_ type: String) async throws {
        let folder = try TemporaryFolder()
        let xml = Data("<token name='Jos".utf8) + [0xE9] + Data("'>canary</token>".utf8)
        let server = try LoopbackServer(responses: [.data(xml, contentType: type)])
        let recorder = try ServiceRecorder(file: folder.file("a.har"))
        try await ServiceProvider<TestService>(interceptors: [recorder])
            .load(service: TestService(baseURL: server.baseURL))
        let (text, entries) = try har(folder.file("a.har"))
        #expect(entries.count == 1 && text.contains("The body is not recorded."))
        #expect(!text.contains(xml.base64EncodedString()))
    }
}
