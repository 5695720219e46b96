package import Subscriptions

/// What is sold, to whom, and what they do with it.
package struct Scenario: Hashable, Sendable {
    package var products: [Product]
    package var grace: GracePolicy
    /// Of everybody who has no script.
    package var habits: Habits
    /// They come first, so their ids are always the same.
    package var people: [ScriptedLife]

    package init(
        products: [Product], grace: GracePolicy = GracePolicy(), habits: Habits = Habits(), people: [ScriptedLife] = []
    ) {
        self.products = products
        self.grace = grace
        self.habits = habits
        self.people = people
    }

    package func product(_ id: String) -> Product? { self.products.first { $0.id == id } }
}

/// The app's billing grace period, as set in App Store Connect.
package struct GracePolicy: Hashable, Sendable {
    package enum Length: Int64, Sendable, CaseIterable {
        case none = 0
        case days3 = 3
        case days16 = 16
        case days28 = 28
    }

    package var length = Length.days16
    /// Whether a free trial that cannot be charged has grace as well.
    package var includesTrials = false

    package init(length: Length = .days16, includesTrials: Bool = false) {
        self.length = length
        self.includesTrials = includesTrials
    }

    /// nil without grace. Weekly products have 3 days if it is 3, else 6.
    package func duration(for period: CalendarPeriod) -> Milliseconds? {
        guard self.length != .none else { return nil }
        return .days(period == .weeks(1) || period == .days(7) ? min(self.length.rawValue, 6) : self.length.rawValue)
    }
}
