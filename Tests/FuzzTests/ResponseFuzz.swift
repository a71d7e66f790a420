// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import CurlTransport
import Foundation
import FoundationNetworking
import ServiceProvider
import ServiceProviderExtras
import ServiceProviderTransfers
import TestSupport
import Testing

/// Sends arbitrary bytes as responses. Each call must end once, with the meaning of the
/// bytes if they aren't corrupted.
///
/// Uses only libcurl, because some of the responses make URLSession on Linux trap.
@Suite(.slow, .serialized, .opensFiles, .timeLimit) struct ResponseFuzz {
    /// The result of a call.
    private enum Outcome {
        case response(status: Int?, body: Data), failure(ServiceError)
    }

    @Test func randomResponsesEndEachCallOnce() async throws {
        let server = try Self.server()
        let provider = ServiceProvider<TestService>(transport: try LoopbackOnly(port: server.port))
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("fuzz-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let call = Call(provider: provider, port: server.port, folder: folder)
        try await Fuzz.run("ResponseFuzz", count: 2_000, width: 64) { number, _ in
            let sent = CorruptResponse(number)
            let outcome = await call.run(number, sent)
            try Self.check(outcome, sent)
        }
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(left.isEmpty, "Downloads left files behind.")
        server.stop()
    }

    /// Responds to `/7` with response number 7. All other paths are redirect targets, and get the same
    /// response.
    private static func server() throws -> RawServer {
        try RawServer { connection in
            while case let head = connection.readHead(), !head.isEmpty {
                let path = head.split(separator: " ").dropFirst().first ?? ""
                guard let number = Int(path.dropFirst()) else {
                    let size = ResponseSample.next.utf8.count
                    connection.write(
                        "HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n\(ResponseSample.next)")
                    return
                }
                let sent = CorruptResponse(number)
                guard connection.write(Data(sent.bytes)), sent.isHeld else { return }
            }
        }
    }

    private static func check(_ outcome: Outcome, _ sent: CorruptResponse) throws {
        func hold(_ condition: Bool, _ problem: String) throws {
            let text = String(decoding: sent.bytes, as: UTF8.self).debugDescription
            try require(condition, problem, "\(sent.method.rawValue): \(text)")
        }
        var end = outcome
        if case .failure(.unacceptableStatus(let response)) = outcome {
            let isGood = response.request.validStatusCodes.contains(response.statusCode)
            try hold(!isGood, "\(response.statusCode) is valid but fails")
            end = .response(status: response.statusCode, body: response.data)
        }
        switch (end, sent.meant) {
        case (.response(let status, let body), .response(let meantStatus, let meantBody)):
            let isSame = status == nil || status == meantStatus
            try hold(isSame, "the status code is \(String(describing: status))")
            let text = String(decoding: body.prefix(500), as: UTF8.self).debugDescription
            try hold(body == meantBody, "the body has \(body.count) bytes: \(text)")
        case (.response, .failure): try hold(false, "an invalid response succeeds")
        case (.failure(.transport(let error)), .response(let status, _)):
            // A download rejects a partial response that it didn't request. A POST isn't resent on
            // a new connection if the server has just closed a kept one.
            let isPart = status == 206 && sent.way == 2
            let isLost = sent.method == .post && error.code == .networkConnectionLost
            try hold(sent.isHeld || isPart || isLost, "a valid response fails: \(error)")
        case (.failure(.transport(let error)), _):
            try hold(error.code != .timedOut || sent.isHeld, "timed out after a minute")
        case (.failure(let error), _): try hold(false, "an unexpected error: \(error)")
        case (.response, nil): break
        }
    }

    /// Runs the call of a number in one of four ways.
    private struct Call: Sendable {
        let provider: ServiceProvider<TestService>
        let port: Int
        let folder: URL

        func run(_ number: Int, _ sent: CorruptResponse) async -> Outcome {
            var service = TestService()
            service.baseURL = "http://127.0.0.1:\(port)"
            service.path = "/\(number)"
            service.method = sent.method
            service.timeout = sent.isHeld ? 1 : 60
            do {
                switch sent.way {
                case 0:
                    let response = try await provider.response(service: service)
                    return .response(status: response.statusCode, body: response.data)
                case 1: return try await stream(service)
                case 2:
                    return try await download(
                        service, to: folder.appendingPathComponent("\(number)"))
                default: return await handler(service)
                }
            } catch {
                return .failure(ServiceError(error))
            }
        }

        private func stream(_ service: TestService) async throws -> Outcome {
            let stream = try await provider.stream(service: service)
            var body = Data()
            let reader = stream.makeAsyncIterator()
            while let chunk = try await reader.next() { body += chunk }
            // After the end, the stream must stay at its end.
            if try await reader.next() != nil { body += Data("more".utf8) }
            return .response(status: stream.response.statusCode, body: body)
        }

        private func download(_ service: TestService, to file: URL) async throws
            -> Outcome
        {
            let response = try await provider.download(service: service, to: file)
            let body = (try? Data(contentsOf: file)) ?? Data("no file".utf8)
            try? FileManager.default.removeItem(at: file)
            return .response(status: response.statusCode, body: body)
        }

        /// If the handler is called twice, the continuation crashes the process.
        private func handler(_ service: TestService) async -> Outcome {
            await withCheckedContinuation { continuation in
                provider.load(service: service) { result in
                    switch result {
                    case .success(let data):
                        continuation.resume(returning: .response(status: nil, body: data))
                    case .empty:
                        continuation.resume(returning: .response(status: nil, body: Data()))
                    case .failure(let error): continuation.resume(returning: .failure(error))
                    }
                }
            }
        }
    }

    /// Sends requests with libcurl, but only to the test's server: a redirect may lead anywhere.
    private struct LoopbackOnly: ServiceTransport {
        let curl: CurlTransport
        let port: Int

        init(port: Int) throws {
            var configuration = CurlTransport.Configuration()
            configuration.proxy = .none
            // A connection may be reused, but only for a short time.
            configuration.maximumIdleTime = 1
            curl = try CurlTransport(configuration)
            self.port = port
        }

        @concurrent func send(_ request: ServiceRequest) async throws -> ServiceResponse {
            let url = request.urlRequest.url
            guard url?.host == "127.0.0.1", url?.port == port else {
                throw URLError(.cannotFindHost)
            }
            return try await curl.send(request)
        }
    }
}
#endif
