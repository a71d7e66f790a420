// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer

/// The servers: two HTTP servers with different origins, and a raw one that sends invalid
/// responses.
final class SoakServer: Sendable {
    private let servers: [LoopbackServer]
    private let raw: RawServer

    /// The URLs of the servers in one line.
    var addresses: String {
        (servers.map(\.baseURL) + ["http://127.0.0.1:\(raw.port)"]).joined(separator: " ")
    }

    init() throws {
        let foreign = try LoopbackServer(recordingBodiesUpTo: 0) { request in
            // A redirect to this server must not contain the token.
            let hasSecret = request.header("Authorization") != nil
            return hasSecret ? .statusCode(500) : Self.text(request)
        }
        let (state, foreignURL) = (SoakState(), foreign.baseURL)
        let server = try LoopbackServer(recordingBodiesUpTo: 0) { request in
            Self.answer(to: request, state, foreignURL)
        }
        servers = [server, foreign]
        raw = try RawServer { Self.serve($0) }
    }

    func stop() {
        for server in servers { server.stop() }
        raw.stop()
    }

    /// The response body for a path: different for each call, and long enough to be cut off.
    static func body(_ path: Substring) -> String {
        path + String(repeating: "a", count: 2_000)
    }

    static let size = 300_000
    static let pattern = Data("0123456789".utf8)
    static let events = 20
    /// 20,000 letters "a", compressed with gzip.
    static let packed =
        Data(
            base64Encoded: "H4sIAAAAAAACA+3BMQEAAADCoKzrX8IaHkABAAAAAAAAAAAAAAAAAAAAAAAA8GAx"
                + "h73KIE4AAA==") ?? Data()

    private static func text(_ request: LoopbackRequest) -> LoopbackResponse {
        .text(body(request.path.dropFirst()))
    }

    private static func answer(
        to request: LoopbackRequest, _ state: SoakState, _ foreign: String
    ) -> LoopbackResponse {
        let words = request.path.split(separator: "/").map(String.init)
        let (kind, id) = (words.first ?? "", words.last ?? "")
        guard let kind = Kind(rawValue: kind) else {
            return kind == "token" ? .text(state.newToken()) : text(request)
        }
        switch kind {
        case .value, .valueHandler: return .json(#"{"id": \#(id)}"#)
        case .empty, .emptyHandler: return .statusCode(204)
        case .gzip: return .data(packed).header("Content-Encoding", "gzip")
        case .slow: return text(request).dripping(bytes: 200, every: 0.005)
        case .shared: return text(request).delayed(by: 0.01)
        case .conditional:
            if request.header("If-None-Match") == "\"\(id)\"" { return .statusCode(304) }
            return text(request).header("ETag", "\"\(id)\"")
        case .authorized:
            let isGood = state.accepts(request.header("Authorization"))
            return isGood ? text(request) : .text("the token has expired", statusCode: 401)
        case .flaky: return state.isFirst(id) ? .statusCode(503) : text(request)
        case .redirect: return .redirect(to: "../hop/\(id)")
        case .foreign: return .redirect(to: "\(foreign)/foreign/\(id)")
        case .moved: return .redirect(to: "/upload/\(id)", statusCode: 307)
        case .loop: return .redirect(to: request.target)
        case .upload, .file, .multipart: return .text("\(request.bodySize)")
        case .download: return LoopbackResponse(body: .repeating(pattern, count: size))
        case .resume: return rest(request, id)
        case .pages:
            let page = request.query.flatMap { Int($0.dropFirst("page=".count)) } ?? 0
            return .json(#"{"page": \#(page), "id": \#(id)}"#)
        default: return fault(kind, request)
        }
    }

    private static func fault(_ kind: Kind, _ request: LoopbackRequest) -> LoopbackResponse {
        switch kind {
        case .broken: .text("error", statusCode: 500)
        case .missing: .text("not found", statusCode: 404)
        case .cut: text(request).cut(.close, afterBodyBytes: 100)
        case .reset: text(request).cut(.reset, afterBodyBytes: 100)
        case .lost: text(request).cut(.reset, afterHeaderBytes: 0)
        case .never, .deadline: .never
        case .stalled: text(request).cut(.stall, afterBodyBytes: 100)
        case .cutDownload:
            LoopbackResponse(body: .repeating(pattern, count: size))
                .cut(.close, afterBodyBytes: size / 2)
        case .events, .eventsLeft, .stream, .streamLeft: stream(kind)
        default: text(request)
        }
    }

    private static func stream(_ kind: Kind) -> LoopbackResponse {
        let event = Data("id: 1\ndata: hello\n\n".utf8)
        let count = kind == .events ? events : 1 << 20
        let isEvents = kind == .events || kind == .eventsLeft
        let answer = LoopbackResponse(
            headers: [("Content-Type", isEvents ? "text/event-stream" : "text/plain")],
            body: isEvents
                ? .repeating(event, count: event.count * count) : .repeating(pattern, count: size),
            framing: .chunked(size: 1_024))
        return kind == .eventsLeft ? answer.dripping(bytes: 100, every: 0.002) : answer
    }

    /// Responds to a request for the rest of the body. Cuts off the response to other requests.
    private static func rest(_ request: LoopbackRequest, _ id: String) -> LoopbackResponse {
        let etag = "\"\(id)\""
        let range = request.header("Range")?.dropFirst("bytes=".count).dropLast()
        guard let start = range.flatMap({ Int($0) }), request.header("If-Range") == etag else {
            return LoopbackResponse(
                headers: [("ETag", etag)], body: .repeating(pattern, count: size)
            ).cut(.close, afterBodyBytes: size / 2)
        }
        let whole = Data(repeatElement(pattern, count: size / pattern.count).joined())
        return LoopbackResponse(
            statusCode: 206,
            headers: [("ETag", etag), ("Content-Range", "bytes \(start)-\(size - 1)/\(size)")],
            body: .data(whole.dropFirst(start)))
    }

    private static func serve(_ connection: RawServer.Connection) {
        while true {
            let words = connection.readHead().split(separator: " ")
            guard words.count > 1 else { return }
            let path = words[1].dropFirst()
            let text = body(path)
            let head = "HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n"
            if path.hasPrefix("twice") {
                // The second response must not be used for the next request.
                let other = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwrong"
                guard connection.write(head + text + other) else { return }
            } else if path.hasPrefix("endless") {
                guard connection.write("HTTP/1.1 200 OK\r\n") else { return }
                while connection.write("X: \(text)\r\n") {}
                return
            } else {
                connection.write("SSH-2.0-OpenSSH_9.2\r\n")
                return
            }
        }
    }
}
