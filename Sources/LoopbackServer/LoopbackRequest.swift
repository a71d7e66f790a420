// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// A request as it came over the wire.
public struct LoopbackRequest: Sendable {
    /// The method as it came, such as "GET".
    public let method: String
    /// The target as it came, such as "/a?b=c".
    public let target: String
    /// The version as it came: "HTTP/1.1" or "HTTP/1.0".
    public let version: String
    /// The headers in the order and the case they came in, duplicates kept.
    ///
    /// Space around a value is left out, and bytes that are not UTF-8 are replaced; ``head`` has
    /// both.
    public let headers: [(name: String, value: String)]
    /// The raw bytes up to and including the blank line.
    public let head: Data
    /// The body, without the chunked framing it may have come in, as far as the server keeps it.
    public internal(set) var body = Data()
    /// The size of the whole body in bytes, those that were not kept included.
    public internal(set) var bodySize = 0
    /// The index of the connection it came on, from 0 in the order they were accepted.
    public let connection: Int
    /// Its index among the requests on that connection, from 0.
    public let exchange: Int
    /// Whether the whole body came.
    ///
    /// False when the client hung up inside the body, or broke its framing. Such a request is
    /// recorded, but takes no answer from the queue or the closure.
    public internal(set) var isComplete = false

    /// A request whose body has not been read; nil where its head is malformed.
    init?(_ head: Data, _ connection: Int, _ exchange: Int) {
        let lines = String(decoding: head, as: UTF8.self).components(separatedBy: "\r\n")
        let words = lines[0].components(separatedBy: " ")
        let fields = lines.dropFirst().filter { !$0.isEmpty }.map { line in
            line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        }
        guard words.count == 3, fields.allSatisfy({ $0.count == 2 }) else { return nil }
        (method, target, version) = (words[0], words[1], words[2])
        headers = fields.map { (String($0[0]), $0[1].trimmingCharacters(in: .whitespaces)) }
        (self.head, self.connection, self.exchange) = (head, connection, exchange)
    }

    /// The target up to the first "?", still percent-encoded.
    public var path: String { String(target.prefix { $0 != "?" }) }

    /// The target after the first "?", still percent-encoded; nil where there is none.
    public var query: String? { path == target ? nil : String(target.dropFirst(path.count + 1)) }

    /// The first value of a header, its name compared without regard to case.
    public func header(_ name: String) -> String? { headers[name] }
}

extension [(name: String, value: String)] {
    /// The fields as they are sent, each on its line.
    var lines: String { map { "\($0.name): \($0.value)\r\n" }.joined() }

    var sayClose: Bool { self["Connection"]?.lowercased().contains("close") == true }

    /// The first value of a header.
    subscript(key: String) -> String? { first { $0.name.lowercased() == key.lowercased() }?.value }
}
