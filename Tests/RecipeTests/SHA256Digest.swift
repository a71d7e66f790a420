// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// The SHA-256 of bytes (FIPS 180-4, section 6.2), for a server that checks a login. Linux has none.
func sha256(_ data: Data) -> Data {
    var message = [UInt8](data)
    message.append(0x80)
    message += [UInt8](repeating: 0, count: (120 - message.count % 64) % 64)
    message += bytes(UInt64(data.count) * 8)
    // The first bits of the fractional parts of roots of primes.
    var hash = primes(8).map { fraction(Double($0).squareRoot()) }
    let constants = primes(64).map { fraction(cubeRoot(Double($0))) }
    for start in stride(from: 0, to: message.count, by: 64) {
        var words = (0..<16).map { word in
            message[start + 4 * word..<start + 4 * word + 4].reduce(UInt32(0)) {
                $0 << 8 | UInt32($1)
            }
        }
        for place in 16..<64 {
            let early = words[place - 15]
            let late = words[place - 2]
            let first = rotated(early, 7) ^ rotated(early, 18) ^ early >> 3
            let second = rotated(late, 17) ^ rotated(late, 19) ^ late >> 10
            words.append(words[place - 16] &+ first &+ words[place - 7] &+ second)
        }
        var state = hash
        for round in 0..<64 {
            let (a, e) = (state[0], state[4])
            let choice = e & state[5] ^ ~e & state[6]
            let majority = a & state[1] ^ a & state[2] ^ state[1] & state[2]
            let mixed = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)
            let sum = state[7] &+ mixed &+ choice &+ constants[round] &+ words[round]
            let other = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) &+ majority
            state = [sum &+ other] + state.dropLast()
            state[4] = state[4] &+ sum
        }
        hash = zip(hash, state).map { $0 &+ $1 }
    }
    return Data(hash.flatMap(bytes))
}

private func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0) }
}

private func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 {
    word >> count | word << (32 - count)
}

private func primes(_ count: Int) -> [Int] {
    let found = (2...).lazy.filter { number in (2..<number).allSatisfy { number % $0 != 0 } }
    return Array(found.prefix(count))
}

/// By Newton's method.
private func cubeRoot(_ number: Double) -> Double {
    (0..<60).reduce(into: number) { root, _ in
        root -= (root - number / (root * root)) / 3
    }
}

/// The first 32 bits after the point.
private func fraction(_ number: Double) -> UInt32 {
    UInt32((number - number.rounded(.down)) * 0x1p32)
}
