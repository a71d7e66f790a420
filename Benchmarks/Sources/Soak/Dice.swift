// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// A random number generator that gives the same numbers for the same seed (SplitMix64).
struct Dice: RandomNumberGenerator {
    private var state: UInt64

    init(seed: Int, call: Int) {
        state = UInt64(truncatingIfNeeded: seed) &* 0x9E37_79B9_7F4A_7C15
        state ^= UInt64(truncatingIfNeeded: call) &* 0xD1B5_4A32_D192_ED03
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func kind(of kinds: [Kind]) -> Kind {
        var left = Int.random(in: 0..<kinds.reduce(0) { $0 + $1.weight }, using: &self)
        return kinds.first {
            left -= $0.weight
            return left < 0
        } ?? .text
    }

    /// The seconds after which to cancel a call. Nil for four calls of five.
    mutating func moment() -> Double? {
        Int.random(in: 0..<5, using: &self) == 0 ? Double.random(in: 0...0.03, using: &self) : nil
    }
}
