// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

nonisolated extension Date {
    /// Parses the three formats of a date in HTTP (RFC 9110, section 5.6.7).
    ///
    /// By hand: DateFormatter on Linux traps at "Fri\u{FE01} Jan 15 08:00:09 2027", for example.
    ///
    /// - Parameter now: A year of two digits ends at most 50 years after this.
    package init?(httpDate text: String, now: Date) {
        // The longest date is "Wednesday, 06-Nov-94 08:49:37 GMT".
        guard text.utf8.count <= 33, text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        var words = text.split { " ,-".contains($0) }
        // "Sun Nov  6 08:49:37 1994"
        if words.count == 5 { words = [words[0], words[2], words[1], words[4], words[3], "GMT"] }
        guard words.count == 6, words[5] == "GMT", [2, 4].contains(words[3].utf8.count),
            let month = Self.months.firstIndex(of: words[2]), let day = Self.number(words[1]),
            var year = Self.number(words[3])
        else { return nil }
        let time = words[4].split(separator: ":").compactMap(Self.number)
        guard day < 32, time.count == 3, time[0] < 24, time[1] < 60, time[2] < 61
        else { return nil }
        if words[3].utf8.count == 2 {
            // The last year that ends within 50 years.
            let years = now.timeIntervalSince1970 / 31_556_952 + 1970 + 49
            let latest = years > 0 ? Int(Swift.min(years, 9_999)) : 0
            year += latest / 100 * 100
            if year > latest { year -= 100 }
        }
        let date = DateComponents(
            calendar: Calendar(identifier: .gregorian), timeZone: TimeZone(secondsFromGMT: 0),
            year: year, month: month + 1, day: day)
        guard date.isValidDate, let midnight = date.date else { return nil }
        self = midnight + TimeInterval(time[0] * 3_600 + time[1] * 60 + time[2])
    }

    private static let months: [Substring] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func number(_ digits: Substring) -> Int? {
        digits.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(digits) : nil
    }
}
