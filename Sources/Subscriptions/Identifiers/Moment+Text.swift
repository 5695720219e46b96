extension Moment: CustomStringConvertible {
    /// RFC 3339 in UTC with milliseconds; the bare milliseconds outside the years 0…9999, which that form cannot say.
    package var description: String {
        let days = self.day
        guard (-719_528...2_932_896).contains(days) else { return String(self.rawValue) }
        let time = self.rawValue - days * 86_400_000
        let (year, month, day) = Self.civilDate(days)
        let clock = "\(Self.padded(time / 3_600_000, 2)):\(Self.padded(time / 60_000 % 60, 2))"
        return "\(Self.padded(year, 4))-\(Self.padded(month, 2))-\(Self.padded(day, 2))T\(clock)"
            + ":\(Self.padded(time / 1_000 % 60, 2)).\(Self.padded(time % 1_000, 3))Z"
    }

    /// Days since 1970, UTC.
    var day: Int64 {
        let (quotient, remainder) = self.rawValue.quotientAndRemainder(dividingBy: 86_400_000)
        return remainder < 0 ? quotient - 1 : quotient
    }

    /// Howard Hinnant's `civil_from_days`: the proleptic Gregorian date of a day since 1970, for years from 0.
    private static func civilDate(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468  // since 1 March of the year 0
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
