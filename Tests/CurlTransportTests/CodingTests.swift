// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import Foundation
import FoundationNetworking
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import ServiceProviderTransfers
import TestSupport
import Testing

/// Tests compressed bodies. libcurl's own decoder accepts truncated ones as complete.
@Suite(.serialized, .opensFiles, .timeLimit) struct CodingTests {
    static let gzip = "H4sIAAAAAAACA8tIzcnJBwCGphA2BQAAAA=="
    static let zlib = "eJzLSM3JyQcABiwCFQ=="
    static let bare = "y0jNyckHAA=="
    static let brotli = "CwKAaGVsbG8D"
    /// "hello" and " world" as two gzip members.
    static let members =
        "H4sIAAAAAAACA8tIzcnJBwCGphA2BQAAAB+LCAAAAAAAAgNTKM8vykkBAMtCO0oGAAAA"
    /// 64 MB of zeros, compressed twice: 269 bytes.
    static let bomb = """
        H4sIAAAAAAACA+3cr05CcRTA8YtcNyYbYiAZ5BGIFAYazAbNjgcgkmVzJgsvQWZjc7PSeAO02f0TnDM5L9z7GL/z+aST\
        Tzw7+549NrLSQf1jXavth9n8f/nVOMoAAACAxM1e7+vlMSDrFtvLqxsAAAAgdePjVl4dBf5uT8+tAwAAAJL3MOi3qw+B77tJ\
        bh0AAACQvM7v26i6BWyKp5Nr+wAAAIDkvQgGAAAAQCiCAQAAABCLYAAAAADEIhgAAAAAwQgGAAAAQCyCAQAAABCLYAAAAADE\
        IhgAAAAAwQgGAAAAQCyCAQAAABDLYtDvlo8B7Z9iOrw4zAAAAIjkufnZe1/th3wHPEzs+uL+AAA=
        """

    /// 3 MB of empty gzip members, compressed twice: 118 bytes, which decode to nothing.
    static let nothing = """
        H4sIAAAAAAACA+3EIQ5AUACA4Tc2e0VyAKaI3iY5hWaarBnHEByA2RzBKUiSTpN0IzC3EP4vfHYlxUfTj2kwhSOFcqs0V5Fl1Cob\
        4zXxgq6Yw70tiYiIiIiIiIiIiIiIiIjoD92bsVxNfz6+eAGDqax39B0AAA==
        """

    static func answer(_ base64: String, _ coding: String, cut: Int = 0, and more: String = "")
        -> LoopbackResponse
    {
        let data = (Data(base64Encoded: base64) ?? Data()).dropLast(cut) + Data(more.utf8)
        return .data(Data(data), contentType: "text/plain").header("Content-Encoding", coding)
    }

    @Test(arguments: [
        (gzip, "gzip", "hello"), (gzip, "x-gzip", "hello"), (gzip, "GZIP", "hello"),
        (zlib, "deflate", "hello"), (bare, "deflate", "hello"), (brotli, "br", "hello"),
        (gzip, "identity, gzip", "hello"), ("aGVsbG8=", "identity", "hello"), ("", "gzip", ""),
        (members, "gzip", "hello world"),
    ])
    func contentCodingsAreDecoded(_ body: String, _ coding: String, _ text: String) async throws {
        for drip in [false, true] {
            let whole = Self.answer(body, coding)
            let server = try LoopbackServer(responses: [
                drip ? whole.dripping(bytes: 7, every: 0.001) : whole
            ])
            #expect(try await provider().text(of: server.endpoint()) == text)
            #expect(server.requests.last?.header("Accept-Encoding")?.contains("gzip") == true)
        }
    }

    @Test(arguments: [
        (gzip, "gzip"), (zlib, "deflate"), (bare, "deflate"), (brotli, "br"), (members, "gzip"),
    ])
    func aTruncatedCompressedBodyIsAnError(_ body: String, _ coding: String) async throws {
        let provider = try provider()
        for cut in 1...6 {
            let server = try LoopbackServer(responses: [Self.answer(body, coding, cut: cut)])
            let code = await provider.code(of: server.endpoint())
            #expect(code == .cannotDecodeRawData, "without the last \(cut) bytes")
        }
    }

    @Test(arguments: [(gzip, "gzip"), (zlib, "deflate"), (brotli, "br")])
    func bytesAfterACompressedBodyAreAnError(_ body: String, _ coding: String) async throws {
        let server = try LoopbackServer(responses: [Self.answer(body, coding, and: "more")])
        #expect(try await provider().code(of: server.endpoint()) == .cannotDecodeRawData)
    }

    @Test func plainTextLabeledAsCompressedIsAnError() async throws {
        for coding in ["gzip", "deflate", "br"] {
            let server = try LoopbackServer(responses: [
                .text("hello, this text isn't compressed").header("Content-Encoding", coding)
            ])
            let error = await #expect(throws: ServiceError.self) {
                try await provider().load(service: server.endpoint())
            }
            guard case .transport(let failure) = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(failure.code == .cannotDecodeRawData)
            #expect(error?.description.hasSuffix("The compressed body isn't valid.") == true)
        }
    }

    @Test func bodiesInUnknownCodingsAreReturnedUndecoded() async throws {
        let server = try LoopbackServer(responses: [
            .text("hello").header("Content-Encoding", "zstd")
        ]
        )
        let response = try await provider().response(for: server.endpoint())
        #expect(response.data == Data("hello".utf8))
        #expect(response.header("Content-Encoding") == "zstd")
    }

    @Test func partialResponsesAreNotDecoded() async throws {
        let server = try LoopbackServer(responses: [
            Self.answer(Self.gzip, "gzip").with(status: 206), Self.answer(Self.gzip, "gzip"),
        ])
        var service = server.endpoint()
        service.headers = ["Range": "bytes=0-99"]
        #expect(try await provider().load(service: service) == Data(base64Encoded: Self.gzip))
        #expect(server.requests.last?.header("Accept-Encoding") == nil)
    }

    @Test func codingsOfInformationalResponsesAreIgnored() async throws {
        let server = try LoopbackServer { _ in
            .raw(
                "HTTP/1.1 103 Early Hints\r\nContent-Encoding: gzip\r\n\r\n"
                    + "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
        }
        #expect(try await provider().text(of: server.endpoint()) == "hello")
    }

    @Test func moreThanFiveCodingsAreRefused() async throws {
        let server = try LoopbackServer(responses: [
            Self.answer(Self.gzip, "gzip, gzip, gzip, gzip, gzip, gzip")
        ])
        #expect(try await provider().code(of: server.endpoint()) == .badServerResponse)
    }

    /// 269 bytes that decompress to 64 MB.
    @Test func aDecompressionBombIsBounded() async throws {
        let server = try LoopbackServer { _ in Self.answer(Self.bomb, "gzip, gzip") }
        let small = try provider { $0.maximumBodySize = 1 << 20 }
        #expect(await small.code(of: server.endpoint()) == .dataLengthExceedsMaximum)
        #expect(try await provider().load(service: server.endpoint()).count == 64 << 20)
    }

    /// The output of every coding is limited, not only that of the last one.
    @Test func aDecompressionBombThatDecodesToNothingIsBounded() async throws {
        let server = try LoopbackServer { _ in Self.answer(Self.nothing, "gzip, gzip, gzip") }
        let small = try provider { $0.maximumBodySize = 1 << 20 }
        #expect(await small.code(of: server.endpoint()) == .dataLengthExceedsMaximum)
        #expect(try await provider().text(of: server.endpoint()) == "")
    }

    /// libcurl reports an error only once if it occurs while a paused transfer resumes. Here, the
    /// chunk that libcurl held back isn't valid gzip.
    @Test(arguments: [16, 48, 80, 112])
    func aPausedStreamReportsItsErrorWhenItResumes(_ kilobytes: Int) async throws {
        var body = Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3])
        for _ in 0..<(1_024 + kilobytes) {
            // An uncompressed block of 1 KB (RFC 1951, section 3.2.4).
            body += [0, 0x00, 0x04, 0xFF, 0xFB] + [UInt8](repeating: 1, count: 1_024)
        }
        let bad = body + Data(repeating: 0xFF, count: 200_000)
        let server = try LoopbackServer { _ in
            .data(bad, contentType: "x/y").header("Content-Encoding", "gzip")
        }
        var service = server.endpoint()
        service.timeout = 20
        let stream = try await provider().stream(service: service)
        try await Task.sleep(nanoseconds: 45_000_000)
        let error = await #expect(throws: ServiceError.self) { for try await _ in stream {} }
        guard case .transport(let failure) = error else {
            Issue.record("\(error as Any)")
            return
        }
        #expect(failure.code == .cannotDecodeRawData)
    }

    /// One compressed chunk could expand to more than a slow reader's buffer holds.
    @Test func streamsRequestUncompressedBodies() async throws {
        let server = try LoopbackServer { _ in .text("hello") }
        for try await _ in try await provider().stream(service: server.endpoint()) {}
        #expect(server.requests.map { $0.header("Accept-Encoding") } == ["identity"])
    }

    @Test func anUncompressedBodyIsBounded() async throws {
        let server = try LoopbackServer { _ in
            .data(Data(repeating: 1, count: 8 << 20), contentType: "x/y").chunked()
        }
        let small = try provider { $0.maximumBodySize = 1 << 20 }
        #expect(await small.code(of: server.endpoint()) == .dataLengthExceedsMaximum)
    }

    @Test func aBodyOfTheMaximumSizeIsAccepted() async throws {
        for (size, code) in [(5, nil), (4, URLError.Code.dataLengthExceedsMaximum)] {
            for answer in [LoopbackResponse.text("hello"), Self.answer(Self.gzip, "gzip")] {
                let server = try LoopbackServer { _ in answer }
                let provider = try provider { $0.maximumBodySize = Int64(size) }
                #expect(await provider.code(of: server.endpoint()) == code)
            }
        }
    }
}

extension LoopbackResponse {
    func with(status: Int) -> Self {
        var copy = self
        copy.status = status
        return copy
    }
}
#endif
