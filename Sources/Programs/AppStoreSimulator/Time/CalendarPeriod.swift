package import Subscriptions

/// How long a subscription period or an offer lasts, in calendar units as the store counts them.
package enum CalendarPeriod: Hashable, Sendable {
    case days(Int64)
    case weeks(Int64)
    case months(Int64)
    case years(Int64)

    package func times(_ factor: Int64) -> CalendarPeriod {
        switch self {
        case .days(let count): .days(count * factor)
        case .weeks(let count): .weeks(count * factor)
        case .months(let count): .months(count * factor)
        case .years(let count): .years(count * factor)
        }
    }

    /// ISO 8601, as in `offerPeriod`: P3D, P1W, P1M, P1Y.
    package var iso8601: String {
        switch self {
        case .days(let count): "P\(count)D"
        case .weeks(let count): "P\(count)W"
        case .months(let count): "P\(count)M"
        case .years(let count): "P\(count)Y"
        }
    }
}

extension Moment {
    /// The same time of day in UTC, a period later. A day that the month does not have becomes the month's last.
    package func after(_ period: CalendarPeriod) -> Moment {
        switch period {
        case .days(let count): self + .days(count)
        case .weeks(let count): self + .days(7 * count)
        case .months(let count): self.adding(months: count)
        case .years(let count): self.adding(months: 12 * count)
        }
    }

    private func adding(months: Int64) -> Moment {
        let day = CivilDay(daysSinceEpoch: self.milliseconds.floorDivided(by: CivilDay.milliseconds))
        let timeOfDay = self.milliseconds - day.daysSinceEpoch * CivilDay.milliseconds
        let month = day.year * 12 + day.month - 1 + months
        let first = CivilDay(
            year: month.floorDivided(by: 12), month: month - month.floorDivided(by: 12) * 12 + 1, day: 1)
        let length = CivilDay.length(ofMonth: first.month, year: first.year)
        let days = first.daysSinceEpoch + min(day.day, length) - 1
        return Moment(milliseconds: days * CivilDay.milliseconds + timeOfDay)
    }
}

/// A day of the proleptic Gregorian calendar (Howard Hinnant's algorithms for civil dates).
private struct CivilDay {
    static let milliseconds: Int64 = 86_400_000

    let year: Int64
    /// 1…12
    let month: Int64
    /// 1…31
    let day: Int64

    init(year: Int64, month: Int64, day: Int64) {
        self.year = year
        self.month = month
        self.day = day
    }

    init(daysSinceEpoch: Int64) {
        let shifted = daysSinceEpoch + 719_468
        let era = shifted.floorDivided(by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        self.day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        self.month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        self.year = yearOfEra + era * 400 + (self.month <= 2 ? 1 : 0)
    }

    var daysSinceEpoch: Int64 {
        let year = self.month <= 2 ? self.year - 1 : self.year
        let era = year.floorDivided(by: 400)
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (self.month > 2 ? self.month - 3 : self.month + 9) + 2) / 5 + self.day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    static func length(ofMonth month: Int64, year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

extension Int64 {
    fileprivate func floorDivided(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = self.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
