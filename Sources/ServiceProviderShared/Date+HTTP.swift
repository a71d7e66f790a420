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
        if words.count == 5 {
            // "Sun Nov  6 08:49:37 1994"
            words = [words[0], words[2], words[1], words[4], words[3], "GMT"]
        }
        guard words.count == 6, words[5] == "GMT" else { return nil }
        guard let time = Self.seconds(words[4]), let day = Self.number(words[1]) else { return nil }
        guard let month = Self.months.firstIndex(of: words[2]) else { return nil }
        guard let year = Self.year(words[3], now: now) else { return nil }
        let date = DateComponents(
            calendar: Calendar(identifier: .gregorian), timeZone: TimeZone(secondsFromGMT: 0),
            year: year, month: month + 1, day: day)
        guard date.isValidDate, let midnight = date.date else { return nil }
        self = midnight + TimeInterval(time)
    }

    /// The seconds since midnight of a time such as `08:49:37`, which may be a leap second.
    private static func seconds(_ time: Substring) -> Int? {
        let parts = time.split(separator: ":").compactMap(number)
        guard parts.count == 3, parts[0] < 24 else { return nil }
        guard parts[1] < 60, parts[2] < 61 else { return nil }
        return parts[0] * 3_600 + parts[1] * 60 + parts[2]
    }

    /// A year of four digits, or of two: then it's the last one that ends within 50 years.
    private static func year(_ digits: Substring, now: Date) -> Int? {
        guard let year = number(digits), digits.utf8.count != 2 else {
            return number(digits).map { latestYear(endingWith: $0, now: now) }
        }
        return digits.utf8.count == 4 ? year : nil
    }

    private static func latestYear(endingWith digits: Int, now: Date) -> Int {
        let limit = now.timeIntervalSince1970 / 31_556_952 + 1970 + 49
        let latest = Int(Swift.min(Swift.max(limit, 0), 9_999))
        let year = latest / 100 * 100 + digits
        guard year > latest else { return year }
        return year - 100
    }

    private static let months: [Substring] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func number(_ digits: Substring) -> Int? {
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(digits)
    }
}
