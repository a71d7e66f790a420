// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProviderSupport
import TestSupport
import Testing

/// Numbers from a server, on systems whose `Int` has 64 bits or, as on some watches, 32.
@Suite struct NumberTests {
    @Test(
        .row("Z25"),
        arguments: [
            ("0", 0), ("007", 7), ("2147483647", 2_147_483_647), ("2147483648", nil),
            ("4294967296", nil), ("9999999999", nil), ("999999999999999999", nil),
            ("000000000000000009", 9), ("0000000000000000009", nil), ("", nil), ("-1", nil),
            ("+1", nil), (" 1", nil), ("1 ", nil), ("1.0", nil), ("1e3", nil), ("0x1", nil),
            ("\u{661}", nil), ("1\u{301}", nil), ("_1", nil),
        ] as [(String, Int32?)])
    func aNumberThatDoesNotFitIsNone(_ text: String, _ expected: Int32?) {
        #expect(text.number(as: Int32.self) == expected)
    }

    @Test func allNumbersOf18DigitsFitInto64Bits() {
        #expect("999999999999999999".number() == 999_999_999_999_999_999)
        #expect("1000000000000000000".number() == nil)
        #expect("999999999999999999".number(as: Int64.self) == 999_999_999_999_999_999)
    }

    @Test(arguments: [
        "S 9999999999 Nov 1994 8:4:3 GMT", "Sun, 9999999999 Nov 1994 GMT",
        "Sun, 06 Nov 9999999999 08:49:37 GMT", "Sun, 06 Nov 1994 9999999999 GMT",
        "Sun, 06 Nov 1994 99:99:99 GMT", "Sun, 99 Nov 1994 08:49:37 GMT",
        "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 0000 08:49:37 GMT",
        "Sun Nov 99 08:49:37 1994", "Sun Nov 06 08:49:37 99999",
    ])
    func aDateWithLargeNumbersIsNone(_ text: String) {
        #expect(Date(httpDate: text, now: Date(timeIntervalSince1970: 0)) == nil)
    }
}
