/// Dates in fields (RFC 9110, section 5.6.7).
/// All three forms must be accepted; names are compared without regard to case.
package enum HTTPDate {
    /// Seconds since 1970; nil for a text in none of the three forms. `now`, in the same seconds, determines the century of
    /// two-digit years: a year that seems more than 50 years in the future is taken to be past.
    package static func parse(_ value: [UInt8], now: Int64) -> Int64? {
        // Longer texts are no dates.
        guard value.count <= 64 else { return nil }
        // Hyphens separate the parts of the obsolete RFC 850 form.
        let words = value.split { Byte.isSpace($0) || $0 == Byte.comma || $0 == Byte.hyphen }
        switch words.count {
        case 6 where isGreenwich(words[5]):  // Sun, 06 Nov 1994 08:49:37 GMT; Sunday, 06-Nov-94 08:49:37 GMT
            guard let year = year(words[3], now: now) else { return nil }
            return seconds(year, month: words[2], day: words[1], time: words[4])
        case 5:  // Sun Nov  6 08:49:37 1994
            guard let year = year(words[4], now: now) else { return nil }
            return seconds(year, month: words[1], day: words[2], time: words[3])
        default: return nil
        }
    }

    /// A part of the text.
    private typealias Word = ArraySlice<UInt8>

    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]

    /// "UTC" is not in the grammar, but servers send it.
    private static func isGreenwich(_ word: Word) -> Bool { ["gmt", "utc"].contains(lowercased(word)) }

    private static func lowercased(_ word: Word) -> String { String(decoding: word.map(Byte.lowercased), as: UTF8.self) }

    /// nil unless the word consists of digits, in a permitted number.
    private static func number(_ word: Word, digits: ClosedRange<Int>) -> Int64? {
        guard digits.contains(word.count), word.allSatisfy(Byte.isDigit) else { return nil }
        return word.reduce(0) { $0 * 10 + Int64($1 - Byte.zero) }
    }

    /// `word`: four or two digits.
    private static func year(_ word: Word, now: Int64) -> Int64? {
        if let year = number(word, digits: 4...4) { return year }
        guard let short = number(word, digits: 2...2) else { return nil }
        let current = yearAndDay(now).year
        let year = current - current % 100 + short
        // RFC 9110, section 5.6.7, requires this interpretation.
        return year > current + 50 ? year - 100 : year
    }

    /// nil for days, hours or seconds that do not exist.
    private static func seconds(_ year: Int64, month: Word, day: Word, time: Word) -> Int64? {
        guard let index = months.firstIndex(of: lowercased(month)), let day = number(day, digits: 1...2) else { return nil }
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let lengths: [Int64] = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        let parts = time.split(separator: Byte.colon, omittingEmptySubsequences: false)
        // 1583 is the first complete year of the Gregorian calendar.
        guard year >= 1583, day >= 1, day <= lengths[index], parts.count == 3,
            let hour = number(parts[0], digits: 1...2), let minute = number(parts[1], digits: 2...2),
            // 60 is a leap second.
            let second = number(parts[2], digits: 2...2), hour < 24, minute < 60, second <= 60
        else { return nil }
        return (daysBefore(year) + lengths[..<index].reduce(0, +) + day - 1) * 86400 + hour * 3600 + minute * 60 + second
    }

    /// Days from 1970-01-01 to the first day of a year of the Gregorian calendar.
    private static func daysBefore(_ year: Int64) -> Int64 {
        let past = year - 1
        return past * 365 + past / 4 - past / 100 + past / 400 - 719_162
    }

    /// Year, and days since its beginning; times before 1970 count as 1970.
    private static func yearAndDay(_ seconds: Int64) -> (year: Int64, day: Int64) {
        let days = max(0, seconds) / 86400
        // A lower estimate, because years have at most 366 days.
        var year = 1970 + days / 366
        while daysBefore(year + 1) <= days { year += 1 }
        return (year, days - daysBefore(year))
    }
}
