// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// Random numbers that are the same on every run (SplitMix64).
///
/// A generator made from bytes reads its numbers from them until none are left. A fuzzer that chooses
/// the bytes therefore chooses the generated values.
public struct SeededGenerator: RandomNumberGenerator {
    public var state: UInt64
    private var bytes: ArraySlice<UInt8> = []
    /// Whether the generator was made from bytes.
    public let isGuided: Bool

    public init(state: UInt64) { (self.state, isGuided) = (state, false) }

    public init(bytes: [UInt8]) {
        // The numbers after the last byte depend on all bytes (FNV-1a).
        state = bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        (self.bytes, isGuided) = (bytes[...], true)
    }

    public mutating func next() -> UInt64 { next(bytes: 8) }

    /// Returns a number of up to 8 bytes. Only a generator made from bytes returns fewer than 8.
    public mutating func next(bytes count: Int) -> UInt64 {
        if !bytes.isEmpty {
            let first = bytes.prefix(count)
            bytes = bytes.dropFirst(count)
            return first.reduce(0) { $0 << 8 | UInt64($1) }
        }
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Takes all bytes that are left.
    public mutating func takeRest() -> [UInt8] {
        defer { bytes = [] }
        return Array(bytes)
    }
}
