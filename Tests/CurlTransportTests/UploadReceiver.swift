// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import Foundation
import TestSupport

/// The server's end of one upload: reads its chunks, and responds as the plan says.
final class UploadReceiver: Sendable {
    struct State {
        /// The bytes that haven't been decoded.
        var rest = Data()
        var body = Data()
        var isComplete = false
        var isClosed = false
        var isOver: Bool { isComplete || isClosed }

        mutating func take(_ data: Data) {
            rest += data
            while !isComplete, let line = rest.range(of: Data("\r\n".utf8)) {
                let text = String(decoding: rest[rest.startIndex..<line.lowerBound], as: UTF8.self)
                guard let size = Int(text, radix: 16) else { return isClosed = true }
                let chunk = rest[line.upperBound...]
                // Two more for the line's end.
                guard chunk.count >= size + 2 else { return }
                body += chunk.prefix(size)
                rest = Data(chunk.dropFirst(size + 2))
                isComplete = size == 0
            }
        }
    }

    let state = Locked(State())
    private let plan: UploadPlan

    init(_ plan: UploadPlan) { self.plan = plan }

    /// Reads on this thread, and responds on another one.
    func serve(_ connection: RawServer.Connection) {
        let parts = connection.readHead().components(separatedBy: "\r\n\r\n")
        guard parts.count >= 2 else { return }
        take(Data(parts.dropFirst().joined(separator: "\r\n\r\n").utf8))
        let hasResponded = DispatchSemaphore(value: 0)
        Thread.detachNewThread { [self] in
            respond(connection)
            hasResponded.signal()
        }
        while case let data = connection.read(), !data.isEmpty { take(data) }
        state { $0.isClosed = true }
        hasResponded.wait()
    }

    private func take(_ data: Data) { state { $0.take(data) } }

    private func respond(_ connection: RawServer.Connection) {
        var random = SeededGenerator(state: plan.seed)
        // Some responses begin before the first piece.
        if Bool.random(using: &random) { waitForMore(than: 0) }
        if plan.response == .refusal {
            connection.write("HTTP/1.1 413 X\r\nContent-Length: 3\r\nConnection: close\r\n\r\nbig")
            return connection.endOutput()
        }
        let field =
            plan.isChunked
            ? "Transfer-Encoding: chunked"
            : "Content-Length: \(plan.isCut ? plan.size + 100 : plan.size)"
        connection.write("HTTP/1.1 200 OK\r\n\(field)\r\n\r\n")
        write(plan.body, connection, &random)
        if plan.isCut { return connection.endOutput() }
        guard plan.isChunked else { return }
        if !plan.isEarly { waitForTheEnd() }
        let hasTrailer = [.trailer, .earlyTrailer].contains(plan.response)
        connection.write(hasTrailer ? "0\r\nX-Late: 1\r\n\r\n" : "0\r\n\r\n")
    }

    /// Writes the body in bursts, and waits for more of the upload now and then.
    private func write(
        _ body: Data, _ connection: RawServer.Connection, _ random: inout SeededGenerator
    ) {
        var rest = body
        while !rest.isEmpty {
            // libcurl handles several bursts in one turn.
            let burst = Int.random(in: 1...4, using: &random) * 65_536
            // The last burst ends the body of a known length.
            if rest.count <= burst, !plan.isEarly { waitForTheEnd() }
            let part = Data(rest.prefix(burst))
            rest = rest.dropFirst(burst)
            if plan.isChunked {
                // The chunk of a cut is longer than what arrives of it.
                let isLast = plan.isCut && rest.isEmpty
                let size = isLast ? part.count + 10 : part.count
                connection.write(
                    Data("\(String(size, radix: 16))\r\n".utf8) + part
                        + Data((isLast ? "" : "\r\n").utf8))
            } else {
                connection.write(part)
            }
            if !plan.isEarly, Bool.random(using: &random) {
                waitForMore(than: state { $0.body.count })
            }
        }
    }

    private func waitForMore(than count: Int) {
        _ = state.wait { $0.body.count > count || $0.isOver }
    }

    private func waitForTheEnd() { _ = state.wait { $0.isOver } }
}
#endif
