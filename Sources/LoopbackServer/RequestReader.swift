// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// Takes requests off a connection; bytes of the next one stay here until it is asked for.
struct RequestReader {
    private static let headLimit = 1 << 20

    private let socket: LoopbackSocket
    private var received = [UInt8](repeating: 0, count: 65_536)
    private var pending: ArraySlice<UInt8> = []

    init(socket: LoopbackSocket) { self.socket = socket }

    /// Lines up to and including a blank one: a head, or the trailers after chunks.
    mutating func readLines() throws(ConnectionEnd) -> [Data] {
        var (lines, size) = ([Data](), 0)
        repeat {
            lines.append(try readLine(limit: Self.headLimit - size))
            size += lines.last?.count ?? 0
        } while ![Data("\r\n".utf8), Data("\n".utf8)].contains(lines.last)
        return lines
    }

    mutating func readBody(
        of request: inout LoopbackRequest, keepingUpTo limit: Int
    ) throws(ConnectionEnd) {
        switch request.framing {
        case .length(let count): try readBytes(count, of: &request, keepingUpTo: limit)
        case .chunked:
            while let size = try readChunkSize() {
                try readBytes(size, of: &request, keepingUpTo: limit)
                guard try readLine(limit: 2) == Data("\r\n".utf8) else { throw .malformed }
            }
            _ = try readLines()
        }
    }

    /// Nil for the last one, which is 0.
    private mutating func readChunkSize() throws(ConnectionEnd) -> Int? {
        let line = String(decoding: try readLine(limit: 4096), as: UTF8.self)
        let digits = line.prefix { $0.isHexDigit }
        let rest = line.dropFirst(digits.count)
        guard let size = Int(digits, radix: 16), rest.hasSuffix("\r\n"),
            rest == "\r\n" || rest.hasPrefix(";")
        else { throw .malformed }
        return size == 0 ? nil : size
    }

    // A bare LF ends a line too, so that what is malformed is refused, not waited on for ever.
    private mutating func readLine(limit: Int) throws(ConnectionEnd) -> Data {
        var line = Data()
        repeat {
            try fill()
            let end = pending.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 }
            line.append(contentsOf: pending[..<(end ?? pending.endIndex)])
            pending = pending[(end ?? pending.endIndex)...]
            guard line.count <= limit else { throw .malformed }
        } while line.last != UInt8(ascii: "\n")
        return line
    }

    private mutating func readBytes(
        _ count: Int, of request: inout LoopbackRequest, keepingUpTo limit: Int
    ) throws(ConnectionEnd) {
        var left = count
        while left > 0 {
            try fill()
            request.addToBody(pending.prefix(left), keepingUpTo: limit)
            let taken = min(left, pending.count)
            pending = pending.dropFirst(taken)
            left -= taken
        }
    }

    private mutating func fill() throws(ConnectionEnd) {
        guard pending.isEmpty else { return }
        pending = []  // otherwise it would share the buffer, and reading would copy it
        let count = socket.receive(into: &received)
        guard count > 0 else { throw .hungUp }
        pending = received[..<count]
    }
}
