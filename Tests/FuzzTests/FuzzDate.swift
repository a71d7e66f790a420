// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// A date of the proleptic Gregorian calendar, calculated by hand.
struct FuzzDate {
    let year, month, day, weekday, hour, minute, second: Int

    init(_ seconds: Double) {
        let whole = Int(seconds.rounded(.down))
        let days = (whole - (whole % 86_400 + 86_400) % 86_400) / 86_400
        let time = whole - days * 86_400
        (hour, minute, second) = (time / 3_600, time / 60 % 60, time % 60)
        // 1970-01-01 was a Thursday.
        weekday = ((days + 4) % 7 + 7) % 7
        var (rest, year) = (days, 1970)
        // Every span of 400 years has the same number of days.
        let spans = (rest - (rest % 146_097 + 146_097) % 146_097) / 146_097
        (rest, year) = (rest - spans * 146_097, year + spans * 400)
        while rest >= Self.days(in: year) { (rest, year) = (rest - Self.days(in: year), year + 1) }
        var month = 0
        let lengths = [31, Self.days(in: year) - 337, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        while rest >= lengths[month] { (rest, month) = (rest - lengths[month], month + 1) }
        (self.year, self.month, day) = (year, month + 1, rest + 1)
    }

    private static func days(in year: Int) -> Int {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 366 : 365
    }

    static func padded(_ number: Int, _ length: Int = 2) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, length - digits.count)) + digits
    }

    var time: String { "\(Self.padded(hour)):\(Self.padded(minute)):\(Self.padded(second))" }

    /// Formats a date as in RFC 3339.
    static func text(_ seconds: Double) -> String {
        let date = FuzzDate(seconds)
        let day = "\(padded(date.year, 4))-\(padded(date.month))-\(padded(date.day))"
        return "\(day)T\(date.time)Z"
    }
}
