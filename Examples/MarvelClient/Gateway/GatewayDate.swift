// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// Reads the dates of the API, which no formatter of Foundation reads all of.
enum GatewayDate {
    /// The seconds since 1970 of `2014-04-29T14:18:17-0400` or `2014-04-29`; nil for anything else.
    ///
    /// A leading minus belongs to the year, because `-0001-11-30T00:00:00-0500` is a date of this
    /// API. A date without a time starts at midnight in New York's winter, as all the unset dates.
    static func instant(_ text: String) -> Int? {
        var reader = Reader(rest: text.utf8[...])
        let sign = reader.skip("-") ? -1 : 1
        guard let year = reader.number(digits: 4), reader.skip("-"),
            let month = reader.number(digits: 2), reader.skip("-"), (1...12).contains(month),
            let day = reader.number(digits: 2), day >= 1,
            day <= daysInMonth(month, year: sign * year)
        else { return nil }
        let midnight = daysSince1970(year: sign * year, month: month, day: day) * 86_400
        if reader.isAtEnd { return midnight + 5 * 3_600 }
        guard let time = time(&reader), let offset = offset(&reader), reader.isAtEnd else {
            return nil
        }
        return midnight + time - offset
    }

    /// `T14:18:17` as seconds.
    private static func time(_ reader: inout Reader) -> Int? {
        guard reader.skip("T"), let hour = reader.number(digits: 2), hour < 24, reader.skip(":"),
            let minute = reader.number(digits: 2), minute < 60, reader.skip(":"),
            let second = reader.number(digits: 2), second < 60
        else { return nil }
        return hour * 3_600 + minute * 60 + second
    }

    /// `Z`, `-0400` or `-04:00` as seconds east of Greenwich.
    private static func offset(_ reader: inout Reader) -> Int? {
        if reader.skip("Z") { return 0 }
        let sign: Int
        if reader.skip("+") {
            sign = 1
        } else if reader.skip("-") {
            sign = -1
        } else {
            return nil
        }
        guard let hour = reader.number(digits: 2), hour < 24 else { return nil }
        _ = reader.skip(":")
        guard let minute = reader.number(digits: 2), minute < 60 else { return nil }
        return sign * (hour * 3_600 + minute * 60)
    }

    private static func daysInMonth(_ month: Int, year: Int) -> Int {
        switch month {
        case 4, 6, 9, 11: 30
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        default: 31
        }
    }

    /// Days in the proleptic Gregorian calendar. The year starts in March, so that the leap day
    /// is its last and the months before it need no case of their own.
    private static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
        let shifted = month > 2 ? year : year - 1
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    /// Walks over the bytes of a date.
    private struct Reader {
        var rest: Substring.UTF8View

        var isAtEnd: Bool { rest.isEmpty }

        /// Skips `scalar` if it comes next, and says whether it did.
        mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
            guard let first = rest.first, UInt32(first) == scalar.value else { return false }
            rest = rest.dropFirst()
            return true
        }

        /// Exactly that many digits; no sign, no blank.
        mutating func number(digits: Int) -> Int? {
            let taken = rest.prefix(digits)
            guard taken.count == digits, taken.allSatisfy({ (48...57).contains($0) }) else {
                return nil
            }
            rest = rest.dropFirst(digits)
            return taken.reduce(0) { $0 * 10 + Int($1) - 48 }
        }
    }
}
