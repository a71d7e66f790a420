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

/// Downloads into a folder, and checks of downloaded files.
@Suite(.serialized, .opensFiles, .timeLimit) struct FolderDownloadTests {
    private let server: LoopbackServer
    private let folder: TemporaryFolder
    private var target: URL { folder.file("file.bin") }

    init() throws {
        server = try LoopbackServer()
        folder = try TemporaryFolder()
    }

    private func named(_ name: String, _ text: String = "new") -> LoopbackResponse {
        .text(text).header("Content-Disposition", "attachment; filename=\"\(name)\"")
    }

    // MARK: - Folders

    @Test(arguments: TransportUnderTest.allCases)
    func theFileHasTheSuggestedName(_ transport: TransportUnderTest) async throws {
        let provider = transport.provider()
        server.enqueue(named("a b.txt"), .redirect(to: "/there/c%20d.txt"), .text("other"))
        let file = try await provider.download(service: server.service(), into: folder.url)
        #expect(file == folder.file("a b.txt") && folder.text(of: "a b.txt") == "new")
        let other = try await provider.download(service: server.service(), into: folder.url)
        #expect(other == folder.file("c d.txt") && folder.text(of: "c d.txt") == "other")
        #expect(folder.names == ["a b.txt", "c d.txt"])
    }

    @Test(
        .row("D1"),
        arguments: TransportUnderTest.allCases,
        ["../../x", "/etc/x", "..%2fx", ".bashrc", #"C:\\x"#, String(repeating: "a", count: 5_000)])
    func hostileNamesStayInTheFolder(_ transport: TransportUnderTest, name: String) async throws {
        server.enqueue(named(name))
        let file = try await transport.provider()
            .download(service: server.service(), into: folder.url)
        #expect(file.deletingLastPathComponent().path == folder.url.path)
        #expect(folder.names == [file.lastPathComponent])
        #expect(folder.text(of: file.lastPathComponent) == "new")
    }

    @Test(arguments: TransportUnderTest.allCases)
    func anExistingFileIsKeptUnlessOverwritten(_ transport: TransportUnderTest) async throws {
        try folder.write("old", to: "a.txt")
        let body = Data(count: 100_000)
        let response = LoopbackResponse.data(body)
            .header("Content-Disposition", "attachment; filename=a.txt")
        // The body never ends, so the error comes from the headers.
        server.enqueue(response.cut(.stall, afterBodyBytes: 1_000), response)
        let provider = transport.provider()
        let error = try await failure {
            _ = try await provider.download(service: server.service().patient, into: folder.url)
        }
        #expect(error.isFileError)
        #expect(!error.description.contains("a.txt"))
        #expect(error.description.hasSuffix("\(folder.url.path)' exists already."))
        #expect(folder.names == ["a.txt"] && folder.text(of: "a.txt") == "old")
        let file = try await provider.download(
            service: server.service(), into: folder.url, options: .overwrite)
        #expect(try Data(contentsOf: file) == body && folder.names == ["a.txt"])
    }

    @Test(arguments: TransportUnderTest.allCases)
    func aFolderWithTheNameIsNotReplaced(_ transport: TransportUnderTest) async throws {
        let inner = folder.file("a.txt")
        try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
        server.enqueue(named("a.txt"))
        let error = try await failure {
            _ = try await transport.provider()
                .download(service: server.service(), into: folder.url, options: .overwrite)
        }
        #expect(error.description.hasSuffix("\(folder.url.path)' is a folder."))
        #expect(folder.names == ["a.txt"])
    }

    @Test func aMissingFolderIsAnErrorBeforeTheRequest() async throws {
        let error = try await failure {
            _ = try await ServiceProvider<TestService>()
                .download(service: server.service(), into: folder.file("missing"))
        }
        #expect(error.isFileError)
        #expect(error.description.hasSuffix("missing' doesn't exist."))
        #expect(server.isUntouched)
    }

    @Test func aMissingFolderCanBeCreated() async throws {
        let inner = folder.file("a/b")
        server.enqueue(named("c.txt"))
        let file = try await ServiceProvider<TestService>()
            .download(service: server.service(), into: inner, options: .createFolders)
        #expect(file == inner.appendingPathComponent("c.txt"))
        #expect(folder.text(of: "a/b/c.txt") == "new")
    }

    /// The name isn't known before the request, so nothing could be continued.
    @Test func resumingIsRefusedBeforeTheRequest() async throws {
        let error = try await failure {
            _ = try await ServiceProvider<TestService>()
                .download(service: server.service(), into: folder.url, options: .resume)
        }
        let reason = "a download into a folder can't be resumed, because the server names the file"
        #expect(error.description == "Invalid file: \(reason).")
        #expect(error.localizedDescription == "The file can't be read or written.")
        #expect(server.isUntouched)
    }

    @Test func aHandlerGetsTheFile() async throws {
        server.enqueue(named("a.txt"), named("a.txt", "again"))
        let provider = ServiceProvider<TestService>()
        let target = folder.file("a.txt")
        for (options, expected) in [([], "new"), ([.overwrite], "again")]
            as [(ServiceDownloadOptions, String)]
        {
            let file = try await withCheckedThrowingContinuation { continuation in
                provider.download(
                    service: server.service(), into: folder.url, options: options
                ) { result in
                    continuation.resume(with: Result { try result.get() })
                }
            }
            #expect(file == target)
            #expect(folder.text(of: "a.txt") == expected)
        }
    }

    @Test func theCheckOfAHandlerIsMade() async throws {
        server.enqueue(named("a.txt"))
        let check = ServiceDownloadCheck(size: 4)
        let provider = ServiceProvider<TestService>()
        let result = await withCheckedContinuation { continuation in
            provider.download(
                service: server.service(), to: folder.file("b.txt"), check: check
            ) { result in
                continuation.resume(returning: result)
            }
        }
        #expect(throws: ServiceError.self) { try result.get() }
        #expect(folder.names.isEmpty)
    }

    /// The body of a 404 isn't the file, even if the call accepts any status.
    @Test func anAcceptedStatusIsNoFile() async throws {
        var service = server.service()
        service.change = { $0.acceptsAnyStatus = true }
        server.enqueue(.text("no", statusCode: 404))
        let error = try await failure {
            _ = try await ServiceProvider<TestService>()
                .download(service: service, into: folder.url)
        }
        #expect(error.response?.text == "no")
        #expect(folder.names.isEmpty)
    }

    @Test func stubsCanBeDownloadedIntoAFolder() async throws {
        let stub = ServiceStub.data(
            Data("stub".utf8), headers: ["Content-Disposition": "attachment; filename=s.txt"])
        let provider = ServiceProvider<TestService>(stubs: ServiceStubs(responses: [stub]))
        let file = try await provider.download(service: TestService(), into: folder.url)
        #expect(folder.names == ["s.txt"] && file == folder.file("s.txt"))
    }

    // MARK: - Checks

    @Test(
        .row("D11"),
        arguments: TransportUnderTest.allCases,
        [
            (0, ""), (99_999, ""), (100_001, "has 100000 bytes instead of 100001."),
            (-1, ""), (.max, "has 100000 bytes instead of 9223372036854775807."),
            (.min, ""),
        ])
    func anotherSizeLeavesNoFile(
        _ transport: TransportUnderTest, _ size: (wanted: Int64, text: String)
    ) async throws {
        for options: ServiceDownloadOptions in [[], .resume, [.resume, .overwrite]] {
            server.enqueue(.data(noise(100_000)).header("ETag", "\"v1\""))
            let error = try await failure {
                try await transport.provider().download(
                    service: server.service(), to: target, options: options,
                    check: .init(size: size.wanted))
            }
            #expect(error.urlErrorCode == .badServerResponse)
            let text = size.wanted > 100_000 ? size.text : "has more than \(size.wanted) bytes."
            #expect(error.description.contains("The file \(text)"), "\(error)")
            #expect(folder.names == [])
        }
    }

    @Test(.row("D11"), arguments: TransportUnderTest.allCases)
    func anEndlessBodyIsStopped(_ transport: TransportUnderTest) async throws {
        server.enqueue(
            LoopbackResponse(body: .repeating(Data(count: 1_000), count: 1_000_000))
                .cut(.stall, afterBodyBytes: 200_000))
        let error = try await failure {
            try await transport.provider().download(
                service: server.service().patient, to: target, check: .init(size: 100_000))
        }
        #expect(error.description.contains("The file has more than 100000 bytes."))
        #expect(folder.names == [])
    }

    @Test(.row("D11"), arguments: TransportUnderTest.allCases)
    func theFileIsVerifiedBeforeItGetsItsName(_ transport: TransportUnderTest) async throws {
        try folder.write("old", to: "file.bin")
        server.enqueue(.text("new"), .text("new"), named("a.txt"))
        let seen = Locked<[String]>([])
        let (provider, folder) = (transport.provider(), folder)
        let refusing = ServiceDownloadCheck { file in
            seen { $0 += [(try? String(contentsOf: file, encoding: .utf8)) ?? ""] }
            seen { $0 += [folder.text(of: "file.bin") ?? ""] }
            throw TookTooLong()
        }
        let error = try await failure {
            try await provider.download(
                service: server.service(), to: target, options: .overwrite, check: refusing)
        }
        guard case .interceptor(is TookTooLong) = error else { throw error }
        #expect(seen { $0 } == ["new", "old"])
        #expect(folder.names == ["file.bin"] && folder.text(of: "file.bin") == "old")
        try await provider.download(
            service: server.service(), to: target, options: .overwrite, check: .init { _ in })
        #expect(folder.text(of: "file.bin") == "new")
        let other = try await failure {
            _ = try await provider.download(
                service: server.service(), into: folder.url, check: refusing)
        }
        #expect("\(other)".contains("failed") && folder.names == ["file.bin"])
    }

    /// A resumed file is checked as a whole.
    @Test(arguments: TransportUnderTest.allCases)
    func aResumedFileIsChecked(_ transport: TransportUnderTest) async throws {
        let bytes = noise(10_000)
        let rest = LoopbackResponse.data(bytes.dropFirst(4_000), statusCode: 206)
            .header("ETag", "\"v1\"").header("Content-Range", "bytes 4000-9999/10000")
        let start = LoopbackResponse.data(bytes).header("ETag", "\"v1\"")
            .cut(.close, afterBodyBytes: 4_000)
        for size: Int64 in [10_000, 9_999] {
            server.enqueue(start, rest)
            _ = try? await transport.provider().download(
                service: server.service(), to: target, options: [.resume, .overwrite])
            let task = Task {
                try await transport.provider().download(
                    service: server.service(), to: target, options: [.resume, .overwrite],
                    check: .init(size: size) { _ in })
            }
            let isComplete = (try? await task.value) != nil
            #expect(isComplete == (size == 10_000))
            #expect(folder.names == ["file.bin"])
            #expect(try Data(contentsOf: target) == bytes)
        }
    }
}
