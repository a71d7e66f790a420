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

/// An interrupted download continues where it stopped or starts again. The file never mixes two
/// versions.
@Suite(.serialized, .opensFiles, .timeLimit) struct ResumeTests {
    static let etag = #""v1""#
    static let whole = noise(100_000)
    let server: LoopbackServer
    let folder: TemporaryFolder
    var target: URL { folder.file("film.mp4") }

    init() throws {
        server = try LoopbackServer()
        folder = try TemporaryFolder()
    }

    private func download(_ transport: TransportUnderTest) async throws {
        try await transport.provider()
            .download(service: server.service("/film").patient, to: target, options: .resume)
    }

    /// Runs a first attempt that ends after 40,000 bytes.
    private func interrupt(_ transport: TransportUnderTest, etag: String? = Self.etag) async {
        var response = LoopbackResponse.data(Self.whole)
        if let etag { response = response.header("ETag", etag) }
        server.enqueue(response.cut(.close, afterBodyBytes: 40_000))
        await #expect(throws: ServiceError.self) { try await download(transport) }
    }

    static func rest(
        from start: Int = 40_000, range: String? = "bytes 40000-99999/100000",
        etag: String? = Self.etag
    ) -> LoopbackResponse {
        var response = LoopbackResponse.data(whole.dropFirst(start), statusCode: 206)
        if let range { response = response.header("Content-Range", range) }
        if let etag { response = response.header("ETag", etag) }
        return response
    }

    /// The other origin may have a different version of the file.
    @Test(.row("D8"), arguments: TransportUnderTest.allCases)
    func theRestIsNotRequestedFromAnotherOrigin(_ transport: TransportUnderTest) async throws {
        await interrupt(transport)
        let other = try LoopbackServer { request in
            guard request.header("Range") == nil else { return Self.rest() }
            return .text("another film").header("ETag", Self.etag)
        }
        server.enqueue(.redirect(to: "\(other.baseURL)/film"))
        try await download(transport)
        #expect(folder.text(of: "film.mp4") == "another film")
        #expect(folder.names == ["film.mp4"])
        #expect(other.requests.map { $0.header("If-Range") } == [nil])
    }

    @Test(.row("D6", "C24"), arguments: TransportUnderTest.allCases)
    func aResumedDownloadContinuesWhereItStopped(_ transport: TransportUnderTest) async throws {
        await interrupt(transport)
        #expect(folder.names == [".film.mp4.part", ".film.mp4.part.etag"])
        #expect(try Data(contentsOf: folder.file(".film.mp4.part")) == Self.whole.prefix(40_000))

        server.enqueue(Self.rest().cut(.reset, afterBodyBytes: 20_000))
        await #expect(throws: ServiceError.self) { try await download(transport) }
        let size = try Data(contentsOf: folder.file(".film.mp4.part")).count
        #expect((40_000...60_000).contains(size))

        server.enqueue(Self.rest(from: size, range: "bytes \(size)-99999/100000"))
        try await download(transport)
        #expect(try Data(contentsOf: target) == Self.whole)
        #expect(folder.names == ["film.mp4"])

        let ranges = server.requests.map { $0.header("Range") }
        #expect(ranges == [nil, "bytes=40000-", "bytes=\(size)-"])
        #expect(server.requests.map { $0.header("If-Range") } == [nil, Self.etag, Self.etag])
        #expect(server.requests.allSatisfy { $0.header("Accept-Encoding") == "identity" })
    }

    /// The response to the request for the rest, and whether the whole file is requested
    /// afterwards.
    static let disagreements: [(LoopbackResponse, Bool)] = [
        (.data(noise(50_000)).header("ETag", #""v2""#), false),
        (.data(noise(50_000)), false),
        (rest(from: 50_000, range: "bytes 50000-99999/100000"), true),
        (rest(range: nil), true),
        (rest(range: "bytes */100000"), true),
        (rest(range: "items 0-5/10"), true),
        (rest(range: "bytes 99999999999999999999-5/10"), true),
        (rest(range: "bytes"), true),
        (rest(etag: #""v2""#), true),
        (rest(etag: nil), true),
        (rest(range: "bytes 40000-99999/99999"), true),
        (rest(range: "bytes 40000-39999/*"), true),
        (rest(range: "bytes 40000-99999"), true),
        (.statusCode(416).header("Content-Range", "bytes */100000"), true),
        (.statusCode(416), true),
    ]

    @Test(.row("D2", "D4", "D5"), arguments: TransportUnderTest.allCases, disagreements.indices)
    func aDownloadStartsAgainIfTheRestDoesNotFit(
        _ transport: TransportUnderTest, index: Int
    ) async throws {
        let (response, asksAgain) = Self.disagreements[index]
        await interrupt(transport)
        server.enqueue(response)
        if asksAgain { server.enqueue(.data(noise(50_000))) }
        try await download(transport)
        #expect(try Data(contentsOf: target) == noise(50_000))
        #expect(folder.names == ["film.mp4"])
        #expect(server.requests.count == (asksAgain ? 3 : 2))
        #expect(server.requests.last?.header("Range") == (asksAgain ? nil : "bytes=40000-"))
    }

    /// Two resources may have the same tag, such as a number of their version.
    @Test(.row("D8"), arguments: TransportUnderTest.allCases)
    func theRestIsNotRequestedFromAnotherURL(_ transport: TransportUnderTest) async throws {
        var others = [server.service("/other"), server.service("/film")]
        others[1].parameters = ["id": 2]
        for other in others {
            await interrupt(transport)
            server.enqueue(.data(noise(50_000)).header("ETag", Self.etag))
            try await transport.provider().download(
                service: other.patient, to: target, options: [.resume, .overwrite])
            #expect(try Data(contentsOf: target) == noise(50_000))
            #expect(server.requests.last?.header("Range") == nil)
            try FileManager.default.removeItem(at: target)
        }
    }

    /// The redirect may lead to another file with the same tag, such as a newer build.
    @Test(.row("D8"), arguments: TransportUnderTest.allCases)
    func theRestComesFromTheSameURLAfterARedirect(_ transport: TransportUnderTest) async throws {
        for (name, isSame) in [("/1", true), ("/2", false)] {
            server.enqueue(.redirect(to: "/1"))
            await interrupt(transport)
            server.enqueue(.redirect(to: name), Self.rest())
            if !isSame { server.enqueue(.redirect(to: name), .data(noise(50_000))) }
            try await download(transport)
            let isWhole = try Data(contentsOf: target) == (isSame ? Self.whole : noise(50_000))
            #expect(isWhole, "\(name)")
            try FileManager.default.removeItem(at: target)
        }
    }

    /// Only the first request has the header.
    @Test(.row("H9"), arguments: TransportUnderTest.allCases)
    func theNotesOfADownloadHaveNoSecret(_ transport: TransportUnderTest) async throws {
        let key = canary("key")
        let other = try LoopbackServer { _ in
            LoopbackResponse.data(Self.whole).header("ETag", Self.etag)
                .cut(.close, afterBodyBytes: 40_000)
        }
        server.enqueue(.redirect(to: "\(other.baseURL)/film?ref=\(key)"))
        var service = server.service("/film").patient
        service.headers = ["Authorization": "Bearer \(key)"]
        _ = try? await transport.provider().download(
            service: service, to: target, options: .resume)
        let notes = try #require(folder.text(of: ".film.mp4.part.etag"))
        let lines = notes.split(separator: "\n")
        #expect(lines.first.map(String.init) == Self.etag)
        #expect(lines.count == 4 && lines[1] != lines[2])
        #expect(!notes.contains(key) && !notes.contains("http"))
    }

    /// A signed URL has a new signature in each call.
    @Test(arguments: TransportUnderTest.allCases)
    func aSignedURLContinues(_ transport: TransportUnderTest) async throws {
        func download(_ day: Int, _ signature: String) async throws {
            var service = server.service("/film")
            service.parameters = ["day": day, "signature": signature]
            try await transport.provider().download(
                service: service.patient, to: target, options: .resume)
        }
        let start = LoopbackResponse.data(Self.whole).header("ETag", Self.etag)
        server.enqueue(start.cut(.close, afterBodyBytes: 40_000), Self.rest())
        await #expect(throws: ServiceError.self) { try await download(1, "abcdefg") }
        let kept = try #require(folder.text(of: ".film.mp4.part.etag"))
        #expect(!kept.contains("abcdefg"))
        try await download(2, "hijklmn")
        #expect(try Data(contentsOf: target) == Self.whole)
        #expect(server.requests.map { $0.header("Range") } == [nil, "bytes=40000-"])
    }

    /// Only a query with a secret doesn't count. A user or a path may have one, too.
    @Test(arguments: ["http://user:hunter2@127.0.0.1:PORT/film", "BASE/film;jsessionid=hunter2"])
    func anotherQueryIsAnotherFile(url: String) async throws {
        let base = url.replacingOccurrences(of: "PORT", with: "\(server.port)")
            .replacingOccurrences(of: "BASE", with: server.baseURL)
        func download(_ id: Int) async throws {
            var service = TestService(baseURL: base, path: "")
            service.parameters = ["id": id]
            try await ServiceProvider<TestService>().download(
                service: service.patient, to: target, options: .resume)
        }
        let start = LoopbackResponse.data(Self.whole).header("ETag", Self.etag)
        server.enqueue(start.cut(.close, afterBodyBytes: 40_000))
        await #expect(throws: ServiceError.self) { try await download(1) }
        let notes = try #require(folder.text(of: ".film.mp4.part.etag"))
        #expect(!notes.contains("hunter2"))
        server.enqueue(.text("another film"))
        try await download(2)
        #expect(folder.text(of: "film.mp4") == "another film")
        #expect(server.requests.map { $0.header("Range") } == [nil, nil])
    }

    @Test(arguments: TransportUnderTest.allCases, [[], ServiceDownloadOptions.resume])
    func aRangeOfTheServiceIsTheFile(
        _ transport: TransportUnderTest, options: ServiceDownloadOptions
    ) async throws {
        server.enqueue(Self.rest(from: 10).cut(.close, afterBodyBytes: 40_000), Self.rest(from: 10))
        var service = server.service("/film").patient
        service.headers = ["Range": "bytes=10-"]
        for _ in 0..<2 {
            _ = try? await transport.provider().download(
                service: service, to: target, options: options)
        }
        #expect(try Data(contentsOf: target) == Self.whole.dropFirst(10))
        #expect(folder.names == ["film.mp4"])
        #expect(server.requests.map { $0.header("Range") } == ["bytes=10-", "bytes=10-"])
    }

    /// The range may start earlier than requested, if it is of the same version.
    @Test(.row("D3"), arguments: TransportUnderTest.allCases)
    func theRestMayStartEarlier(_ transport: TransportUnderTest) async throws {
        await interrupt(transport)
        server.enqueue(Self.rest(from: 10_000, range: "bytes 10000-99999/100000"))
        try await download(transport)
        #expect(try Data(contentsOf: target) == Self.whole)
    }

    /// A server may send less than was requested (RFC 9110, section 15.3.7), and needn't know the size.
    @Test(.row("D3"), arguments: TransportUnderTest.allCases, ["100000", "*"])
    func aShortRestIsContinued(_ transport: TransportUnderTest, total: String) async throws {
        await interrupt(transport)
        for start in [40_000, 60_000, 80_000] {
            let range = "bytes \(start)-\(start + 19_999)/\(total)"
            let part = Self.whole[start..<start + 20_000]
            server.enqueue(
                LoopbackResponse.data(part, statusCode: 206).header("Content-Range", range)
                    .header("ETag", Self.etag))
        }
        if total == "*" { server.enqueue(.statusCode(416)) }
        try await download(transport)
        #expect(try Data(contentsOf: target) == Self.whole)
        #expect(folder.names == ["film.mp4"])
        let ranges = [nil, "bytes=40000-", "bytes=60000-", "bytes=80000-"]
        let last = total == "*" ? ["bytes=100000-"] : []
        #expect(server.requests.map { $0.header("Range") } == ranges + last)
    }

    /// A process that was killed may have received all bytes. The last one shows whether they are of the same version.
    @Test(.row("D3"), arguments: TransportUnderTest.allCases, [true, false])
    func aCompletePartIsNotLoadedAgain(
        _ transport: TransportUnderTest, isSame: Bool
    ) async throws {
        await interrupt(transport)
        try Self.whole.write(to: folder.file(".film.mp4.part"))
        let notes = try #require(folder.text(of: ".film.mp4.part.etag"))
        try folder.write(
            notes.replacingOccurrences(of: "\n40000\n", with: "\n\n"), to: ".film.mp4.part.etag")
        let last = Self.rest(
            from: 99_999, range: "bytes 99999-99999/100000", etag: isSame ? Self.etag : #""v2""#)
        server.enqueue(.statusCode(416).header("Content-Range", "bytes */100000"), last)
        if !isSame { server.enqueue(.data(noise(50_000))) }
        try await download(transport)
        #expect(try Data(contentsOf: target) == (isSame ? Self.whole : noise(50_000)))
        #expect(folder.names == ["film.mp4"])
        let ranges = server.requests.dropFirst().map { $0.header("Range") }
        #expect(ranges == ["bytes=100000-", "bytes=99999-"] + (isSame ? [] : [nil]))
    }

    /// Asking again would be endless.
    @Test(.row("D3"), arguments: TransportUnderTest.allCases, ["100000", "*"])
    func aRestWithTheWrongNumberOfBytesIsAnError(
        _ transport: TransportUnderTest, total: String
    ) async throws {
        for count in [0, 20_000, 50_000] {
            await interrupt(transport)
            let bytes = Self.whole[40_000..<40_000 + count]
            let rest = LoopbackResponse.data(bytes, statusCode: 206).chunked()
                .header("ETag", Self.etag)
            server.enqueue(rest.header("Content-Range", "bytes 40000-69999/\(total)"))
            // Continues after 20,000 bytes.
            if count == 20_000 {
                server.enqueue(
                    LoopbackResponse.data(Data(), statusCode: 206).chunked()
                        .header("ETag", Self.etag)
                        .header("Content-Range", "bytes 60000-99999/\(total)"))
            }
            let error = try await failure { try await download(transport) }
            #expect(error.urlErrorCode == .badServerResponse)
            // The next call continues the bytes, unless there are too many, or no more than before.
            #expect(folder.names.isEmpty == (count != 20_000))
            #expect(!folder.names.contains("film.mp4"))
        }
    }

    @Test(
        .row("D4"),
        arguments: TransportUnderTest.allCases, [nil, #"W/"v1""#, "unquoted"])
    func withoutAStrongETagNoPartIsKept(
        _ transport: TransportUnderTest, etag: String?
    ) async throws {
        await interrupt(transport, etag: etag)
        #expect(folder.names == [])
    }

    @Test(arguments: TransportUnderTest.allCases)
    func withoutTheResumeOptionThePartIsNotUsed(_ transport: TransportUnderTest) async throws {
        await interrupt(transport)
        server.enqueue(.data(Self.whole))
        try await transport.provider().download(service: server.service("/film"), to: target)
        #expect(server.requests.last?.header("Range") == nil)
        #expect(server.requests.last?.header("Accept-Encoding") != "identity")
        #expect(try Data(contentsOf: target) == Self.whole)
    }

    /// A tag without its part, and a part without its tag.
    @Test(arguments: [".film.mp4.part", ".film.mp4.part.etag"])
    func aPartOrATagAloneIsNotUsed(_ missing: String) async throws {
        await interrupt(.ownSession)
        try FileManager.default.removeItem(at: folder.file(missing))
        server.enqueue(.data(noise(50_000)), .data(noise(50_000)))
        try await download(.ownSession)
        #expect(try Data(contentsOf: target) == noise(50_000))
    }

    /// The part of an earlier attempt isn't added to an interceptor's response.
    @Test(arguments: [204, 200])
    func anEmptyResponseInMemoryIsAnEmptyFile(_ status: Int) async throws {
        await interrupt(.ownSession)
        let stub = Intercept { request, _ in
            ServiceResponse(request: request, statusCode: status)
        }
        try await TransportUnderTest.ownSession.provider(stub)
            .download(service: server.service("/film"), to: target, options: .resume)
        #expect(try Data(contentsOf: target).isEmpty)
        #expect(folder.names == ["film.mp4"])
    }

    /// The file may have several paths.
    @Test(
        .row("D12"),
        arguments: ["film.mp4", "folder/../film.mp4", "link/film.mp4", "link/folder/../film.mp4"])
    func aSecondDownloadToTheSameFileIsRefused(_ path: String) async throws {
        try FileManager.default.createDirectory(
            at: folder.file("folder"), withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(
            at: folder.file("link"), withDestinationURL: folder.url)
        server.enqueue(.data(Self.whole).header("ETag", Self.etag).cut(.stall, afterBodyBytes: 1))
        let first = Task { try? await download(.ownSession) }
        _ = try await server.arrival()
        do {
            try await TransportUnderTest.ownSession.provider().download(
                service: server.service("/film").patient,
                to: URL(fileURLWithPath: folder.url.path + "/" + path), options: .resume)
            Issue.record("two downloads wrote to one file")
        } catch let error as ServiceError {
            #expect(error.isFileError)
        }
        first.cancel()
        await first.value
        server.enqueue(.data(noise(50_000)), .data(noise(50_000)))
        try await download(.ownSession)
        #expect(try Data(contentsOf: target) == noise(50_000))
    }

    /// On a connection that closes every 300 KB, downloading 1 MB once took 16 requests, because
    /// each attempt started at the call's first byte.
    @Test(.row("D9"), arguments: TransportUnderTest.allCases)
    func aRetryContinuesWhereTheLastAttemptStopped(_ transport: TransportUnderTest) async throws {
        let whole = noise(1_000_000)
        let server = try LoopbackServer { request in
            let start = request.header("Range").flatMap { Int($0.dropFirst(6).dropLast()) } ?? 0
            var response = LoopbackResponse.data(
                whole.dropFirst(start), statusCode: start > 0 ? 206 : 200)
            if start > 0 {
                response = response.header("Content-Range", "bytes \(start)-999999/1000000")
            }
            return response.header("ETag", Self.etag).cut(.close, afterBodyBytes: 300_000)
        }
        let retry = ServiceRetry(
            attempts: 5, maximumTime: .infinity, clock: TestClock(jumps: true).clock)
        try await transport.provider(retry).download(
            service: server.service("/film").patient, to: target, options: .resume)
        #expect(try Data(contentsOf: target) == whole)
        #expect(folder.names == ["film.mp4"])
        let ranges = [nil, "bytes=300000-", "bytes=600000-", "bytes=900000-"]
        #expect(server.requests.map { $0.header("Range") } == ranges)
    }

    /// Another user of the folder may have made the link, or a backup.
    @Test(
        .row("D14"), arguments: [(200, true), (200, false), (404, true), (404, false)],
        [true, false])
    func aLinkInPlaceOfThePartIsNotFollowed(
        _ response: (status: Int, hasTag: Bool), isHard: Bool
    ) async throws {
        let (status, hasTag) = response
        let other = try TemporaryFolder()
        let file = try other.write("of another program", to: "a")
        if hasTag { await interrupt(.ownSession) }
        let part = folder.file(".film.mp4.part")
        try? FileManager.default.removeItem(at: part)
        if isHard {
            try FileManager.default.linkItem(at: file, to: part)
        } else {
            try FileManager.default.createSymbolicLink(at: part, withDestinationURL: file)
        }
        server.enqueue(.text("new", statusCode: status))
        _ = try? await download(.ownSession)
        #expect(other.text(of: "a") == "of another program")
        #expect(folder.text(of: "film.mp4") == (status == 200 ? "new" : nil))
        let type = try? FileManager.default.attributesOfItem(atPath: target.path)[.type]
        #expect(type as? FileAttributeType == (status == 200 ? .typeRegular : nil))
    }

    /// Nothing is kept for the longer ones.
    @Test(arguments: [244, 245, 250, 251, 255])
    func aFileMayHaveALongName(_ count: Int) async throws {
        let name = String(repeating: "a", count: count)
        server.enqueue(
            .data(Self.whole).header("ETag", Self.etag).cut(.close, afterBodyBytes: 40_000),
            count == 244 ? Self.rest() : .data(Self.whole))
        let provider = TransportUnderTest.ownSession.provider()
        for isComplete in [false, true] {
            let response = try? await provider.download(
                service: server.service("/film").patient, to: folder.file(name), options: .resume)
            #expect((response != nil) == isComplete)
        }
        #expect(server.requests.last?.header("Range") == (count == 244 ? "bytes=40000-" : nil))
        #expect(try Data(contentsOf: folder.file(name)) == Self.whole)
        #expect(folder.names == [name])
    }

    /// A refused call doesn't change existing files.
    /// An `ETag` that can't be sent back once made each later download fail.
    @Test(arguments: TransportUnderTest.allCases)
    func anETagThatCannotBeSentDoesNotStopTheDownload(_ transport: TransportUnderTest) async throws
    {
        let folder = try TemporaryFolder()
        let film = LoopbackResponse.data(noise(1_000)).header("ETag", "\"v\u{7F}1\"")
        let server = try LoopbackServer { _ in film }
        server.enqueue(film.cut(.close, afterBodyBytes: 400))
        let service = server.service().patient
        let provider = transport.provider()
        _ = try await failure {
            try await provider.download(service: service, to: folder.file("a"), options: .resume)
        }
        try await provider.download(service: service, to: folder.file("a"), options: .resume)
        #expect(folder.names == ["a"])
    }

    /// The second download can't be complete, the third one gets no more bytes, and the fourth one starts again.
    @Test func aWrongTotalDoesNotStopEachLaterDownload() async throws {
        let folder = try TemporaryFolder()
        let whole = noise(1_000)
        let server = try LoopbackServer { request in
            let film = LoopbackResponse.data(whole).header("ETag", "\"v1\"")
            guard let range = request.header("Range") else { return film }
            let start = Int(range.dropFirst("bytes=".count).dropLast()) ?? 0
            guard start < 1_000 else {
                return LoopbackResponse.statusCode(416).header("Content-Range", "bytes */1000")
            }
            return LoopbackResponse.data(whole.dropFirst(start), statusCode: 206)
                .header("ETag", "\"v1\"")
                .header("Content-Range", "bytes \(start)-999/2000")
        }
        server.enqueue(
            LoopbackResponse.data(whole).header("ETag", "\"v1\"").cut(.close, afterBodyBytes: 400))
        let provider = ServiceProvider<TestService>()
        for _ in 0..<3 {
            _ = try await failure {
                try await provider.download(
                    service: server.service(), to: folder.file("a"), options: .resume)
            }
        }
        try await provider.download(
            service: server.service(), to: folder.file("a"), options: .resume)
        #expect(try Data(contentsOf: folder.file("a")) == whole)
    }

    @Test func aRefusedDownloadChangesNoFiles() async throws {
        try folder.write("old", to: "film.mp4")
        try folder.write("of another program", to: ".film.mp4.part")
        await #expect(throws: ServiceError.self) { try await download(.ownSession) }
        #expect(folder.text(of: ".film.mp4.part") == "of another program")
        #expect(folder.text(of: "film.mp4") == "old")
    }
}
