// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import Foundation
import ServiceProvider
import TestSupport
import Testing

/// Sends arbitrary bytes as responses. Each call must end once, with the meaning of the
/// bytes if they aren't corrupted.
///
/// Uses only libcurl, because some of the responses make URLSession on Linux trap.
@Suite(.slow, .serialized, .opensFiles, .timeLimit) struct ResponseFuzz {
    @Test func randomResponsesEndEachCallOnce() async throws {
        let server = try Self.server()
        let transport = try LoopbackOnlyTransport(port: server.port)
        let folder = try TemporaryFolder()
        let caller = ResponseCaller(
            provider: ServiceProvider(transport: transport), port: server.port, folder: folder)
        try await Fuzz.run("ResponseFuzz", count: 2_000, width: 64) { number, _ in
            let sent = CorruptResponse(number)
            let outcome = await caller.call(number, sent)
            try Self.check(outcome, sent)
        }
        #expect(folder.names.isEmpty, "Downloads left files behind.")
        server.stop()
    }

    /// Responds to `/7` with response number 7. All other paths are redirect targets, and get the same
    /// response.
    private static func server() throws -> RawServer {
        let size = ResponseSample.next.utf8.count
        let redirected =
            "HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n" + ResponseSample.next
        return try RawServer { connection in
            while true {
                let head = connection.readHead()
                if head.isEmpty { return }
                let path = head.split(separator: " ").dropFirst().first ?? ""
                guard let number = Int(path.dropFirst()) else {
                    connection.write(redirected)
                    return
                }
                let sent = CorruptResponse(number)
                let isWritten = connection.write(Data(sent.bytes))
                guard isWritten, sent.isHeld else { return }
            }
        }
    }

    // MARK: - Checks

    /// Throws unless the outcome is right for the bytes that were sent.
    private static func check(
        _ outcome: ResponseCaller.Outcome, _ sent: CorruptResponse
    ) throws {
        switch outcome {
        case .response(let status, let body):
            try checkSuccess(status, body, sent)
        case .failure(.unacceptableStatus(let response)):
            let status = response.statusCode
            let isValid = response.request.validStatusCodes.contains(status)
            try hold(!isValid, "\(status) is valid but fails", sent)
            try checkSuccess(status, response.data, sent)
        case .failure(.transport(let error)):
            try checkFailure(error, sent)
        case .failure(let error):
            try hold(false, "an unexpected error: \(error)", sent)
        }
    }

    /// - Parameter status: Nil if the call doesn't return it.
    private static func checkSuccess(
        _ status: Int?, _ body: Data, _ sent: CorruptResponse
    ) throws {
        switch sent.meant {
        case .response(let meantStatus, let meantBody):
            let isSameStatus = status == nil || status == meantStatus
            try hold(isSameStatus, "the status code is \(String(describing: status))", sent)
            let start = String(decoding: body.prefix(500), as: UTF8.self).debugDescription
            try hold(body == meantBody, "the body has \(body.count) bytes: \(start)", sent)
        case .failure:
            try hold(false, "an invalid response succeeds", sent)
        case nil:
            // A corrupted response may mean anything.
            break
        }
    }

    private static func checkFailure(_ error: URLError, _ sent: CorruptResponse) throws {
        let isTimeout = error.code == .timedOut
        try hold(!isTimeout || sent.isHeld, "timed out after a minute", sent)
        if case .response(let status, _) = sent.meant {
            let mayFail = sent.isHeld || isUnrequestedPart(status, sent) || isLostPost(error, sent)
            try hold(mayFail, "a valid response fails: \(error)", sent)
        }
    }

    /// A download rejects a partial response that it didn't request.
    private static func isUnrequestedPart(_ status: Int, _ sent: CorruptResponse) -> Bool {
        status == 206 && sent.way == .download
    }

    /// A POST isn't resent on a new connection if the server has just closed a kept one.
    private static func isLostPost(_ error: URLError, _ sent: CorruptResponse) -> Bool {
        sent.method == .post && error.code == .networkConnectionLost
    }

    /// Throws a failure that shows the response, unless the condition is true.
    private static func hold(
        _ condition: Bool, _ problem: @autoclosure () -> String, _ sent: CorruptResponse
    ) throws {
        let text = String(decoding: sent.bytes, as: UTF8.self).debugDescription
        try require(condition, problem(), "\(sent.method.rawValue): \(text)")
    }
}
#endif
