// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import Foundation
import TestSupport
import Testing

@testable import CurlTransport

/// Decides which addresses are public, at the ends of each special range and at random. The result
/// must match a comparison with the ranges of IANA's registries, bit by bit.
@Suite(.slow, .serialized, .opensFiles, .timeLimit) struct AddressFuzz {
    /// Ranges that aren't public. `::ffff:0:0/96`, `64:ff9b::/96` and `2002::/16` contain an address
    /// of IPv4.
    static let ranges4 = [
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16",
        "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16",
        "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
    ]
    static let ranges6 = [
        "::/3", "4000::/2", "8000::/1", "2001::/23", "2001:db8::/32", "3fff::/20",
    ]
    static let embedded = [("::ffff:0:0", 96), ("64:ff9b::", 96), ("2002::", 16)]

    @Test func specialAddressesAreNotPublic() async throws {
        try await Fuzz.run("AddressFuzz", count: 20_000) { _, random in
            let is4 = random.oneIn(2)
            var bytes = (0..<(is4 ? 4 : 16)).map { _ in UInt8(random.number(256)) }
            if !random.oneIn(4) {
                let ranges = is4 ? Self.ranges4.map(Self.range) : Self.ranges6.map(Self.range)
                let special = ranges + (is4 ? [] : Self.embedded.map { Self.bytes($0.0, $0.1) })
                let (start, length) = special[random.number(special.count)]
                // The first bits of the range, sometimes with the last one flipped.
                for bit in 0..<length { Self.set(bit, of: &bytes, to: Self.bit(bit, of: start)) }
                if random.oneIn(3) { bytes[(length - 1) / 8] ^= UInt8(0x80 >> ((length - 1) % 8)) }
            }
            let address = CurlAddress(bytes: bytes)
            try require(
                address.isPublic == Self.isPublic(bytes), "isPublic is \(address.isPublic)",
                "\(bytes)")
        }
    }

    private static func isPublic(_ bytes: [UInt8]) -> Bool {
        if bytes.count == 4 { return !ranges4.map(range).contains { contains($0, bytes) } }
        for (start, length) in embedded where contains(Self.bytes(start, length), bytes) {
            return isPublic(Array(bytes[(length / 8)..<(length / 8 + 4)]))
        }
        return !ranges6.map(range).contains { contains($0, bytes) }
    }

    private static func contains(_ range: ([UInt8], Int), _ bytes: [UInt8]) -> Bool {
        (0..<range.1).allSatisfy { bit($0, of: range.0) == bit($0, of: bytes) }
    }

    private static func bit(_ bit: Int, of bytes: [UInt8]) -> Bool {
        bytes[bit / 8] & UInt8(0x80 >> (bit % 8)) != 0
    }

    private static func set(_ bit: Int, of bytes: inout [UInt8], to value: Bool) {
        let mask = UInt8(0x80 >> (bit % 8))
        bytes[bit / 8] = value ? bytes[bit / 8] | mask : bytes[bit / 8] & ~mask
    }

    private static func range(_ text: String) -> ([UInt8], Int) {
        let sides = text.split(separator: "/")
        return bytes(String(sides[0]), Int(sides[1]) ?? 0)
    }

    private static func bytes(_ text: String, _ length: Int) -> ([UInt8], Int) {
        var bytes = [UInt8](repeating: 0, count: text.contains(":") ? 16 : 4)
        let family = bytes.count == 4 ? AF_INET : AF_INET6
        precondition(inet_pton(family, text, &bytes) == 1)
        return (bytes, length)
    }
}
#endif
