// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// Sends one answer. All its bytes pass through `put`, where drips and cuts take effect.
struct AnswerWriter {
    private let socket: LoopbackSocket
    private let answer: LoopbackAnswer
    private let pieceSize: Int
    private var pending: [UInt8] = []
    private var sentCount = 0
    private var cutPosition = Int.max

    init(_ answer: LoopbackAnswer, socket: LoopbackSocket) {
        (self.answer, self.socket) = (answer, socket)
        pieceSize = answer.drip?.bytes ?? 65_536
    }

    mutating func send(isHead: Bool, clientCloses: Bool) throws(ConnectionEnd) {
        guard let body = AnswerBody(answer.body) else {
            let report = LoopbackAnswer.text("cannot read \(answer.body)\n", status: 500)
            var writer = AnswerWriter(report, socket: socket)
            return try writer.send(isHead: isHead, clientCloses: clientCloses)
        }
        defer { body.close() }
        let closes = answer.closesConnection(clientCloses: clientCloses)
        let head = answer.isRaw ? Data() : answer.head(length: body.length, closes: closes)
        switch answer.cut?.place {
        case .head(let count): cutPosition = answer.isRaw ? count : min(count, head.count)
        case .body(let count): cutPosition = head.count + min(count, Int.max - head.count)
        case nil: break
        }
        try pause(answer.headDelay)
        try put(head)
        if answer.bodyDelay > 0 {
            try flush()
            try pause(answer.bodyDelay)
        }
        if answer.isRaw || (!isHead && answer.carriesBody) { try put(body) }
        try flush()
        if let cut = answer.cut { throw .cut(cut.how) }
        if closes { throw .finished }
    }

    private mutating func put(_ body: AnswerBody) throws(ConnectionEnd) {
        guard case .chunked(let size) = answer.framing, !answer.isRaw else {
            return try body.forEachPiece { piece throws(ConnectionEnd) in try put(piece) }
        }
        var (left, leftInChunk) = (body.length, 0)
        try body.forEachPiece { piece throws(ConnectionEnd) in
            var rest = piece
            while !rest.isEmpty {
                if leftInChunk == 0 {
                    leftInChunk = min(max(1, size), left)
                    try put(Data("\(String(leftInChunk, radix: 16))\r\n".utf8))
                }
                let part = rest.prefix(leftInChunk)
                try put(part)
                rest = rest.dropFirst(part.count)
                left -= part.count
                leftInChunk -= part.count
                if leftInChunk == 0 { try put(Data("\r\n".utf8)) }
            }
        }
        try put(Data("0\r\n\(answer.trailers.lines)\r\n".utf8))
    }

    private mutating func put(_ bytes: Data) throws(ConnectionEnd) {
        var rest = bytes
        while !rest.isEmpty {
            pending += rest.prefix(65_536)
            rest = rest.dropFirst(65_536)
            if pending.count >= pieceSize { try flush(onlyWholePieces: true) }
        }
    }

    private mutating func flush(onlyWholePieces: Bool = false) throws(ConnectionEnd) {
        var rest = pending[...]
        while rest.count >= (onlyWholePieces ? pieceSize : 1) {
            if let drip = answer.drip, sentCount > 0 { try pause(drip.seconds) }
            let part = rest.prefix(min(pieceSize, cutPosition - sentCount))
            guard socket.transmit(part) else { throw .hungUp }
            sentCount += part.count
            if let cut = answer.cut, sentCount == cutPosition { throw .cut(cut.how) }
            rest = rest.dropFirst(part.count)
        }
        pending = Array(rest)
    }

    private func pause(_ seconds: TimeInterval) throws(ConnectionEnd) {
        let deadline = LoopbackSocket.now + seconds
        guard socket.wait(for: 0, until: deadline) == .timedOut else { throw .hungUp }
    }
}
