/// A day of the proleptic Gregorian calendar, from year 0 on.
struct CivilDate {
    var year: Int
    var month: Int
    var day: Int

    init(year: Int, month: Int, day: Int) {
        self.year = year
        self.month = month
        self.day = day
    }

    /// nil for a day that does not exist.
    var daysSinceYear0: Int? {
        guard (1...12).contains(self.month), self.day >= 1, self.day <= Self.lengths(self.year)[self.month - 1] else {
            return nil
        }
        return Self.days(before: self.year) + Self.lengths(self.year)[..<(self.month - 1)].reduce(0, +) + self.day - 1
    }

    /// Years are counted from 1 March, so that a leap day is the last of its year (Howard Hinnant's `civil_from_days`).
    init(daysSinceYear0 days: Int) {
        let fromMarch = days - 60 + 146_097  // one era of 400 years more, to stay positive
        let era = fromMarch / 146_097
        let dayOfEra = fromMarch % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        self.day = dayOfYear - (153 * shifted + 2) / 5 + 1
        self.month = shifted < 10 ? shifted + 3 : shifted - 9
        self.year = yearOfEra + (era - 1) * 400 + (self.month <= 2 ? 1 : 0)
    }

    private static func days(before year: Int) -> Int {
        year * 365 + (year + 3) / 4 - (year + 99) / 100 + (year + 399) / 400
    }

    private static func lengths(_ year: Int) -> [Int] {
        let isLeap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
        return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    }
}
