// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

nonisolated extension Date {
    /// Parses the three formats of a date in HTTP (RFC 9110, section 5.6.7), in any case.
    ///
    /// By hand: DateFormatter on Linux traps at "Fri\u{FE01} Jan 15 08:00:09 2027", for example.
    ///
    /// - Parameter now: A year of two digits ends at most 50 years after this.
    package init?(httpDate text: String, now: Date) {
        // The longest date is "Wednesday, 06-Nov-94 08:49:37 GMT".
        guard text.utf8.count <= 33, text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        let text = text.lowercased()
        guard Self.formats.contains(Self.format(of: text)) else { return nil }
        var words = ArraySlice(field: text).words(separatedBy: " ,-")
        if words.count == 5 {
            // "sun nov  6 08:49:37 1994"
            words = [words[0], words[2], words[1], words[4], words[3], "gmt"]
        }
        guard words.count == 6, words[5] == "gmt" else { return nil }
        guard let time = Self.seconds(words[4]), let day = words[1].number() else { return nil }
        guard let month = Self.months.firstIndex(of: words[2]) else { return nil }
        guard let year = Self.year(words[3], now: now) else { return nil }
        let date = DateComponents(
            calendar: Calendar(identifier: .gregorian), timeZone: TimeZone(secondsFromGMT: 0),
            year: year, month: month + 1, day: day)
        guard date.isValidDate, let midnight = date.date else { return nil }
        self = midnight + TimeInterval(time)
    }

    /// The three formats, without the day of the week: its name isn't checked.
    private static let formats: Set = [
        // Sun, 06 Nov 1994 08:49:37 GMT
        ", 00 aaa 0000 00:00:00 aaa",
        // Sunday, 06-Nov-94 08:49:37 GMT
        ", 00-aaa-00 00:00:00 aaa",
        // Sun Nov 16 08:49:37 1994
        " aaa 00 00:00:00 0000",
        // Sun Nov  6 08:49:37 1994
        " aaa  0 00:00:00 0000",
    ]

    /// A date in lowercase with `0` for each digit and `a` for each letter, without its first word.
    private static func format(of date: String) -> String {
        let format = date.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt8(ascii: "a")
            default: byte
            }
        }
        return String(decoding: format.drop { $0 == UInt8(ascii: "a") }, as: UTF8.self)
    }

    /// The seconds since midnight of a time such as `08:49:37`, which may be a leap second.
    private static func seconds(_ time: String) -> Int? {
        let parts = ArraySlice(field: time).words(separatedBy: ":")
        guard parts.count == 3, let hours = parts[0].number(), hours < 24 else { return nil }
        guard let minutes = parts[1].number(), minutes < 60 else { return nil }
        guard let seconds = parts[2].number(), seconds < 61 else { return nil }
        return hours * 3_600 + minutes * 60 + seconds
    }

    /// A year of four digits, or of two: then it's the last one that ends within 50 years.
    private static func year(_ digits: String, now: Date) -> Int? {
        guard let number = digits.number() else { return nil }
        switch digits.utf8.count {
        case 4: return number
        case 2: return latestYear(endingWith: number, now: now)
        default: return nil
        }
    }

    private static func latestYear(endingWith digits: Int, now: Date) -> Int {
        let limit = now.timeIntervalSince1970 / 31_556_952 + 1970 + 49
        let latest = Int(Swift.min(Swift.max(limit, 0), 9_999))
        let year = latest / 100 * 100 + digits
        return year > latest ? year - 100 : year
    }

    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]
}
