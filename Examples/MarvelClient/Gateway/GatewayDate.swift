// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// Parses the dates of the API. No single Foundation formatter can parse them all.
enum GatewayDate {
    /// Parses dates such as `2014-04-29T14:18:17-0400` and `2014-04-29` into seconds since 1970.
    /// Returns nil for any other text.
    ///
    /// A leading minus belongs to the year, because the API uses `-0001-11-30T00:00:00-0500`. A
    /// date without a time means midnight in New York's winter time, as in the placeholder dates.
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

    /// Parses `T14:18:17` into seconds.
    private static func time(_ reader: inout Reader) -> Int? {
        guard reader.skip("T"), let hour = reader.number(digits: 2), hour < 24, reader.skip(":"),
            let minute = reader.number(digits: 2), minute < 60, reader.skip(":"),
            let second = reader.number(digits: 2), second < 60
        else { return nil }
        return hour * 3_600 + minute * 60 + second
    }

    /// Parses `Z`, `-0400` or `-04:00` into seconds east of Greenwich.
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

    /// Days in the proleptic Gregorian calendar. Years start in March here, which makes the leap
    /// day the last day of the year.
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

        /// Skips `scalar` if it comes next. Returns whether it did.
        mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
            guard let first = rest.first, UInt32(first) == scalar.value else { return false }
            rest = rest.dropFirst()
            return true
        }

        /// Reads a number of exactly this many digits, without a sign or spaces.
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
