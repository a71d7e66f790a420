// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderTransfers
import TestSupport
import Testing

@Suite(.serialized, .opensFiles, .timeLimit) struct DownloadTests {
    let server: LoopbackServer
    let folder: TemporaryFolder
    var target: URL { folder.file("file.bin") }

    init() throws {
        server = try LoopbackServer()
        folder = try TemporaryFolder()
    }

    @Test(.row("D1"), arguments: TransportUnderTest.allCases, [0, 1, 16_384, 5_000_000])
    func theWholeBodyIsInTheFile(_ transport: TransportUnderTest, size: Int) async throws {
        let bytes = noise(size)
        for served in [
            LoopbackResponse.data(bytes), .data(bytes).chunked(), .data(bytes).untilClose(),
        ] {
            server.enqueue(served.header("Content-Disposition", "attachment; filename=other"))
            let response = try await transport.provider()
                .download(service: server.service("/file"), to: target, options: .overwrite)
            #expect(response.statusCode == 200)
            #expect(response.header("content-disposition") == "attachment; filename=other")
            #expect(response.data.isEmpty)
            #expect(try Data(contentsOf: target) == bytes)
            #expect(folder.names == ["file.bin"])
        }
    }

    @Test(arguments: TransportUnderTest.allCases)
    func handlersOfDownloadsRunOnTheMainQueue(_ transport: TransportUnderTest) async throws {
        server.enqueue(.text("hello"))
        let provider = transport.provider()
        let result = await withCheckedContinuation { continuation in
            provider.download(service: server.service(), to: target) { result in
                MainActor.assertIsolated()
                dispatchPrecondition(condition: .onQueue(.main))
                continuation.resume(returning: result)
            }
        }
        #expect(result.value?.statusCode == 200)
        #expect(folder.text(of: "file.bin") == "hello")
    }

    @Test(.row("D7"), arguments: TransportUnderTest.allCases)
    func theBodyOfAFailureIsInTheErrorAndNotInTheFile(_ transport: TransportUnderTest) async throws
    {
        server.enqueue(.json(#"{"message": "gone"}"#, statusCode: 410))
        let error = await failure(transport.provider())
        #expect(error?.statusCode == 410)
        #expect(error?.response?.data == Data(#"{"message": "gone"}"#.utf8))
        #expect(folder.names == [])
    }

    @Test(
        .row("D7"),
        arguments: TransportUnderTest.allCases,
        [
            LoopbackResponse.data(noise(100_000)).cut(.close, afterBodyBytes: 50_000),
            .data(noise(100_000)).cut(.reset, afterBodyBytes: 1),
            .data(noise(100_000)).chunked().cut(.close, afterBodyBytes: 99_999),
            .text("x").cut(.close, afterHeaderBytes: 0),
        ])
    func interruptedDownloadsLeaveNoFile(
        _ transport: TransportUnderTest, response: LoopbackResponse
    ) async throws {
        try folder.write("old", to: "other.bin")
        server.enqueue(response)
        let error = await failure(transport.provider())
        #expect(error?.urlErrorCode != nil)
        #expect(folder.names == ["other.bin"])

        try folder.write("old", to: "file.bin")
        server.enqueue(response)
        #expect(await failure(transport.provider(), .overwrite)?.urlErrorCode != nil)
        #expect(folder.text(of: "file.bin") == "old")
        #expect(folder.names == ["file.bin", "other.bin"])
    }

    #if os(Linux) || os(macOS)
    /// Runs in its own process, because the file size limit applies to the whole process.
    @Test func aFullDiskEndsADownload() async {
        await #expect(processExitsWith: .success) {
            for transport in TransportUnderTest.allCases {
                let tests = try DownloadTests()
                tests.server.enqueue(.data(noise(1_000_000)))
                let error = try await withFileSizeLimit(100_000) {
                    await tests.failure(transport.provider())
                }
                let text = error?.description ?? ""
                guard text.hasPrefix("The file can't be read or written.") else { exit(2) }
                guard text.contains("File too large") else { exit(3) }
                guard tests.folder.names.isEmpty else { exit(4) }
            }
        }
    }
    #endif

    /// The system's texts end in a period, too.
    @Test func aTextEndsInOnePeriod() async throws {
        let error = try await TestSupport.failure {
            try await ServiceProvider<TestService>().download(
                service: server.service(), to: URL(fileURLWithPath: "/proc/none/a"),
                options: .createFolders)
        }
        #expect(error.isFileError)
        #expect(error.description.hasSuffix(".") && !error.description.hasSuffix(".."))
    }

    @Test(.row("D7"), arguments: TransportUnderTest.allCases)
    func cancelledDownloadsLeaveNoFile(_ transport: TransportUnderTest) async throws {
        server.enqueue(.data(noise(100_000)).cut(.stall, afterBodyBytes: 50_000))
        let arrived = Locked<CheckedContinuation<Void, Never>?>(nil)
        let provider = transport.provider(
            Intercept.changing {
                $0.reportProgress { progress in
                    if progress.received >= 50_000 { arrived { $0.take() }?.resume() }
                }
            })
        let result = await withCheckedContinuation { end in
            let call = Locked<Task<Void, Never>?>(nil)
            Task {
                await withCheckedContinuation { continuation in
                    arrived { $0 = continuation }
                    let service = server.service().patient
                    let task = provider.download(service: service, to: target) {
                        end.resume(returning: $0)
                    }
                    call { $0 = task }
                }
                #expect(folder.names.count == 1)
                call { $0 }?.cancel()
            }
        }
        #expect(result.isCancelled)
        #expect(folder.names == [])
    }

    @Test(arguments: TransportUnderTest.allCases)
    func aDownloadSentAgainStartsItsFileAgain(_ transport: TransportUnderTest) async throws {
        server.enqueue(
            .data(noise(90_000)).cut(.close, afterBodyBytes: 60_000), .data(noise(10_000)))
        let again = Intercept { request, next in
            do { return try await next(request) } catch { return try await next(request) }
        }
        try await transport.provider(again).download(service: server.service(), to: target)
        #expect(try Data(contentsOf: target) == noise(10_000))
    }

    @Test func aResponseInMemoryIsWrittenToTheFile() async throws {
        let stub = Intercept { request, _ in
            ServiceResponse(request: request, statusCode: 200, data: Data("from memory".utf8))
        }
        try await TransportUnderTest.ownSession.provider(stub)
            .download(service: server.service(), to: target)
        #expect(folder.text(of: "file.bin") == "from memory")
        #expect(server.isUntouched)
    }

    // MARK: - Files that can't be written

    @Test(.row("D7")) func anExistingFileIsKept() async throws {
        try folder.write("old", to: "file.bin")
        let error = await failure(TransportUnderTest.ownSession.provider())
        #expect(error?.isFileError == true)
        #expect(error?.description == "Invalid file: '\(target.path)' exists already.")
        #expect(folder.text(of: "file.bin") == "old")
        #expect(server.isUntouched)
    }

    @Test func aFileCreatedDuringTheDownloadIsKept() async throws {
        server.enqueue(.text("new"))
        let meanwhile = Intercept { request, next in
            try Data("old".utf8).write(to: target)
            return try await next(request)
        }
        let error = await failure(TransportUnderTest.ownSession.provider(meanwhile))
        #expect(error?.urlErrorCode == .cannotMoveFile)
        let text = "The file can't be read or written. (URLError -3005): "
        #expect(error?.description.hasPrefix(text) == true, "\(error as Any)")
        #expect(folder.text(of: "file.bin") == "old")
        #expect(folder.names == ["file.bin"])
    }

    @Test(arguments: [ServiceDownloadOptions(), .overwrite, [.overwrite, .createFolders, .resume]])
    func aFolderIsNotReplaced(_ options: ServiceDownloadOptions) async throws {
        try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
        let error = await failure(TransportUnderTest.ownSession.provider(), options)
        #expect(error?.isFileError == true)
        #expect(server.isUntouched)
    }

    /// Only a regular file is replaced.
    @Test(.row("D14"), arguments: ["/", "b.bin", "/nowhere"])
    func aSymbolicLinkIsNotReplaced(_ destination: String) async throws {
        try folder.write("old", to: "b.bin")
        try FileManager.default.createSymbolicLink(
            atPath: target.path, withDestinationPath: destination)
        for options: ServiceDownloadOptions in [[], .overwrite, [.overwrite, .resume]] {
            let error = await failure(TransportUnderTest.ownSession.provider(), options)
            let problem = "is a symbolic link, which isn't replaced"
            #expect(error?.description == "Invalid file: '\(target.path)' \(problem).")
        }
        #expect(folder.text(of: "b.bin") == "old")
        #expect(folder.names == ["b.bin", "file.bin"])
        #expect(server.isUntouched)
    }

    @Test func foldersAreCreatedOnRequest() async throws {
        let deep = folder.file("a/b/c.bin")
        let provider = TransportUnderTest.ownSession.provider()
        let error = await failure(provider, to: deep)
        #expect(error?.isFileError == true)
        let missing = deep.deletingLastPathComponent().path
        #expect(error?.description == "Invalid file: the folder '\(missing)' doesn't exist.")
        #expect(error?.localizedDescription == "The file can't be read or written.")
        #expect(folder.names == [])
        #expect(server.isUntouched)

        server.enqueue(.text("deep"))
        try await provider.download(service: server.service(), to: deep, options: .createFolders)
        #expect(folder.text(of: "a/b/c.bin") == "deep")
    }

    @Test(arguments: ["https://example.com/file.bin", "/dev/null/file.bin", "file:///"])
    func invalidTargetsAreRefused(_ text: String) async throws {
        let url = try text.hasPrefix("/") ? URL(fileURLWithPath: text) : #require(URL(string: text))
        let options: ServiceDownloadOptions = [.createFolders, .resume]
        let error = await failure(TransportUnderTest.ownSession.provider(), options, to: url)
        #expect(error?.isFileError == true)
        #expect(server.isUntouched)
    }

    private func failure(
        _ provider: ServiceProvider<TestService>, _ options: ServiceDownloadOptions = [],
        to url: URL? = nil
    ) async -> ServiceError? {
        do {
            try await provider.download(
                service: server.service(), to: url ?? target, options: options)
            return nil
        } catch {
            return ServiceError(error)
        }
    }
}
