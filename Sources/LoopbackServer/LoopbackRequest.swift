// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// A request as the server received it.
public struct LoopbackRequest: Sendable {
    /// The method as received, such as "GET".
    public let method: String
    /// The target as received, such as "/a?b=c".
    public let target: String
    /// The version as received, such as "HTTP/1.1".
    public let version: String
    /// The headers in their original order and case, including duplicates.
    ///
    /// Spaces around values are removed, and bytes that aren't UTF-8 are replaced. ``head`` has the
    /// original bytes.
    public let headers: [(name: String, value: String)]
    /// The request line and the headers as raw bytes, including the blank line at the end.
    public let head: Data
    /// The body without chunked framing, up to the server's limit for recorded bodies.
    public internal(set) var body = Data()
    /// The size of the whole body in bytes, including those above the limit.
    public internal(set) var bodySize = 0
    /// The index of its connection, from 0, in the order in which the server accepted them.
    public let connection: Int
    /// Its index among the requests on that connection, from 0.
    public let indexInConnection: Int
    /// Whether the whole body was received.
    ///
    /// False if the client closed the connection within the body, or if the framing was malformed.
    /// Such a request is recorded, but doesn't get a response from the queue or the closure.
    public internal(set) var isComplete = false

    /// Creates a request without its body. Nil if the request line doesn't have three words, or a header has no colon.
    init?(_ head: Data, _ connection: Int, _ indexInConnection: Int) {
        let lines = String(decoding: head, as: UTF8.self).components(separatedBy: "\r\n")
        let words = lines[0].components(separatedBy: " ")
        let fields = lines.dropFirst().filter { !$0.isEmpty }.map(\.unicodeScalars).map {
            $0.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        }
        guard words.count == 3, fields.allSatisfy({ $0.count == 2 }) else { return nil }
        method = words[0]
        target = words[1]
        version = words[2]
        headers = fields.map { (String($0[0]), String($0[1]).trimmingCharacters(in: .whitespaces)) }
        self.head = head
        self.connection = connection
        self.indexInConnection = indexInConnection
    }

    /// The target up to the first "?", still percent-encoded.
    public var path: String { String(target.prefix { $0 != "?" }) }

    /// The target after the first "?", still percent-encoded. Nil if there is no "?".
    public var query: String? { path == target ? nil : String(target.dropFirst(path.count + 1)) }

    /// The first value of a header, by its name in any case.
    public func header(_ name: String) -> String? { headers[name] }
}

extension [(name: String, value: String)] {
    /// The fields in HTTP/1 format, one per line.
    var lines: String { map { "\($0.name): \($0.value)\r\n" }.joined() }

    /// Whether the connection closes after the message with these headers.
    var sayClose: Bool { self["Connection"]?.lowercased().contains("close") == true }

    /// The first value of a header.
    subscript(key: String) -> String? { first { $0.name.lowercased() == key.lowercased() }?.value }
}
