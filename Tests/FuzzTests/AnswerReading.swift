// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import TestSupport

/// A reference reading of a response, strictly by RFC 9112.
enum AnswerReading: Equatable {
    case answer(status: Int, body: Data)
    /// The response is shorter than announced, so no client may accept it.
    case cut
    /// Clients may read the response differently.
    case unknown

    /// The status code. Nil if the response is cut or unknown.
    var status: Int? { if case .answer(let status, _) = self { status } else { nil } }

    /// - Parameter isHead: Whether this is the response to a HEAD request.
    init(_ bytes: [UInt8], isHead: Bool) {
        var reader = AnswerReader(rest: bytes[...])
        guard Self.hasHead(bytes) else {
            self = .cut
            return
        }
        repeat {
            guard let head = reader.readHead() else {
                self = .unknown
                return
            }
            // After an informational response, another response follows.
            guard (100...199).contains(head.status), head.status != 101 else {
                self = reader.readBody(head, isHead: isHead)
                return
            }
        } while true
    }

    /// Whether there's an empty line anywhere, even by the most lenient reading.
    private static func hasHead(_ bytes: [UInt8]) -> Bool {
        var isEmpty = false
        for byte in bytes {
            if byte == 0x0A, isEmpty { return true }
            isEmpty = byte == 0x0A || byte == 0x0D && isEmpty
        }
        return false
    }
}

private struct AnswerReader {
    struct Head {
        var status = 0
        var isOld = false
        var fields: [(name: String, value: String)] = []

        func values(_ name: String) -> [String] {
            fields.filter { $0.name == name }.map(\.value)
        }
    }

    var rest: ArraySlice<UInt8>

    /// Reads a line that ends with CRLF and has no control characters. Otherwise nil.
    private mutating func readLine() -> String? {
        let line = rest.prefix { $0 >= 0x20 && $0 < 0x7F || $0 == 0x09 }
        guard rest.dropFirst(line.count).starts(with: [0x0D, 0x0A]) else { return nil }
        rest = rest.dropFirst(line.count + 2)
        return String(decoding: line, as: UTF8.self)
    }

    /// Reads status line and headers. Nil if they don't strictly follow the RFC.
    mutating func readHead() -> Head? {
        var head = Head()
        guard let line = readLine(), line.hasPrefix("HTTP/1.1 ") || line.hasPrefix("HTTP/1.0 "),
            case let code = line.dropFirst(9).prefix(3), code.allSatisfy("0123456789".contains),
            let status = Int(code), status >= 100,
            line.count == 12 || line.dropFirst(12).first == " "
        else { return nil }
        (head.status, head.isOld) = (status, line.hasPrefix("HTTP/1.0"))
        while let line = readLine() {
            guard !line.isEmpty else { return head }
            let name = line.prefix { $0 != ":" }
            let isToken = name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" }
            guard isToken, !name.isEmpty, name.count < line.count else { return nil }
            let value = line.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces)
            head.fields.append((name.lowercased(), value))
        }
        return nil
    }

    mutating func readBody(_ head: Head, isHead: Bool) -> AnswerReading {
        let isRedirect = [301, 302, 303, 307, 308].contains(head.status)
        if isRedirect, !head.values("location").isEmpty { return .unknown }
        if head.status == 101 || !head.values("upgrade").isEmpty { return .unknown }
        let (lengths, codings) = (
            head.values("content-length"), head.values("transfer-encoding")
        )
        let numbers = lengths.compactMap { text in
            text.utf8.allSatisfy { (0x30...0x39).contains($0) } && text.count < 19 ? Int(text) : nil
        }
        guard lengths.count == numbers.count, Set(numbers).count < 2, codings.count < 2,
            numbers.isEmpty || codings.isEmpty
        else { return .unknown }
        // Clients may refuse an unknown coding, and headers longer than those of real servers.
        let isChunked = codings.first?.lowercased() == "chunked"
        let isLong = head.fields.contains { $0.value.utf8.count > 8_000 }
        guard codings.isEmpty || isChunked && !head.isOld, !isLong else { return .unknown }
        let isCoded = !head.values("content-encoding").isEmpty
        if isHead || [204, 304].contains(head.status) {
            return .answer(status: head.status, body: Data())
        }
        if isChunked {
            let reading = readChunks(head.status)
            return isCoded && reading != .cut ? .unknown : reading
        }
        let length = numbers.first ?? rest.count
        guard rest.count >= length else { return .cut }
        return isCoded ? .unknown : .answer(status: head.status, body: Data(rest.prefix(length)))
    }

    private mutating func readChunks(_ status: Int) -> AnswerReading {
        var body = Data()
        while true {
            guard let line = readLine() else { return isAtEndOfLine ? .cut : .unknown }
            guard (1...8).contains(line.count), let size = Int(line, radix: 16), size >= 0,
                line.first != "+", line.first != "-"
            else { return .unknown }
            guard size > 0 else { break }
            guard rest.count >= size else { return .cut }
            body += rest.prefix(size)
            rest = rest.dropFirst(size)
            guard rest.starts(with: [0x0D, 0x0A]) else { return rest.count < 2 ? .cut : .unknown }
            rest = rest.dropFirst(2)
        }
        while let line = readLine() {
            if line.isEmpty { return .answer(status: status, body: body) }
            guard line.contains(":"), line.first != ":" else { return .unknown }
        }
        // If only the last LF is missing, the response is complete.
        return isAtEndOfLine && !rest.elementsEqual([0x0D]) ? .cut : .unknown
    }

    /// Whether the rest is an incomplete line.
    private var isAtEndOfLine: Bool {
        let line = rest.prefix { $0 >= 0x20 && $0 < 0x7F || $0 == 0x09 }
        let end = rest.dropFirst(line.count)
        return end.isEmpty || end.elementsEqual([0x0D])
    }
}
