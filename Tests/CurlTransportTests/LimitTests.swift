// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import CurlTransport
import Foundation
import FoundationNetworking
import LoopbackServer
import ServiceProvider
import ServiceProviderTransfers
import TestSupport
import Testing

/// Tests endless responses. The server verifies that the transfer really stops.
@Suite(.serialized, .opensFiles, .timeLimit) struct LimitTests {
    static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

    struct Endless: CustomTestStringConvertible {
        let testDescription: String
        let start, again: String
        let code: URLError.Code

        static let all = [
            Endless("lines", "HTTP/1.1 200 OK\r\n", "X: a\r\n", .badServerResponse),
            Endless("long lines", "HTTP/1.1 200 OK\r\n", "X: \(a(9_999))\r\n", .badServerResponse),
            Endless("a line", "HTTP/1.1 200 OK\r\nX: ", a(9_999), .badServerResponse),
            Endless("a status line", "HTTP/1.1 200 ", a(9_999), .badServerResponse),
            Endless("informational", "", "HTTP/1.1 102 Wait\r\n\r\n", .badServerResponse),
            Endless("trailers", chunked + "1\r\na\r\n0\r\n", "X: a\r\n", .badServerResponse),
            Endless("a trailer", chunked + "1\r\na\r\n0\r\nX: ", a(9_999), .networkConnectionLost),
            Endless("a chunk size", chunked, "0", .networkConnectionLost),
            Endless("chunks", chunked, "1\r\na\r\n", .dataLengthExceedsMaximum),
            Endless("a body", "HTTP/1.1 200 OK\r\n\r\n", a(9_999), .dataLengthExceedsMaximum),
            Endless(
                "a long body", "HTTP/1.1 200 OK\r\nContent-Length: 999999999999\r\n\r\n", a(9_999),
                .dataLengthExceedsMaximum),
        ]

        private static func a(_ count: Int) -> String { String(repeating: "a", count: count) }

        private init(_ name: String, _ start: String, _ again: String, _ code: URLError.Code) {
            (testDescription, self.start, self.again, self.code) = (name, start, again, code)
        }
    }

    /// The process measures its processor time, so nothing else runs in it. No server listens at the port.
    @Test(.row("Z22")) func manyHeaderFieldsTakeLinearTime() async {
        await #expect(processExitsWith: .success) {
            let transport = try CurlTransport()
            let url = try #require(URL(string: "http://127.0.0.1:1/"))
            let growth = await growthOfProcess(to: sanitized(300_000)) { count in
                var request = URLRequest(url: url)
                let fields = (0..<count).map { ("X-Field-\($0)", "1") }
                request.allHTTPHeaderFields = Dictionary(uniqueKeysWithValues: fields)
                let sent = ServiceRequest(request)
                await #expect(throws: URLError.self) { try await transport.send(sent) }
            }
            #expect(growth < linearGrowth)
        }
    }

    @Test(.row("F10", "F15", "L1", "L4"), arguments: Endless.all)
    func endlessResponsesAreStopped(_ endless: Endless) async throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.write(endless.start)
            let block = String(
                repeating: endless.again, count: 1 + 60_000 / endless.again.utf8.count)
            while connection.write(block) {}
        }
        defer { server.stop() }
        let provider = try provider { $0.maximumBodySize = 1 << 18 }
        let service = TestService(baseURL: "http://127.0.0.1:\(server.port)", method: .post)
        let code = await provider.code(of: service)
        #expect(code == endless.code)
        #expect(await server.hasEnded())
        // Bytes may still be in the buffers of two sockets.
        #expect(server.sentCount < 24 << 20)
    }

    /// libcurl calls both "Out of memory".
    @Test func linesThatAreTooLongHaveTheirOwnErrors() async throws {
        let line = "X: " + String(repeating: "a", count: 200_000)
        let server = try LoopbackServer { _ in .raw("HTTP/1.1 200 OK\r\n\(line)\r\n\r\n") }
        let response = try await provider().failure(of: server.endpoint())
        #expect(response.urlErrorCode == .badServerResponse)
        #expect(response.description.contains("A line of the response's headers is too long"))
        var service = server.endpoint()
        service.headers = ["X": String(repeating: "a", count: 2 << 20)]
        let request = try await provider().failure(of: service)
        #expect(
            request.description.contains("The headers of the request are too long"), "\(request)")
        #expect(server.requests.count == 1)
    }

    /// The body of an unsuccessful response is kept in memory for the error, so it is limited too.
    @Test(.row("L4"), arguments: [200, 302, 404])
    func theBodyOfAFailedResponseIsBounded(_ status: Int) async throws {
        let server = try LoopbackServer { _ in
            .data(Data(count: 4 << 20), contentType: "x/y", statusCode: status).chunked()
                .header("Location", "ftp://127.0.0.1/")
        }
        let provider = try provider { $0.maximumBodySize = 1 << 20 }
        let service = server.endpoint(status == 200 ? .post : .get)
        #expect(await provider.code(of: service) == .dataLengthExceedsMaximum)
        guard status != 200 else { return }
        let file = FileManager.default.temporaryDirectory
            .appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: file) }
        let streaming = await #expect(throws: ServiceError.self) {
            _ = try await provider.stream(service: service)
        }
        let loading = await #expect(throws: ServiceError.self) {
            try await provider.download(service: service, to: file)
        }
        for error in [streaming, loading] {
            guard case .transport(let error) = error else {
                Issue.record("the body wasn't limited")
                continue
            }
            #expect(error.code == .dataLengthExceedsMaximum)
        }
    }

    /// A server can send any number of extension bytes per byte of a body (CVE-2023-39326). libcurl
    /// doesn't report them, so they don't count as activity.
    @Test(.row("F9")) func anEndlessChunkExtensionTimesOut() async throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.write(Self.chunked + "1;")
            while connection.write(String(repeating: "a", count: 60_000)) {}
        }
        defer { server.stop() }
        var service = TestService(baseURL: "http://127.0.0.1:\(server.port)", method: .post)
        service.timeout = 0.05
        #expect(try await provider().code(of: service) == .timedOut)
        #expect(await server.hasEnded())
    }

    /// An endless response that keeps the transport busy, but has an empty body.
    struct Busy: CustomTestStringConvertible {
        let testDescription: String
        let field: String
        /// The first bytes of the body, and the bytes that are repeated after them, in Base64.
        var start = ""
        let again: String
        let code: URLError.Code
        /// How many times longer another call may take. Without limits, the extension of a chunk makes
        /// it 80 times longer, and compressed bodies 2,000 times.
        var ratio = 300.0

        static let all = [
            Busy(
                testDescription: "empty gzip members", field: "Content-Encoding: gzip",
                again: "H4sIAAAAAAACAwMAAAAAAAAAAAA=", code: .timedOut),
            // Stored blocks (RFC 1951, section 3.2.4).
            Busy(
                testDescription: "empty gzip blocks", field: "Content-Encoding: gzip",
                start: "H4sIAAAAAAACAw==", again: "AAAA//8=", code: .timedOut),
            Busy(
                testDescription: "a chunk extension", field: "Transfer-Encoding: chunked",
                start: "MTs=", again: "YWFh", code: .timedOut, ratio: 40),
        ]

        func serve(_ connection: RawServer.Connection) {
            connection.readHead()
            connection.write("HTTP/1.1 200 OK\r\n\(field)\r\n\r\n")
            connection.write(Data(base64Encoded: start) ?? Data())
            let part = Data(base64Encoded: again) ?? Data()
            let block = Data(repeatElement(part, count: 1 + 60_000 / part.count).joined())
            while connection.write(block) {}
        }
    }

    /// Takes the best of five rounds, because other programs may delay all calls of a round.
    @Test(.row("L15", "Q18"), arguments: Busy.all)
    func aBusyTransferDoesNotDelayOthers(_ busy: Busy) async throws {
        var least = Double.infinity
        for _ in 0..<5 where least >= busy.ratio {
            least = min(least, try await delay(by: busy))
        }
        #expect(least < busy.ratio)
    }

    /// Returns how many times longer the fastest call takes during the endless response than the
    /// fastest one before it: other programs may delay most calls.
    private func delay(by busy: Busy) async throws -> Double {
        let hostile = try RawServer { busy.serve($0) }
        defer { hostile.stop() }
        let server = try LoopbackServer { _ in .text("x") }
        let provider = try provider { $0.maximumBodySize = 1 << 40 }
        let call = { @Sendable in
            try await duration { try await provider.load(service: server.endpoint()) }
        }
        var quiet = Double.infinity
        for _ in 0..<20 {
            quiet = min(quiet, try await call())
        }
        var endless = TestService(baseURL: "http://127.0.0.1:\(hostile.port)", method: .post)
        endless.timeout = 2
        let (code, busiest) = try await within(seconds: 60) { [endless] in
            let start = ProcessInfo.processInfo.systemUptime
            async let code = provider.code(of: endless)
            while hostile.sentCount < 10_000 {
                try await Task.sleep(nanoseconds: 1_000_000)
            }
            var fastest = Double.infinity
            // The endless response ends after 2 seconds. A call that ends later may have been alone.
            while true {
                let seconds = try await call()
                guard ProcessInfo.processInfo.systemUptime < start + 2 else { break }
                fastest = min(fastest, seconds)
            }
            return (await code, fastest)
        }
        #expect(code == busy.code)
        return busiest / quiet
    }

    /// The compressed body may be 64 KB larger than the limit.
    @Test(
        .row("L15"),
        arguments: [(160_000, nil), (170_000, URLError.Code.dataLengthExceedsMaximum)])
    func theCompressedSizeIsBounded(_ size: Int, _ code: URLError.Code?) async throws {
        let member = Data(base64Encoded: "H4sIAAAAAAACAwMAAAAAAAAAAAA=") ?? Data()
        let body = Data(repeatElement(member, count: size / member.count).joined())
        let server = try LoopbackServer { _ in
            .data(body, contentType: "x/y").header("Content-Encoding", "gzip")
        }
        let provider = try provider { $0.maximumBodySize = 100_000 }
        #expect(await provider.code(of: server.endpoint()) == code)
    }

    @Test(.row("L3")) func aDecompressionBombInARedirectIsBounded() async throws {
        let server = try LoopbackServer(responses: [
            CodingTests.bomb.with(status: 302)
                .header("Location", "/there"), .text("there"),
        ])
        let provider = try provider { $0.maximumBodySize = 1 << 20 }
        #expect(await provider.code(of: server.endpoint()) == .dataLengthExceedsMaximum)
        #expect(server.requests.count == 1)
    }
}
#endif
