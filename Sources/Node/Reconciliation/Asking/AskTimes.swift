package import Subscriptions

/// When Apple is asked about a subscription that stays doubtful: 15 s, 1, 5 and 15 min after the doubt arose, then hourly
/// for a day, then daily (domain §4). Each with up to a tenth of jitter, so that what became doubtful together is not
/// asked together.
package enum AskTimes {
    private static let first: [Milliseconds] = [.seconds(15), .minutes(1), .minutes(5), .minutes(15)]

    /// - Parameter chance: 0..<1.
    package static func next(since start: Moment, after now: Moment, chance: Double) -> Moment {
        let passed = Milliseconds(rawValue: max(0, now.milliseconds - start.milliseconds))
        let step = Self.first.first { $0 > passed } ?? Self.regular(after: passed)
        let wait = step.rawValue - passed.rawValue
        return now + Milliseconds(rawValue: wait + Int64(Double(wait) / 10 * chance))
    }

    private static func regular(after passed: Milliseconds) -> Milliseconds {
        let interval: Milliseconds = passed < .days(1) ? .hours(1) : .days(1)
        return Milliseconds(rawValue: (passed.rawValue / interval.rawValue + 1) * interval.rawValue)
    }
}
