// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// Serves one connection on its own thread: reads and records its requests, and responds to them, one by one.
struct LoopbackConnection: Sendable {
    let socket: LoopbackSocket
    let index: Int
    let state: LoopbackState
    let maximumBodySize: Int
    let handler: @Sendable (LoopbackRequest) -> LoopbackResponse
    /// Received bytes that haven't been used yet. They may contain the next request.
    var pending: ArraySlice<UInt8> = []

    consuming func serve() {
        do throws(Ending) {
            for number in 0... {
                let request = try readRequest(number)
                let response = state.record(request) ?? handler(request)
                try ResponseWriter(socket: socket, response: response).send(for: request)
            }
        } catch {
            while error.how == .stall, (try? socket.read()) != nil {}
            if error.how == .reset {
                socket.resetOnClose()
            }
        }
        socket.hangUp()
    }

    private mutating func readRequest(_ number: Int) throws(Ending) -> LoopbackRequest {
        let head = try readText(through: "\r\n\r\n")
        guard var request = LoopbackRequest(head, index, number) else { throw socket.refusal() }
        if request.header("Expect")?.lowercased() == "100-continue" {
            try socket.write(Data("HTTP/1.1 100 Continue\r\n\r\n".utf8))
        }
        do throws(Ending) {
            try readBody(of: &request)
        } catch {
            // Tests can inspect the incomplete request, too.
            state.record(request)
            throw error
        }
        request.isComplete = true
        return request
    }

    private mutating func readBody(of request: inout LoopbackRequest) throws(Ending) {
        switch request.header("Transfer-Encoding")?.lowercased() {
        case nil: try take(Int(request.header("Content-Length") ?? "0"), of: &request)
        case "chunked": try readChunks(of: &request)
        default: throw socket.refusal()
        }
    }

    private mutating func readChunks(of request: inout LoopbackRequest) throws(Ending) {
        var size: Int?
        repeat {
            let line = String(decoding: try readText(through: "\r\n"), as: UTF8.self)
            size = Int(line.prefix(while: \.isHexDigit), radix: 16)
            try take(size, of: &request)
            while try readText(through: "\r\n").count > 2 {
                // Only the last chunk, the empty one, has lines after it: the trailers.
                guard size == 0 else { throw socket.refusal() }
            }
        } while size != 0
    }

    private mutating func take(_ size: Int?, of request: inout LoopbackRequest) throws(Ending) {
        guard var left = size, left >= 0 else { throw socket.refusal() }
        while left > 0 {
            let part = try receive(atMost: left)
            request.body += part.prefix(max(0, maximumBodySize - request.body.count))
            request.bodySize += part.count
            left -= part.count
        }
    }

    /// Reads text, such as a line, including its end mark. At most about 1 MB.
    private mutating func readText(through end: String) throws(Ending) -> Data {
        var text = Data()
        while !text.suffix(end.utf8.count).elementsEqual(end.utf8) {
            // The first byte of a TLS handshake is 0x16.
            guard text.count < 1 << 20, text.first != 0x16 else { throw socket.refusal() }
            text += try receive(atMost: pending.prefix { $0 != UInt8(ascii: "\n") }.count + 1)
        }
        return text
    }

    private mutating func receive(atMost limit: Int) throws(Ending) -> ArraySlice<UInt8> {
        if pending.isEmpty {
            pending = try socket.read()[...]
        }
        let part = pending.prefix(limit)
        pending = pending.dropFirst(limit)
        return part
    }
}
