// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// The MD5 digest (RFC 1321), which the Marvel API requires to sign requests.
///
/// Foundation doesn't include MD5 on Linux, and a single client doesn't justify a dependency. MD5
/// is insecure: use it only if a server requires it, as here.
enum MD5 {
    /// The digest of `data` as 32 lowercase hexadecimal digits.
    static func hexDigest(_ data: some Sequence<UInt8>) -> String {
        var message = Array(data)
        pad(&message)
        var state: [UInt32] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476]
        for start in stride(from: 0, to: message.count, by: 64) {
            let added = mix(state, words(of: message[start..<start + 64]))
            for index in state.indices { state[index] &+= added[index] }
        }
        return state.map(littleEndianHex).joined()
    }

    /// Appends a 1 bit, zeros up to byte 56 of a block, and the length in bits.
    private static func pad(_ message: inout [UInt8]) {
        // RFC 1321 counts bits modulo 2^64, so this may overflow.
        let bits = UInt64(message.count) &* 8
        message.append(0x80)
        while message.count % 64 != 56 { message.append(0) }
        for shift in stride(from: 0, to: 64, by: 8) {
            message.append(UInt8(truncatingIfNeeded: bits >> UInt64(shift)))
        }
    }

    /// The sixteen little-endian words of a block of 64 bytes.
    private static func words(of block: ArraySlice<UInt8>) -> [UInt32] {
        var words = [UInt32](repeating: 0, count: 16)
        for (offset, byte) in block.enumerated() {
            words[offset / 4] |= UInt32(byte) << UInt32(offset % 4 * 8)
        }
        return words
    }

    /// Runs the four rounds over one block. Returns the words to add to `state`.
    private static func mix(_ state: [UInt32], _ words: [UInt32]) -> [UInt32] {
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        for step in 0..<64 {
            let chosen: UInt32
            let word: Int
            switch step / 16 {
            case 0: (chosen, word) = ((b & c) | (~b & d), step)
            case 1: (chosen, word) = ((d & b) | (~d & c), (5 * step + 1) % 16)
            case 2: (chosen, word) = (b ^ c ^ d, (3 * step + 5) % 16)
            default: (chosen, word) = (c ^ (b | ~d), 7 * step % 16)
            }
            let sum = a &+ chosen &+ sines[step] &+ words[word]
            let turn = turns[step / 16][step % 4]
            (a, d, c, b) = (d, c, b, b &+ ((sum << turn) | (sum >> (32 - turn))))
        }
        return [a, b, c, d]
    }

    /// The word as eight hexadecimal digits, lowest byte first.
    private static func littleEndianHex(_ word: UInt32) -> String {
        let digits = String(word.byteSwapped, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }

    /// The rotation in bits for each step of the four rounds.
    private static let turns: [[UInt32]] = [
        [7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21],
    ]

    /// The constants of RFC 1321: the integer part of 2^32 times |sin(1)| … |sin(64)|.
    // swift-format-ignore
    private static let sines: [UInt32] = [
        0xd76a_a478, 0xe8c7_b756, 0x2420_70db, 0xc1bd_ceee,
        0xf57c_0faf, 0x4787_c62a, 0xa830_4613, 0xfd46_9501,
        0x6980_98d8, 0x8b44_f7af, 0xffff_5bb1, 0x895c_d7be,
        0x6b90_1122, 0xfd98_7193, 0xa679_438e, 0x49b4_0821,
        0xf61e_2562, 0xc040_b340, 0x265e_5a51, 0xe9b6_c7aa,
        0xd62f_105d, 0x0244_1453, 0xd8a1_e681, 0xe7d3_fbc8,
        0x21e1_cde6, 0xc337_07d6, 0xf4d5_0d87, 0x455a_14ed,
        0xa9e3_e905, 0xfcef_a3f8, 0x676f_02d9, 0x8d2a_4c8a,
        0xfffa_3942, 0x8771_f681, 0x6d9d_6122, 0xfde5_380c,
        0xa4be_ea44, 0x4bde_cfa9, 0xf6bb_4b60, 0xbebf_bc70,
        0x289b_7ec6, 0xeaa1_27fa, 0xd4ef_3085, 0x0488_1d05,
        0xd9d4_d039, 0xe6db_99e5, 0x1fa2_7cf8, 0xc4ac_5665,
        0xf429_2244, 0x432a_ff97, 0xab94_23a7, 0xfc93_a039,
        0x655b_59c3, 0x8f0c_cc92, 0xffef_f47d, 0x8584_5dd1,
        0x6fa8_7e4f, 0xfe2c_e6e0, 0xa301_4314, 0x4e08_11a1,
        0xf753_7e82, 0xbd3a_f235, 0x2ad7_d2bb, 0xeb86_d391,
    ]
}
