import Foundation
import Subscriptions

extension Moment {
    /// Noon in UTC of a day such as 2026-05-01.
    init(day: String) throws {
        let date = try Date.ISO8601FormatStyle().parse(day + "T12:00:00Z")
        self.init(milliseconds: Int64(date.timeIntervalSince1970) * 1_000)
    }
}
