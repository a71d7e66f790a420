// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// Why a connection ends.
enum ConnectionEnd: Error {
    /// An answer said so, or the request did.
    case finished
    /// The client is gone, or the server stops.
    case hungUp
    case malformed
    case cut(LoopbackAnswer.Cut)
}

/// One connection, on its own thread: reads a request, records it, answers it, and again.
struct LoopbackConnection {
    let socket: LoopbackSocket
    let index: Int
    let state: LoopbackState

    func serve() {
        var reader = RequestReader(socket: socket)
        do throws(ConnectionEnd) {
            for exchange in 0... { try serveNext(from: &reader, exchange) }
        } catch {
            end(error)
        }
    }

    private func serveNext(
        from reader: inout RequestReader, _ exchange: Int
    ) throws(ConnectionEnd) {
        let lines = try reader.readLines()
        guard
            var request = LoopbackRequest(headLines: lines, connection: index, exchange: exchange)
        else { throw .malformed }
        if request.expectsContinue {
            guard socket.transmit(ArraySlice("HTTP/1.1 100 Continue\r\n\r\n".utf8)) else {
                throw .hungUp
            }
        }
        do throws(ConnectionEnd) {
            try reader.readBody(of: &request, keepingUpTo: state.bodyLimit)
        } catch {
            state.record(request)
            throw error
        }
        request.isComplete = true
        state.record(request)
        var writer = AnswerWriter(state.answer(to: request), socket: socket)
        try writer.send(isHead: request.method == "HEAD", clientCloses: request.asksToClose)
    }

    private func end(_ reason: ConnectionEnd) {
        var resetting = false
        switch reason {
        case .finished, .hungUp, .cut(.close): break
        case .cut(.reset): resetting = true
        case .cut(.stall): socket.drain()
        case .malformed:
            let answer = LoopbackAnswer.text("LoopbackServer: malformed request\n", status: 400)
            var writer = AnswerWriter(answer, socket: socket)
            try? writer.send(isHead: false, clientCloses: true)
            // Closed with bytes unread, the system resets, and the client may lose the answer.
            socket.endOutput()
            socket.drain(until: LoopbackSocket.now + 1)
        }
        socket.hangUp(resetting: resetting)
    }
}
