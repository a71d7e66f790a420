// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderTesting
import ServiceProviderTransfers
import TestSupport
import TestTraits
import Testing

/// Archives that are read entry by entry, and bodies in files of their own.
@Suite(.serialized, .opensFiles, .timeLimit) struct LargeArchiveTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static func entry(_ path: String, _ content: String) -> String {
        #"{"request":{"method":"GET","url":"https://h\#(path)"},"#
            + #""response":{"status":200,"content":\#(content)}}"#
    }

    private static func archive(_ entries: String...) -> String {
        #"{"log":{"entries":[\#(entries.joined(separator: ","))]}}"#
    }

    private func provider(_ archive: String) throws -> ServiceProvider<TestService> {
        let file = try folder.write(archive, to: "calls.har")
        return ServiceProvider(interceptors: [try ServiceReplay(file: file)])
    }

    private func service(_ path: String) -> TestService {
        TestService(baseURL: "https://h", path: path)
    }

    // MARK: - Bodies in files

    @Test(arguments: ["body.bin", "resources/a b%20.json", "…"])
    func aBodyMayBeInAFile(name: String) async throws {
        try FileManager.default.createDirectory(
            at: folder.file("resources"), withIntermediateDirectories: true)
        try folder.write("in a file", to: name)
        let provider = try provider(
            Self.archive(
                Self.entry("/a", #"{"size":-1,"mimeType":"text/plain","_file":"\#(name)"}"#)))
        let response = try await provider.response(service: service("/a"))
        #expect(String(decoding: response.data, as: UTF8.self) == "in a file")
        #expect(response.header("Content-Length") == "9")
    }

    /// The text counts, as in a browser. A response without a body needs no file.
    /// Larger than the buffer of a stream.
    @Test func aLargeBodyInAFileCanBeStreamed() async throws {
        let body = noise(12 << 20)
        try folder.write(body, to: "large")
        let provider = try provider(Self.archive(Self.entry("/a", #"{"_file":"large"}"#)))
        var bytes = Data()
        for try await chunk in try await provider.stream(service: service("/a")) { bytes += chunk }
        #expect(bytes == body)
    }

    #if os(Linux)
    /// It could be larger than memory.
    @Test func aLargeFileThatIsNoArchiveIsNotKeptInMemory() async throws {
        let file = folder.file("other")
        try folder.write("", to: "other")
        #expect(truncate(file.path, off_t(sanitized(64 << 20))) == 0)
        await #expect(processExitsWith: .success) { [path = file.path as String] in
            let before = try #require(ProcessUsage.peakBytes)
            let error = try #require(throws: ServiceError.self) {
                try ServiceRecorder(file: URL(fileURLWithPath: path))
            }
            #expect(error.description.contains("isn't an HTTP Archive, so it isn't replaced"))
            let growth = try #require(ProcessUsage.peakBytes) - before
            #expect(growth < 50 << 20, "\(growth)")
        }
    }
    #endif

    @Test func aFileIsReadOnlyForABody() async throws {
        let content = #"{"text":"in the archive","_file":"none"}"#
        let empty = Self.entry("/b", #"{"_file":"none"}"#)
            .replacingOccurrences(of: "200", with: "204")
        let provider = try provider(Self.archive(Self.entry("/a", content), empty))
        #expect(try await provider.text(of: service("/a")) == "in the archive")
        #expect(try await provider.load(service: service("/b")).isEmpty)
    }

    @Test(
        .row("H11"),
        arguments: [
            "/etc/passwd", "../outside", "a/../../outside", "", ".", "a//b", "./a", "link",
            "folder/outside",
        ])
    func otherFilesAreNotRead(name: String) async throws {
        let inner = folder.file("inner")
        try FileManager.default.createDirectory(
            at: inner.appendingPathComponent("a"), withIntermediateDirectories: true)
        try folder.write("secret", to: "outside")
        try folder.write("secret", to: "inner/a/b")
        let manager = FileManager.default
        for (link, target) in [("link", "../outside"), ("folder", "..")] {
            let path = inner.appendingPathComponent(link).path
            try manager.createSymbolicLink(atPath: path, withDestinationPath: target)
        }
        let har = Self.archive(Self.entry("/a", #"{"_file":"\#(name)"}"#))
        let file = try folder.write(har, to: "inner/calls.har")
        let provider = ServiceProvider<TestService>(interceptors: [try ServiceReplay(file: file)])
        let error = try await provider.failure(of: service("/a"))
        let reason =
            "'log.entries.0.response.content._file' isn't a file beside the archive"
        #expect(Self.replayError(error) == .invalidArchive(reason))
    }

    private static func replayError(_ error: ServiceError) -> ServiceReplayError? {
        guard case .interceptor(let cause) = error else { return nil }
        return cause as? ServiceReplayError
    }

    @Test(.row("H11"), arguments: ["missing", "folder", "pipe"])
    func aFileThatCannotBeReadIsAnError(kind: String) async throws {
        switch kind {
        case "folder":
            try FileManager.default.createDirectory(
                at: folder.file("secret-name"), withIntermediateDirectories: false)
        case "pipe": #expect(mkfifo(folder.file("secret-name").path, 0o600) == 0)
        default: break
        }
        let provider = try provider(
            Self.archive(Self.entry("/a", #"{"_file":"secret-name"}"#)))
        let error = try await within(seconds: 60) {
            try await provider.failure(of: service("/a"))
        }
        #expect(error.description.contains("'log.entries.0.response.content._file' can't be read"))
        #expect(!error.description.contains("secret-name"))
    }

    @Test func anArchiveInMemoryHasNoFiles() async throws {
        let har = Self.archive(Self.entry("/a", #"{"_file":"a"}"#))
        let replay = try ServiceReplay(data: Data(har.utf8))
        let provider = ServiceProvider<TestService>(interceptors: [replay])
        let error = try await provider.failure(of: service("/a"))
        #expect(Self.replayError(error) == .bodyMissing("GET /a"))
    }

    /// A file of 20 MB goes to a sink in pieces, so memory never holds all of it.
    @Test func aFileIsReadInPieces() async throws {
        final class Pieces: ServiceBodySink {
            let data = Locked<[Data]>([])
            var destination: ServiceBodyDestination { .sink }
            func didSend(_ sent: Int64) {}
            func begin(_: ServiceResponse, control: ServiceTransferControl) {}
            func receive(_ chunk: Data) { data { $0.append(chunk) } }
            func end(_ error: (any Error)?) {}
        }
        let block = Data((0..<20_000).map { UInt8(truncatingIfNeeded: $0 / 100) })
        var body = Data()
        for _ in 0..<1_000 {
            body.append(block)
        }
        try folder.write(body, to: "large")
        let provider = try provider(Self.archive(Self.entry("/a", #"{"_file":"large"}"#)))
        let pieces = Pieces()
        var service = service("/a")
        service.change = { request in
            request.bodySink = pieces
        }
        #expect(try await provider.load(service: service).isEmpty)
        let found = pieces.data { $0 }
        // Not in the expectation, which would list the differences of 20 MB.
        let isWhole = found.reduce(into: Data()) { $0.append($1) } == body
        #expect(isWhole)
        #expect(found.allSatisfy { $0.count <= 1 << 20 })
    }

    // MARK: - Entries

    /// Only the entries are read one by one, whatever else the archive has.
    @Test func entriesAreFoundAmongOtherMembers() async throws {
        let trap = #"{"log":{"entries":["x"]},"entries":[1,{"a":"]}\"[{\\"}]}"#
        let text = #"{"text":"quote \" bracket ]}, backslash \\","entries":[{}]}"#
        let har = """
            {"before":\(trap),"log":{"pages":[\(trap),[]],"_entries":[3],"creator":\(trap),
            "entries" : [ \(Self.entry("/a", text)) ,
            \(Self.entry("/b", #"{"text":"b"}"#))\t] ,"comment":"entries"},"entries":[4],"after":\(trap)}
            """
        let provider = try provider(har)
        let found = try await provider.text(of: service("/a"))
        #expect(found == #"quote " bracket ]}, backslash \"#)
        #expect(try await provider.text(of: service("/b")) == "b")
    }

    @Test func namesMayBeEscaped() async throws {
        let har = Self.archive(Self.entry("/a", #"{"text":"a"}"#))
            .replacingOccurrences(of: "log", with: #"\u006c\u006f\u0067"#)
            .replacingOccurrences(of: "entries", with: #"entr\u0069es"#)
        #expect(try await provider(har).text(of: service("/a")) == "a")
    }

    @Test(
        arguments: [
            (#"{"log":{"entries":[ \#n ]}}"#, nil),
            (#"{"log":{"entries":[1]}}"#, "'log.entries.0' has the wrong type"),
            (#"{"log":{"entries":[null]}}"#, "'log.entries.0' is null"),
            (#"{"log":{"entries":[{]}}"#, "it isn't JSON"),
            (#"{"log":{"entries":[,]}}"#, "it isn't JSON"),
            (#"{"log":{"entries":[{},]}}"#, "'log.entries.0.request' is missing"),
            (#"{"log":{"entries":[{}{}]}}"#, "it isn't JSON"),
            (#"{"log":{"entries":["\#(entry("/a", "{}"))"#, "it isn't JSON"),
            (#"{"log":{"entries":[]}"#, "it isn't JSON"),
            (#"{"log":{"entries":[]}}}"#, "it isn't JSON"),
            (#"{"log":{"entries":[]]}}"#, "it isn't JSON"),
            (#"{"log":{"entries":{}}}"#, "'log.entries' has the wrong type"),
            (#"{"log":{"entries":null}}"#, "'log.entries' is null"),
            (archive(entry("/a", "{}"), ""), "it isn't JSON"),
            (archive(entry("/a", "{}"), "1"), "'log.entries.1' has the wrong type"),
            (archive(entry("/a", "{}"), String(repeating: "[", count: 10_000)), "it isn't JSON"),
        ] as [(String, String?)])
    func invalidListsOfEntriesAreRefused(_ har: String, _ reason: String?) throws {
        let file = try folder.write(har, to: "calls.har")
        for make in [
            { try ServiceReplay(file: file) }, { try ServiceReplay(data: Data(har.utf8)) },
        ] {
            guard let reason else {
                #expect(throws: Never.self) { _ = try make() }
                continue
            }
            let error = #expect(throws: ServiceReplayError.self) { _ = try make() }
            #expect(error == .invalidArchive(reason))
        }
    }

    @Test func utf16IsRefused() throws {
        let har = Self.archive(Self.entry("/a", "{}"))
        let data = try #require(har.data(using: .utf16))
        let error = #expect(throws: ServiceReplayError.self) { try ServiceReplay(data: data) }
        #expect(error == .invalidArchive("it isn't UTF-8"))
    }

    /// Entries of 700 KB, so that pieces of 1 MB end anywhere in them.
    @Test func entriesMayLieAcrossPieces() async throws {
        let texts = (0..<4).map { String(repeating: #"\"\\é\#($0)"#, count: 100_000) }
        let entries = texts.enumerated().map { Self.entry("/\($0)", #"{"text":"\#($1)"}"#) }
        let provider = try provider(Self.archive(entries.joined(separator: ",\n")))
        for (number, text) in texts.enumerated() {
            let found = try await provider.text(of: service("/\(number)"))
            let isWhole = found == text.replacingOccurrences(of: #"\"\\"#, with: #""\"#)
            #expect(isWhole)
        }
    }

    /// An entry is read again for each call.
    @Test(.row("H11"), arguments: ["truncated", "replaced in place", "another entry"])
    func anArchiveThatHasChangedIsAnError(change: String) async throws {
        let one = Self.archive(Self.entry("/a", #"{"text":"one"}"#))
        let provider = try provider(one)
        #expect(try await provider.text(of: service("/a")) == "one")
        let file = try FileHandle(forWritingTo: folder.file("calls.har"))
        switch change {
        case "truncated": try file.truncate(atOffset: 30)
        case "another entry":
            try file.write(
                contentsOf: Data(one.replacingOccurrences(of: "//h/a", with: "//h/b").utf8))
        default: try file.write(contentsOf: Data(one.map { _ in " " }.joined().utf8))
        }
        let error = try await provider.failure(of: service("/a"))
        #expect(
            Self.replayError(error) == .invalidArchive("it has changed since it was opened"))
    }

    /// A file with the same name doesn't matter.
    @Test func anArchiveThatIsReplacedStaysReadable() async throws {
        let provider = try provider(Self.archive(Self.entry("/a", #"{"text":"one"}"#)))
        let recorder = try ServiceRecorder(file: folder.file("calls.har"))
        #expect(recorder.failure == nil)
        #expect(try await provider.text(of: service("/a")) == "one")
    }

    #if os(Linux)
    /// Without reading it whole into memory: 64 entries of 1 MB.
    @Test(.slow, .disabled(if: isUnderThreadSanitizer || isUnderAddressSanitizer))
    func largeArchivesTakeLittleMemory() async throws {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            let name = folder.file("calls.har")
            #expect(FileManager.default.createFile(atPath: name.path, contents: nil))
            let file = try FileHandle(forWritingTo: name)
            try file.write(contentsOf: Data(#"{"log":{"entries":["#.utf8))
            let text = String(repeating: "a line of text, ", count: 1 << 16)
            for number in 0..<64 {
                let entry = LargeArchiveTests.entry("/\(number)", #"{"text":"\#(text)"}"#)
                try file.write(contentsOf: Data(((number == 0 ? "" : ",") + entry).utf8))
            }
            try file.write(contentsOf: Data("]}}".utf8))
            let before = try #require(ProcessUsage.residentBytes)
            let replay = try ServiceReplay(file: name)
            let provider = ServiceProvider<TestService>(interceptors: [replay])
            for number in 0..<64 {
                let service = TestService(baseURL: "https://h", path: "/\(number)")
                #expect(try await provider.load(service: service).count == 1 << 20)
            }
            let growth = try #require(ProcessUsage.residentBytes) - before
            #expect(growth < 32 << 20, "\(growth >> 20) MB")
        }
    }
    #endif
}
