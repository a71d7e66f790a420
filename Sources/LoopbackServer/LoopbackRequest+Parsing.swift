// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

extension LoopbackRequest {
    enum Framing {
        case length(Int)
        case chunked
    }

    private static let tokenBytes = Set(
        "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)

    /// A request whose body has not been read; nil where the lines do not make a sound head.
    ///
    /// Strict, since what a lenient server forgives a client's tests would never see.
    init?(headLines lines: [Data], connection: Int, exchange: Int) {
        guard lines.allSatisfy({ $0.suffix(2) == Data("\r\n".utf8) }) else { return nil }
        let texts = lines.map { String(decoding: $0.dropLast(2), as: UTF8.self) }
        let words = (texts.first ?? "").components(separatedBy: " ")
        let fields = texts.dropFirst().dropLast().compactMap(Self.field)
        guard texts.allSatisfy(Self.isPrintable), words.count == 3, Self.isToken(words[0]),
            !words[1].isEmpty, ["HTTP/1.1", "HTTP/1.0"].contains(words[2]),
            fields.count == texts.count - 2, let framing = Self.framing(fields)
        else { return nil }
        (method, target, version) = (words[0], words[1], words[2])
        (headers, head, self.framing) = (fields, Data(lines.joined()), framing)
        (self.connection, self.exchange) = (connection, exchange)
    }

    var expectsContinue: Bool {
        if case .length(0) = framing { return false }
        return version == "HTTP/1.1" && headers.tokens(of: "Expect").contains("100-continue")
    }

    var asksToClose: Bool {
        version == "HTTP/1.0" || headers.tokens(of: "Connection").contains("close")
    }

    mutating func addToBody(_ part: ArraySlice<UInt8>, keepingUpTo limit: Int) {
        body.append(contentsOf: part.prefix(limit - body.count))
        bodySize += part.count
    }

    private static func field(_ line: String) -> (name: String, value: String)? {
        guard let colon = line.firstIndex(of: ":"), isToken(line[..<colon]) else { return nil }
        let value = line[line.index(after: colon)...]
        return (
            String(line[..<colon]), value.trimmingCharacters(in: CharacterSet(charactersIn: " \t"))
        )
    }

    private static func framing(_ fields: [(name: String, value: String)]) -> Framing? {
        let lengths = Set(fields.tokens(of: "Content-Length"))
        let codings = fields.tokens(of: "Transfer-Encoding")
        guard let length = lengths.first else {
            return codings.isEmpty ? .length(0) : codings == ["chunked"] ? .chunked : nil
        }
        // Both at once, or two lengths that differ, is how requests are smuggled.
        guard codings.isEmpty, lengths.count == 1, !length.hasPrefix("+") else { return nil }
        return Int(length).flatMap { $0 < 0 ? nil : .length($0) }
    }

    private static func isToken(_ text: some StringProtocol) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy(tokenBytes.contains)
    }

    private static func isPrintable(_ text: String) -> Bool {
        text.utf8.allSatisfy { ($0 >= 32 && $0 != 127) || $0 == UInt8(ascii: "\t") }
    }
}

extension [(name: String, value: String)] {
    /// The fields as they are sent, each on its line.
    var lines: String { map { "\($0.name): \($0.value)\r\n" }.joined() }

    func values(of name: String) -> [String] {
        let wanted = name.lowercased()
        return filter { $0.name.lowercased() == wanted }.map(\.value)
    }

    /// The items of a list header, from all its lines, in lower case.
    func tokens(of name: String) -> [String] {
        values(of: name).flatMap { $0.lowercased().components(separatedBy: ",") }
            .map { $0.trimmingCharacters(in: .whitespaces) }
    }
}
