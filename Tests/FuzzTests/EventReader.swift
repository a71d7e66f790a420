// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderTransfers

/// Parses a complete text of server-sent events in the simplest possible way.
struct EventReader {
    private(set) var lines: [String] = []
    private(set) var events: [ServiceEvent] = []
    private var (data, name, id) = ([String](), "", "")
    private var retry: TimeInterval?

    init(_ text: Data) {
        var (line, index, isFirst) = ([UInt8](), 0, true)
        let bytes = Array(text)
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            guard byte == 0x0A || byte == 0x0D else {
                line.append(byte)
                continue
            }
            if byte == 0x0D, index < bytes.count, bytes[index] == 0x0A { index += 1 }
            lines.append(String(decoding: line, as: UTF8.self))
            if isFirst, line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
            read(line)
            (line, isFirst) = ([], false)
        }
        if !line.isEmpty { lines.append(String(decoding: line, as: UTF8.self)) }
    }

    private mutating func read(_ line: [UInt8]) {
        guard !line.isEmpty else {
            if !data.isEmpty {
                let (text, kind) = (data.joined(separator: "\n"), name.isEmpty ? "message" : name)
                events.append(ServiceEvent(data: text, name: kind, id: id, retry: retry))
            }
            (data, name) = ([], "")
            return
        }
        let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.count
        var rest = line[colon...].dropFirst()
        if rest.first == UInt8(ascii: " ") { rest = rest.dropFirst() }
        let value = String(decoding: rest, as: UTF8.self)
        switch String(decoding: line[..<colon], as: UTF8.self) {
        case "data": data.append(value)
        case "event": name = value
        case "id": if !rest.contains(0) { id = value }
        case "retry":
            let isNumber = rest.allSatisfy { $0 >= 0x30 && $0 <= 0x39 }
            if isNumber, let number = Double(value) { retry = number / 1_000 }
        default: break
        }
    }
}
