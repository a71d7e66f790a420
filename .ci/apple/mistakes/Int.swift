// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// Numbers that are too large for an `Int` of 32 bits. The compiler must diagnose each line marked WRONG with the text of
// its mark, and no other.

import Foundation

func maximumSize() -> Int { 5_000_000_000 }  // WRONG: integer literal '5000000000' overflows when stored into 'Int'

func product() -> Int { 4 * 1024 * 1024 * 1024 }  // WRONG: results in an overflow

func shifted() -> Int { 1 &<< 40 }  // WRONG: shift amount is greater than or equal to type size in bits

func nanoseconds() -> Int {
    let seconds = 10
    return seconds * 1_000_000_000  // WRONG: arithmetic operation '10 * 1000000000' (on type 'Int') results in an overflow
}

func hash(_ value: Int) -> Int {
    value &* 0x9E37_79B9_7F4A_7C15  // WRONG: overflows when stored into 'Int'
}

func size() -> Int64 { 5_000_000_000 }
