// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderSupport
import ServiceProviderTransfers
import TestSupport
import Testing

/// Other programs, and servers, do something to the files of a download.
@Suite(.serialized, .opensFiles, .timeLimit) struct ChangedFileTests {
    static let allOptions: [ServiceDownloadOptions] = [
        [], .overwrite, .resume, [.resume, .overwrite],
    ]
    static let whole = noise(100_000)
    let server: LoopbackServer
    let folder: TemporaryFolder
    let other: TemporaryFolder
    var target: URL { folder.file("a.zip") }

    init() throws {
        server = try LoopbackServer { _ in
            LoopbackResponse.data(Self.whole).header("ETag", #""v1""#)
        }
        folder = try TemporaryFolder()
        other = try TemporaryFolder()
    }

    /// Something that another program does to the file with the bytes.
    enum Change: CaseIterable {
        case replaced, truncated, emptied, extended, removed, linked, hardLinked, pipe, folder

        func make(at path: String, victim: String) {
            switch self {
            case .truncated, .emptied, .extended:
                let size = self == .truncated ? 5 : self == .emptied ? 0 : 1_000_000
                #expect(truncate(path, off_t(size)) == 0)
                return
            default: #expect(unlink(path) == 0)
            }
            switch self {
            case .replaced:
                #expect(FileManager.default.createFile(atPath: path, contents: Data("x".utf8)))
            case .linked: #expect(symlink(victim, path) == 0)
            case .hardLinked: #expect(link(victim, path) == 0)
            case .pipe: #expect(mkfifo(path, 0o600) == 0)
            case .folder: #expect(mkdir(path, 0o700) == 0)
            default: break
            }
        }
    }

    /// The path of the file with the bytes of a running download.
    private func bytes() throws -> String {
        let name = folder.names.first { $0.hasSuffix(".new") || $0.hasSuffix(".part") }
        return folder.file(try #require(name)).path
    }

    /// Once, success was reported for a file that the download hadn't written, or with a hole, and the bytes were
    /// written into the file that a link led to.
    @Test(.row("D14", "D17"), arguments: Change.allCases, allOptions)
    func aDownloadWhoseFileWasChangedFails(
        _ change: Change, options: ServiceDownloadOptions
    ) async throws {
        let victim = try other.write("precious", to: "victim")
        // Two of them write to the same sink.
        for transport in TransportUnderTest.allCases.suffix(2) {
            let provider = transport.provider(
                Intercept { [self] request, next in
                    var request = request
                    request.bodySink = DisturbedSink(try #require(request.bodySink)) {
                        change.make(at: try bytes(), victim: victim.path)
                    }
                    return try await next(request)
                })
            let error = try await failure {
                try await provider.download(
                    service: server.service(), to: target, options: options)
            }
            #expect(error.urlErrorCode == .cannotWriteToFile, "\(error)")
            #expect(other.text(of: "victim") == "precious")
            #expect(!folder.names.contains("a.zip"))
            // Nothing that was left behind stops the next one. (Without a program that removes the folder, that is.)
            if change == .folder { rmdir(try bytes()) }
            try await transport.provider().download(
                service: server.service(), to: target, options: options)
            #expect(try Data(contentsOf: target) == Self.whole)
            for name in folder.names { try FileManager.default.removeItem(at: folder.file(name)) }
        }
        #expect(other.text(of: "victim") == "precious")
    }

    /// Not even with a file that is removed immediately.
    @Test(
        arguments: [Change.truncated, .emptied, .extended],
        allOptions.filter { $0.contains(.overwrite) })
    func aChangedFileDoesNotReplaceAnother(
        _ change: Change, options: ServiceDownloadOptions
    ) async throws {
        try folder.write("old", to: "a.zip")
        let provider = TransportUnderTest.ownSession.provider(
            Intercept { [self] request, next in
                var request = request
                request.bodySink = DisturbedSink(try #require(request.bodySink)) {
                    change.make(at: try bytes(), victim: "")
                }
                return try await next(request)
            })
        let error = try await failure {
            try await provider.download(service: server.service(), to: target, options: options)
        }
        #expect(error.urlErrorCode == .cannotWriteToFile)
        #expect(folder.text(of: "a.zip") == "old")
    }

    /// Removing bytes from the end would add zeros.
    @Test(.row("D17")) func aShortenedFileIsNotMadeLonger() async throws {
        let path = folder.file(".a.zip.part").path
        let server = try LoopbackServer { request in
            let response = LoopbackResponse.data(Self.whole).header("ETag", #""v1""#)
            guard request.header("Range") == "bytes=40000-" else {
                return response.cut(.close, afterBodyBytes: 40_000)
            }
            #expect(truncate(path, 10) == 0)
            return LoopbackResponse.data(Self.whole.dropFirst(30_000), statusCode: 206)
                .header("ETag", #""v1""#).header("Content-Range", "bytes 30000-99999/100000")
        }
        let provider = TransportUnderTest.ownSession.provider()
        for code in [URLError.Code.networkConnectionLost, .cannotWriteToFile] {
            let error = try await failure {
                try await provider.download(service: server.service(), to: target, options: .resume)
            }
            #expect(code == .networkConnectionLost || error.urlErrorCode == code, "\(error)")
        }
        #expect(server.requests.count == 2)
        #expect(!folder.names.contains("a.zip"))
    }

    /// Another program's file, by its second name.
    @Test(.row("D14")) func notesThatAreAnotherFileAreReplaced() async throws {
        let victim = try other.write("precious", to: "victim")
        #expect(link(victim.path, folder.file(".a.zip.part.etag").path) == 0)
        let provider = TransportUnderTest.ownSession.provider()
        try await provider.download(service: server.service(), to: target, options: .resume)
        #expect(try Data(contentsOf: target) == Self.whole)
        #expect(other.text(of: "victim") == "precious")
    }

    /// Before the first byte has arrived.
    @Test(.row("D14"), arguments: Change.allCases, allOptions)
    func aLinkIsNotFollowedIfItAppearsBeforeTheResponse(
        _ change: Change, options: ServiceDownloadOptions
    ) async throws {
        let victim = try other.write("precious", to: "victim")
        let provider = TransportUnderTest.ownSession.provider(
            Intercept { [self] request, next in
                // The first attempt has the path of the file, the second one its bytes.
                _ = try? await next(request)
                change.make(at: try bytes(), victim: victim.path)
                return try await next(request)
            })
        // Bytes that are missing are requested again.
        let isHarmless = [.truncated, .emptied, .extended].contains(change)
        let call = Task {
            try await provider.download(service: server.service(), to: target, options: options)
        }
        _ = await call.result
        #expect(other.text(of: "victim") == "precious")
        let result = try? Data(contentsOf: target)
        #expect(result == nil || isHarmless && result == Self.whole)
    }

    /// Another program's link, which is an error before the download, too.
    @Test(arguments: [ServiceDownloadOptions.overwrite, [.overwrite, .resume]])
    func aLinkThatAppearsIsNotReplaced(_ options: ServiceDownloadOptions) async throws {
        let victim = try other.write("precious", to: "victim")
        let provider = TransportUnderTest.ownSession.provider(
            Intercept { [target] request, next in
                #expect(symlink(victim.path, target.path) == 0)
                return try await next(request)
            })
        let error = try await failure {
            try await provider.download(service: server.service(), to: target, options: options)
        }
        #expect(error.description.contains("is a symbolic link, which isn't replaced"))
        let type = try FileManager.default.attributesOfItem(atPath: target.path)[.type]
        #expect(type as? FileAttributeType == .typeSymbolicLink)
    }

    @Test func aDownloadWithoutBytesLeavesNoNotes() async throws {
        try FileManager.default.createDirectory(
            at: folder.file(".a.zip.part"), withIntermediateDirectories: false)
        let provider = TransportUnderTest.ownSession.provider()
        let error = try await failure {
            try await provider.download(service: server.service(), to: target, options: .resume)
        }
        #expect(error.isFileError)
        #expect(folder.names == [".a.zip.part"])
    }

    /// Others could lock notes that are open to them.
    @Test func notesThatAreOpenToOthersAreClosed() async throws {
        let notes = folder.file(".a.zip.part.etag")
        try folder.write("", to: notes.lastPathComponent)
        #expect(chmod(notes.path, 0o666) == 0)
        let provider = TransportUnderTest.ownSession.provider(
            Intercept { request, next in
                #expect(ServiceFileItem(notes.path)?.isPrivate == true)
                return try await next(request)
            })
        try await provider.download(service: server.service(), to: target, options: .resume)
        #expect(try Data(contentsOf: target) == Self.whole)
    }

    /// A download by the name that a server suggests once replaced the bytes and the notes of another one.
    @Test(.row("D18"), arguments: [ServiceDownloadOptions.resume, []])
    func aServerCannotSuggestAFileOfAnotherDownload(
        _ options: ServiceDownloadOptions
    ) async throws {
        let suggested = Locked<[String]>([])
        let evil = try LoopbackServer { request in
            let name = request.target.dropFirst()
            return LoopbackResponse.text("EVIL")
                .header("Content-Disposition", "attachment; filename=\"\(name)\"")
        }
        let provider = TransportUnderTest.ownSession.provider(
            Intercept { [self] request, next in
                for name in folder.names {
                    suggested { $0.append(name) }
                    for name in [name, name.replacingOccurrences(of: ".a.zip", with: "a.zip")] {
                        _ = try await TransportUnderTest.ownSession.provider().download(
                            service: evil.service("/\(name)"), into: folder.url,
                            options: .overwrite)
                    }
                }
                return try await next(request)
            })
        try await provider.download(service: server.service(), to: target, options: options)
        #expect(try Data(contentsOf: target) == Self.whole)
        #expect(!suggested { $0 }.isEmpty)
        #expect(suggested { $0 }.allSatisfy { $0.hasPrefix(".") })
        #expect(folder.names.allSatisfy { !$0.hasPrefix(".") })
    }

    // MARK: - Files that other programs leave or lock

    /// Opening a FIFO once waited for ever.
    @Test(.row("D19"), arguments: allOptions) func aPipeDoesNotStopADownload(
        _ options: ServiceDownloadOptions
    ) async throws {
        for name in [".a.zip.part", ".a.zip.part.etag", ".a.zip.0.new"] {
            #expect(mkfifo(folder.file(name).path, 0o600) == 0)
        }
        try await TransportUnderTest.ownSession.provider().download(
            service: server.service(), to: target, options: options)
        #expect(try Data(contentsOf: target) == Self.whole)
    }

    /// A reader of a file can lock it.
    @Test(.row("D19"), arguments: allOptions) func aReaderWithALockDoesNotStopADownload(
        _ options: ServiceDownloadOptions
    ) async throws {
        var locked: [Int32] = []
        for name in [".a.zip.part", ".a.zip.0.new"] {
            let file = try folder.write("left behind", to: name)
            let descriptor = open(file.path, O_RDONLY)
            #expect(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
            locked.append(descriptor)
        }
        defer { locked.forEach { _ = close($0) } }
        try await TransportUnderTest.ownSession.provider().download(
            service: server.service(), to: target, options: options)
        #expect(try Data(contentsOf: target) == Self.whole)
    }

    /// Other users can't lock the notes.
    @Test func onlyTheUserCanReadTheNotes() async throws {
        let folder = folder
        let provider = TransportUnderTest.ownSession.provider(
            Intercept { request, next in
                let file = folder.file(".a.zip.part.etag").path
                let attributes = try FileManager.default.attributesOfItem(atPath: file)
                #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
                return try await next(request)
            })
        try await provider.download(service: server.service(), to: target, options: .resume)
    }

    /// The files of processes that were killed.
    @Test(.row("D20"), arguments: allOptions) func filesLeftBehindAreRemoved(
        _ options: ServiceDownloadOptions
    ) async throws {
        let provider = TransportUnderTest.ownSession.provider()
        let names = [0, 1, 3, 8].map { "a.zip.\($0).new" }
        for name in names { try folder.write("left behind", to: ".\(name)") }
        // The plain download removes them.
        try await provider.download(service: server.service(), to: target, options: options)
        if options.contains(.resume) {
            try await provider.download(service: server.service(), to: target, options: .overwrite)
        }
        #expect(folder.names == ["a.zip"])
        for number in 0..<3 { try folder.write("left behind", to: ".download.\(number).new") }
        _ = try await provider.download(
            service: server.service("/b.zip"), into: folder.url,
            options: options.subtracting(.resume))
        #expect(folder.names == ["a.zip", "b.zip"])
    }

    @Test func fiftyDownloadsToOneFileRunAtTheSameTime() async throws {
        let provider = TransportUnderTest.ownSession.provider()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<50 {
                group.addTask { [self] in
                    let service = server.service("/\(number).zip")
                    _ = try await provider.download(service: service, into: folder.url)
                }
            }
            try await group.waitForAll()
        }
        #expect(folder.names.count == 50)
        #expect(folder.names.allSatisfy { !$0.hasPrefix(".") })
    }

    /// As those of any other new file.
    @Test(arguments: allOptions) func theFileHasTheUsualPermissions(
        _ options: ServiceDownloadOptions
    ) async throws {
        try await TransportUnderTest.ownSession.provider().download(
            service: server.service(), to: target, options: options)
        let usual = try folder.write("b", to: "b")
        let permissions = try [target, usual].map {
            try FileManager.default.attributesOfItem(atPath: $0.path)[.posixPermissions]
                as? NSNumber
        }
        #expect(permissions[0] == permissions[1])
    }

    /// A hole would have zeros.
    @Test(.row("D17"), arguments: [0, 39_999, 40_001, 100_000])
    func keptBytesOfAnotherSizeAreNotContinued(_ size: Int) async throws {
        let cut = try LoopbackServer { request in
            guard request.header("Range") == nil else { return .statusCode(500) }
            return LoopbackResponse.data(Self.whole).header("ETag", #""v1""#)
        }
        cut.enqueue(
            LoopbackResponse.data(Self.whole).header("ETag", #""v1""#)
                .cut(.close, afterBodyBytes: 40_000))
        let provider = TransportUnderTest.ownSession.provider()
        _ = try? await provider.download(service: cut.service(), to: target, options: .resume)
        #expect(truncate(folder.file(".a.zip.part").path, off_t(size)) == 0)
        try await provider.download(service: cut.service(), to: target, options: .resume)
        #expect(try Data(contentsOf: target) == Self.whole)
    }

    /// Only the administrator can give a file to somebody else.
    @Test(.enabled(if: geteuid() == 0)) func filesOfAnotherUserAreNotContinued() async throws {
        let provider = TransportUnderTest.ownSession.provider()
        let notes = folder.file(".a.zip.part.etag")
        try folder.write("a part", to: ".a.zip.part")
        try folder.write("\"v1\"\n1\n2\n\n", to: notes.lastPathComponent)
        #expect(chown(notes.path, 1, 1) == 0)
        let error = try await failure {
            try await provider.download(service: server.service(), to: target, options: .resume)
        }
        #expect(error.isFileError)
        #expect(error.description.contains("a download of another user"))
        #expect(folder.names == [".a.zip.part", ".a.zip.part.etag"])
    }
}

/// Does something after the first chunk of a body.
private final class DisturbedSink: ServiceBodySink {
    private let inner: any ServiceBodySink
    private let disturb: @Sendable () throws -> Void
    private let isDone = Locked(false)

    init(_ inner: any ServiceBodySink, disturb: @escaping @Sendable () throws -> Void) {
        self.inner = inner
        self.disturb = disturb
    }

    var destination: ServiceBodyDestination { inner.destination }
    func didSend(_ sent: Int64) { inner.didSend(sent) }
    func begin(_ response: ServiceResponse, control: ServiceTransferControl) throws {
        try inner.begin(response, control: control)
    }
    func receive(_ chunk: Data) throws {
        try inner.receive(chunk)
        let isFirst = isDone { isDone in
            defer { isDone = true }
            return !isDone
        }
        if isFirst { try disturb() }
    }
    func end(_ error: (any Error)?) { inner.end(error) }
}
