// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// Sends one response. Every byte passes through `put`, which applies drips and cuts.
struct ResponseWriter {
    private typealias Body = (length: Int, read: (_ offset: Int, _ count: Int) -> Data)

    private static let reasons = [
        200: "OK", 201: "Created", 204: "No Content", 301: "Moved Permanently", 302: "Found",
        304: "Not Modified", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden",
        404: "Not Found", 500: "Internal Server Error", 503: "Service Unavailable",
    ]

    let socket: LoopbackSocket
    let response: LoopbackResponse
    var sentCount = 0
    var cutPosition = Int.max

    consuming func send(for request: LoopbackRequest) throws(Ending) {
        guard let body = try? openBody() else { throw socket.refusal("500 Cannot Read File") }
        let closes = response.raw?.closes ?? closes(after: request)
        let head = response.raw?.bytes ?? head(length: body.length, closes: closes)
        cutPosition = response.cut.map { min($0.headBytes, head.count) + $0.bodyBytes } ?? .max
        try socket.pause(response.headDelay)
        try put(head)
        try socket.pause(response.bodyDelay)
        if response.hasBody && request.method != "HEAD" {
            try put(body)
        }
        guard !closes, response.cut == nil else { throw ending }
    }

    private var ending: Ending { Ending(how: response.cut?.how ?? .close) }

    private func closes(after request: LoopbackRequest) -> Bool {
        if case .untilClose = response.framing {
            return true
        }
        let isOld = request.version == "HTTP/1.0"
        return isOld || request.headers.sayClose || response.headers.sayClose
    }

    /// Returns the status line and the headers.
    private func head(length: Int, closes: Bool) -> Data {
        let framing: [(name: String, value: String)] =
            switch response.framing {
            case .contentLength where response.hasBody: [("Content-Length", "\(length)")]
            case .chunked where response.hasBody: [("Transfer-Encoding", "chunked")]
            default: []
            }
        let added = framing + (closes ? [("Connection", "close")] : [])
        let fields = response.headers + added.filter { response.headers[$0.name] == nil }
        let reason = response.reason ?? Self.reasons[response.statusCode] ?? "Status"
        return Data("HTTP/1.1 \(response.statusCode) \(reason)\r\n\(fields.lines)\r\n".utf8)
    }

    /// Returns the length of the body, and a function that reads at most `count` bytes of it.
    private func openBody() throws -> Body {
        switch response.body {
        case .data(let data): return (data.count, { data.dropFirst($0).prefix($1) })
        case .repeating(let pattern, let count) where !pattern.isEmpty:
            let block = Data(repeatElement(pattern, count: 65_536 / pattern.count + 2).joined())
            return (max(0, count), { block.dropFirst($0 % pattern.count).prefix($1) })
        case .none, .repeating: return (0, { _, _ in Data() })
        case .file(let url):
            let keys: Set<URLResourceKey> = [.isRegularFileKey, .fileSizeKey]
            let values = try url.resolvingSymlinksInPath().resourceValues(forKeys: keys)
            // Opening a FIFO would wait for a writer.
            guard values.isRegularFile == true else { throw CocoaError(.fileReadUnknown) }
            let file = try FileHandle(forReadingFrom: url)
            return (values.fileSize ?? 0, { (try? file.read(upToCount: $1)) ?? Data() })
        }
    }

    private mutating func put(_ body: Body) throws(Ending) {
        let size: Int? = if case .chunked(let size) = response.framing { max(1, size) } else { nil }
        var offset = 0
        while offset < body.length {
            let piece = body.read(offset, min(size ?? .max, 65_536, body.length - offset))
            guard !piece.isEmpty else { throw Ending(how: .close) }  // the file has become shorter
            let start = Data("\(String(piece.count, radix: 16))\r\n".utf8)
            try put(size == nil ? piece : start + piece + Data("\r\n".utf8))
            offset += piece.count
        }
        if size != nil {
            try put(Data("0\r\n\(response.trailers.lines)\r\n".utf8))
        }
    }

    private mutating func put(_ bytes: Data) throws(Ending) {
        var rest = bytes.prefix(cutPosition - sentCount)
        while !rest.isEmpty {
            if let drip = response.drip, sentCount > 0 {
                try socket.pause(drip.seconds)
            }
            let piece = rest.prefix(response.drip?.bytes ?? .max)
            try socket.write(piece)
            sentCount += piece.count
            rest = rest.dropFirst(piece.count)
        }
        guard sentCount < cutPosition else { throw ending }
    }
}
