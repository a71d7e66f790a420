// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// Builds events from lines (WHATWG HTML, section 9.2.6).
nonisolated struct ServiceEventParser {
    /// The identifier of the last complete event; nil if the server has sent none, not even an empty one.
    private(set) var lastID: String?
    /// The identifier of the event that isn't complete yet.
    private var id: String?
    /// The event that the lines since the last empty one describe.
    private var draft = ServiceEvent()
    private var isFirstLine = true

    /// The number of bytes in the event that isn't complete yet.
    var size: Int { draft.data.utf8.count }
    /// How many seconds the server wants clients to wait before they reconnect.
    var retry: TimeInterval? { draft.retry }

    /// Drops the event that isn't complete, because another connection starts.
    mutating func restart() {
        id = lastID
        draft = ServiceEvent(retry: draft.retry)
        isFirstLine = true
    }

    /// Adds a line to the draft. An empty line ends the event, which is returned if it has data.
    mutating func read(_ text: String) -> ServiceEvent? {
        // By bytes: as a `Character`, a colon would include an accent that follows it.
        var line = text.utf8[...]
        let hasMark = isFirstLine && line.starts(with: "\u{FEFF}".utf8)
        isFirstLine = false
        if hasMark {
            line = line.dropFirst(3)
        }
        guard line.isEmpty else {
            readField(line)
            return nil
        }
        lastID = id
        var event = draft
        event.id = id ?? ""
        draft = ServiceEvent(retry: event.retry)
        // Drops the LF after the last line.
        let hasData = event.data.unicodeScalars.popLast() != nil
        return hasData ? event : nil
    }

    private mutating func readField(_ line: Substring.UTF8View) {
        let name = line.prefix { $0 != UInt8(ascii: ":") }
        var rest = line.dropFirst(name.count + 1)
        if rest.first == UInt8(ascii: " ") {
            rest = rest.dropFirst()
        }
        // A longer name is unknown, and may take long to compare.
        guard name.count <= 5 else { return }
        let value = String(Substring(rest))
        switch String(Substring(name)) {
        case "event": draft.name = value.isEmpty ? "message" : value
        case "data": draft.data += value + "\n"
        case "id" where !value.utf8.contains(0): id = value
        case "retry" where value.utf8.allSatisfy { (0x30...0x39).contains($0) }:
            draft.retry = TimeInterval(value).map { $0 / 1_000 } ?? draft.retry
        default: break
        }
    }
}
