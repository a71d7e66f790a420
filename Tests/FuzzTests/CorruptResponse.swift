// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import TestSupport

/// The response with a given number: a sample, unchanged or corrupted.
struct CorruptResponse {
    /// A kind of call.
    enum Way: CaseIterable { case async, stream, download, handler }

    let method: ServiceMethod
    private(set) var bytes: [UInt8]
    /// The result that a call must return. Nil for a corrupted sample, which may mean anything.
    let meant: ResponseSample.Meaning?
    /// Whether the server keeps the connection open. A client that waits for its end then times
    /// out.
    let isHeld: Bool
    /// The kind of call that requests it.
    let way: Way

    init(_ number: Int) {
        var random = Fuzz.random(number)
        let sample = random.pick(ResponseSample.all)
        bytes = sample.bytes
        method = sample.method
        isHeld = random.oneIn(32)
        way = random.pick(Way.allCases)
        let changes = random.oneIn(8) ? 0 : 1 + random.number(3)
        for _ in 0..<changes {
            Self.change(&bytes, &random)
        }
        meant = bytes == sample.bytes ? sample.meant : nil
    }

    private static func change(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
        let start = random.number(bytes.count + 1)
        let end = min(start + 1 + random.number(random.oneIn(4) ? 200 : 4), bytes.count)
        switch random.number(9) {
        case 0 where start < bytes.count: bytes[start] ^= 1 << UInt8(random.number(8))
        case 1 where start < bytes.count: bytes[start] = UInt8(random.number(256))
        case 2: bytes.removeSubrange(start..<end)
        case 3: bytes.insert(contentsOf: random.bytes(6), at: start)
        case 4: bytes.insert(contentsOf: random.text().utf8, at: start)
        case 5: bytes.insert(contentsOf: bytes[start..<end], at: start)
        case 6: bytes.removeSubrange(start...)
        case 7:
            let other = random.pick(ResponseSample.all).bytes
            bytes.replaceSubrange(start..., with: other[random.number(other.count + 1)...])
        default:
            if random.oneIn(2) {
                changeNumber(&bytes, &random)
            } else {
                changeLine(&bytes, &random)
            }
        }
    }

    /// Replaces a number by an odd or too large one.
    private static func changeNumber(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
        let isDigit = { (byte: UInt8) in byte >= 0x30 && byte <= 0x39 }
        let starts = bytes.indices.filter {
            isDigit(bytes[$0]) && ($0 == 0 || !isDigit(bytes[$0 - 1]))
        }
        guard !starts.isEmpty else { return }
        let start = random.pick(starts)
        let end = bytes[start...].firstIndex { !isDigit($0) } ?? bytes.count
        let number = random.pick([
            "0", "1", "-1", "+5", "4", "6", "00005", "5.0", "0x5", "5 5", "", "٣", "999", "1000",
            "200",
            "2147483648", "4294967301", "9223372036854775807", "9223372036854775808",
            "18446744073709551621", "99999999999999999999999", "1e3",
        ])
        bytes.replaceSubrange(start..<end, with: number.utf8)
    }

    /// Replaces the end of a line.
    private static func changeLine(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
        let ends = bytes.indices.filter { bytes[$0] == 0x0A && $0 > 0 }
        guard !ends.isEmpty else { return }
        let end = random.pick(ends)
        let line = random.pick([
            "\n", "\r", "\r\r\n", "\n\r", "", "\r\n\r\n", " \r\n", "\r\n ", "\0\r\n",
        ])
        bytes.replaceSubrange((end - 1)...end, with: line.utf8)
    }
}
