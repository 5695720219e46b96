/// A point in time: milliseconds since 1970-01-01T00:00:00Z, as Apple writes dates.
package struct Moment: RawRepresentable, Hashable, Comparable, Sendable {
    package let rawValue: Int64

    package init(rawValue: Int64) { self.rawValue = rawValue }

    package init(milliseconds: Int64) { self.rawValue = milliseconds }

    /// Milliseconds since the epoch.
    package var milliseconds: Int64 { self.rawValue }

    package static func < (left: Moment, right: Moment) -> Bool { left.rawValue < right.rawValue }

    /// Saturates instead of trapping: dates come from outside.
    package static func + (moment: Moment, duration: Milliseconds) -> Moment {
        let (sum, overflow) = moment.rawValue.addingReportingOverflow(duration.rawValue)
        return Moment(rawValue: overflow ? (duration.rawValue > 0 ? .max : .min) : sum)
    }

    package static func - (moment: Moment, duration: Milliseconds) -> Moment {
        let (difference, overflow) = moment.rawValue.subtractingReportingOverflow(duration.rawValue)
        return Moment(rawValue: overflow ? (duration.rawValue > 0 ? .min : .max) : difference)
    }

    package static let distantPast = Moment(rawValue: .min)
    package static let distantFuture = Moment(rawValue: .max)
}

/// A length of time in milliseconds.
package struct Milliseconds: RawRepresentable, Hashable, Comparable, Sendable {
    package let rawValue: Int64

    package init(rawValue: Int64) { self.rawValue = rawValue }

    package static func < (left: Milliseconds, right: Milliseconds) -> Bool { left.rawValue < right.rawValue }

    package static func seconds(_ count: Int64) -> Milliseconds { Milliseconds(rawValue: count * 1_000) }
    package static func minutes(_ count: Int64) -> Milliseconds { .seconds(count * 60) }
    package static func hours(_ count: Int64) -> Milliseconds { .minutes(count * 60) }
    package static func days(_ count: Int64) -> Milliseconds { .hours(count * 24) }
}
