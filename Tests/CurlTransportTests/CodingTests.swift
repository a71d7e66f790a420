// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import Foundation
import FoundationNetworking
import LoopbackServer
import ServiceProvider
import ServiceProviderTransfers
import TestSupport
import Testing

/// Tests compressed bodies. libcurl's own decoder accepts truncated ones as complete.
@Suite(.serialized, .opensFiles, .timeLimit) struct CodingTests {
    static let gzip = "H4sIAAAAAAACA8tIzcnJBwCGphA2BQAAAA=="
    /// "hello" and " world" as two gzip members.
    static let members =
        "H4sIAAAAAAACA8tIzcnJBwCGphA2BQAAAB+LCAAAAAAAAgNTKM8vykkBAMtCO0oGAAAA"
    /// 64 MB of zeros as gzip members of 64 KB each, which take 90 KB.
    static let bomb: LoopbackResponse = {
        let member =
            "H4sIAAAAAAACA+3BAQEAAACAkP6v7ggKAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
            + "AAAAAAAAAAAAAAAAauuOl9cAAAEA"
        let body = Data(repeatElement(Data(base64Encoded: member) ?? Data(), count: 1_024).joined())
        return .data(body, contentType: "x/y").header("Content-Encoding", "gzip")
    }()

    static func response(_ base64: String, _ coding: String, cut: Int = 0, and more: String = "")
        -> LoopbackResponse
    {
        let data = (Data(base64Encoded: base64) ?? Data()).dropLast(cut) + Data(more.utf8)
        return .data(Data(data), contentType: "text/plain").header("Content-Encoding", coding)
    }

    @Test(
        .row("F20", "Q18"),
        arguments: [
            (gzip, "gzip", "hello"), (gzip, "x-gzip", "hello"), (gzip, "GZIP", "hello"),
            (gzip, "identity, gzip", "hello"), ("aGVsbG8=", "identity", "hello"), ("", "gzip", ""),
            (members, "gzip", "hello world"),
        ])
    func contentCodingsAreDecoded(_ body: String, _ coding: String, _ text: String) async throws {
        for drip in [false, true] {
            let whole = Self.response(body, coding)
            let server = try LoopbackServer(responses: [
                drip ? whole.dripping(bytes: 7, every: 0.001) : whole
            ])
            #expect(try await provider().text(of: server.endpoint()) == text)
            #expect(server.requests.last?.header("Accept-Encoding") == "gzip")
        }
    }

    @Test(.row("F20", "U10"), arguments: [gzip, members])
    func aTruncatedCompressedBodyIsAnError(_ body: String) async throws {
        let provider = try provider()
        for cut in 1...6 {
            let server = try LoopbackServer(responses: [Self.response(body, "gzip", cut: cut)])
            let code = await provider.code(of: server.endpoint())
            #expect(code == .cannotDecodeRawData, "without the last \(cut) bytes")
        }
    }

    @Test(.row("F20")) func bytesAfterACompressedBodyAreAnError() async throws {
        let server = try LoopbackServer(responses: [Self.response(Self.gzip, "gzip", and: "more")])
        #expect(try await provider().code(of: server.endpoint()) == .cannotDecodeRawData)
    }

    @Test(.row("F20")) func plainTextLabeledAsCompressedIsAnError() async throws {
        let server = try LoopbackServer(responses: [
            .text("hello, this text isn't compressed").header("Content-Encoding", "gzip")
        ])
        let error = try await provider().failure(of: server.endpoint())
        #expect(error.urlErrorCode == .cannotDecodeRawData)
        #expect(error.description.hasSuffix("The compressed body isn't valid."))
    }

    /// The name is one that IANA has registered: the error never quotes what a server chose.
    @Test(
        .row("F21"),
        arguments: [
            ("zstd", "'zstd'"), ("BR", "'br'"), ("gzip, gzip", "a list of several"),
            ("gzip, br", "a list of several"), ("secret", "an unknown one"),
        ])
    func anErrorNamesACodingThatCannotBeDecoded(_ coding: String, _ name: String) async throws {
        let server = try LoopbackServer { _ in .text("hello").header("Content-Encoding", coding) }
        let error = try await provider().failure(of: server.endpoint())
        #expect(error.urlErrorCode == .cannotDecodeRawData)
        #expect(error.description.contains("content coding, \(name), can't"), "\(error)")
        #expect(!error.description.contains("secret"))
    }

    /// A caller that sets `Accept-Encoding` gets the requested coding.
    @Test(.row("F21")) func aCodingThatTheCallerAcceptsIsReturnedUndecoded() async throws {
        let server = try LoopbackServer { _ in .text("hello").header("Content-Encoding", "br") }
        var service = server.endpoint()
        service.headers = ["Accept-Encoding": "br"]
        let response = try await provider().response(service: service)
        #expect(response.data == Data("hello".utf8))
        #expect(response.header("Content-Encoding") == "br")
    }

    /// The status counts more than the body.
    @Test func anUnsuccessfulResponseInAnUnknownCodingKeepsItsStatus() async throws {
        let server = try LoopbackServer { _ in
            .text("hello").header("Content-Encoding", "br").with(status: 404)
        }
        let error = try await provider().failure(of: server.endpoint())
        #expect(error.statusCode == 404)
        #expect(error.response?.data == Data("hello".utf8))
    }

    @Test(arguments: [ServiceMethod.head, .get]) func aBodyThatIsMissingNeedsNoDecoder(
        _ method: ServiceMethod
    ) async throws {
        let server = try LoopbackServer { _ in
            .raw("HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nContent-Length: 0\r\n\r\n")
        }
        #expect(try await provider().response(service: server.endpoint(method)).data.isEmpty)
    }

    /// "hello, hello, hello" as zlib writes it (RFC 1950), and without its frame (RFC 1951), as some servers send it.
    private static let deflated = "eNrLSM3JyddRyECiAEQoBtU="
    private static let raw = "y0jNycnXUchAogA="

    @Test(.row("F20"), arguments: [deflated, raw])
    func deflatedBodiesAreDecoded(_ body: String) async throws {
        let server = try LoopbackServer { _ in Self.response(body, "deflate") }
        #expect(try await provider().text(of: server.endpoint()) == "hello, hello, hello")
    }

    @Test(.row("F20"), arguments: [deflated, raw])
    func aTruncatedDeflatedBodyIsAnError(_ body: String) async throws {
        let data = try #require(Data(base64Encoded: body))
        for cut in 1..<data.count {
            let server = try LoopbackServer { _ in
                Self.response(data.dropLast(cut).base64EncodedString(), "deflate")
            }
            let code = try await provider().code(of: server.endpoint())
            #expect(code == .cannotDecodeRawData, "without the last \(cut) bytes")
        }
    }

    @Test(.row("F20"), arguments: [deflated, raw])
    func bytesAfterADeflatedBodyAreAnError(_ body: String) async throws {
        let server = try LoopbackServer { _ in Self.response(body, "deflate", and: "more") }
        #expect(try await provider().code(of: server.endpoint()) == .cannotDecodeRawData)
    }

    @Test(.row("D6")) func partialResponsesAreNotDecoded() async throws {
        let server = try LoopbackServer(responses: [
            Self.response(Self.gzip, "gzip").with(status: 206), Self.response(Self.gzip, "gzip"),
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

    @Test(.row("L3")) func aDecompressionBombIsBounded() async throws {
        let server = try LoopbackServer { _ in Self.bomb }
        let small = try provider { $0.maximumBodySize = 1 << 20 }
        #expect(await small.code(of: server.endpoint()) == .dataLengthExceedsMaximum)
        #expect(try await provider().load(service: server.endpoint()).count == 64 << 20)
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

    @Test func aBodyOfTheMaximumSizeIsAccepted() async throws {
        for (size, code) in [(5, nil), (4, URLError.Code.dataLengthExceedsMaximum)] {
            for response in [LoopbackResponse.text("hello"), Self.response(Self.gzip, "gzip")] {
                let server = try LoopbackServer { _ in response }
                let provider = try provider { $0.maximumBodySize = Int64(size) }
                #expect(await provider.code(of: server.endpoint()) == code)
            }
        }
    }
}

extension LoopbackResponse {
    func with(status: Int) -> Self {
        var copy = self
        copy.statusCode = status
        return copy
    }
}
#endif
