// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import CurlTransport
import Foundation
import FoundationNetworking
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

/// Tests responses that arrive before the server has read the request, and `Expect: 100-continue`.
@Suite(.serialized, .opensFiles, .timeLimit) struct UploadTests {
    enum Ending: CaseIterable {
        /// Closes with unread bytes, which makes the system reset the connection.
        case closing
        /// Closes its sending side, and continues to read.
        case ending
        /// Continues to read, and keeps the connection open.
        case staying
        /// Stops reading, and waits for the client to close.
        case waiting
    }

    /// The response is returned although the request couldn't be sent completely.
    @Test(.row("T13"), arguments: [401, 413], Ending.allCases)
    func anEarlyResponseIsReturned(_ status: Int, _ ending: Ending) async throws {
        let server = try RawServer { connection in
            connection.readHead()
            let close = ending == .staying ? "" : "Connection: close\r\n"
            connection.write("HTTP/1.1 \(status) No\r\n\(close)Content-Length: 3\r\n\r\nwhy")
            switch ending {
            case .closing: break
            case .ending:
                connection.endOutput()
                connection.readToTheEnd()
            case .staying: connection.readToTheEnd()
            case .waiting: connection.waitForStop()
            }
        }
        defer { server.stop() }
        let provider = try provider()
        var service = TestService(baseURL: "http://127.0.0.1:\(server.port)", method: .put)
        service.body = .data(Data(count: 8 << 20))
        var count = 0
        for _ in 0..<10 {
            do {
                _ = try await provider.load(service: service)
                Issue.record("the request succeeded")
            } catch {
                // A reset may discard the response, but not every time.
                if ending == .closing, case ServiceError.transport(let error) = error {
                    #expect(error.code == .networkConnectionLost)
                    continue
                }
                guard case ServiceError.unacceptableStatus(let response) = error else {
                    throw error
                }
                #expect(response.statusCode == status)
                #expect(response.data == Data("why".utf8))
                count += 1
            }
        }
        #expect(ending == .closing ? count > 0 : count == 10)
        // A connection can't be reused after an incomplete body.
        #expect(server.connectionCount == 10)
    }

    /// Bodies of any size are sent immediately.
    @Test(.row("T12"), arguments: [0, 1, 8, 1_025, 2 << 20])
    func bodiesAreSentWithoutExpectContinue(_ size: Int) async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let provider = try provider()
        for method in [ServiceMethod.post, .put, .patch, .delete] {
            var service = server.endpoint(method)
            service.body = .data(Data(count: size))
            #expect(try await provider.text(of: service) == "ok")
        }
        let file = FileManager.default.temporaryDirectory
            .appendingPathComponent(UUID().uuidString)
        try Data(count: size).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        var configuration = CurlTransport.Configuration()
        configuration.proxy = .none
        let transport = try CurlTransport(configuration: configuration)
        let files = ServiceProvider<TestService>(transport: transport)
        try await files.load(service: server.upload(.file(file), method: .put, to: "/"))
        #expect(server.requests.map { $0.header("Expect") } == [nil, nil, nil, nil, nil])
        #expect(server.requests.map(\.bodySize) == [size, size, size, size, size])
    }

    /// The caller can set `Expect: 100-continue`. A final status instead of 100 is the response.
    @Test(
        .row("T12"),
        arguments: [
            ("100 Continue", 200), ("", 200), ("401 No", 401), ("413 No", 413), ("417 No", 417),
        ])
    func aFinalResponseToExpectContinueIsReturned(_ first: String, _ status: Int) async throws {
        let server = try RawServer { connection in
            while true {
                var text = connection.readHead()
                while !text.isEmpty, !text.hasSuffix("hello") {
                    text += String(decoding: connection.read(), as: UTF8.self)
                }
                guard text.hasPrefix("PUT / HTTP/1.1\r\n") else { return }
                if status == 200 {
                    if !first.isEmpty { connection.write("HTTP/1.1 \(first)\r\n\r\n") }
                    connection.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
                } else {
                    connection.write("HTTP/1.1 \(first)\r\nContent-Length: 0\r\n\r\n")
                }
            }
        }
        defer { server.stop() }
        let provider = try provider()
        var service = TestService(baseURL: "http://127.0.0.1:\(server.port)", method: .put)
        service.body = .data(Data("hello".utf8))
        service.headers = ["Expect": "100-continue"]
        for _ in 0..<3 {
            #expect(await provider.status(of: service) == status)
        }
    }

    /// The transport doesn't retry: that is left to interceptors.
    @Test(.row("T6"), arguments: [408, 421, 425, 429, 503], [ServiceMethod.get, .post])
    func temporaryErrorsAreReturnedWithoutARetry(
        _ status: Int, _ method: ServiceMethod
    ) async throws {
        let server = try LoopbackServer(responses: [
            .text("ok"), .statusCode(status).header("Retry-After", "0").closing(), .text("ok"),
        ])
        let provider = try provider()
        let statuses = [200, status, 200]
        for status in statuses {
            #expect(await provider.status(of: server.endpoint(method)) == status)
        }
        #expect(server.requests.map(\.connection) == [0, 0, 1])
    }
}

extension ServiceProvider<TestService> {
    /// Returns the status of the response, even of an unsuccessful one. Nil if there is no
    /// response.
    fileprivate func status(of service: TestService) async -> Int? {
        do {
            return try await response(service: service).statusCode
        } catch {
            return (error as? ServiceError)?.statusCode
        }
    }
}
#endif
