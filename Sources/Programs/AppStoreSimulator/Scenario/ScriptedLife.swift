package import Subscriptions

/// A customer whose life is written down.
package struct ScriptedLife: Hashable, Sendable {
    package enum Step: Hashable, Sendable {
        case act(Act)
        case wait(Pause)
    }

    package enum Pause: Hashable, Sendable {
        case time(Milliseconds)
        /// `P1M` and the like, in UTC.
        case calendar(CalendarPeriod)
        /// Until so many more renewals have succeeded and the new period has begun; an hour into it.
        case renewals(Int)
    }

    package var name: String
    /// One line: what happens to them.
    package var story: String
    /// By which the publisher knows them; nil: the `appAccountToken` they buy with, or else their name in lower case.
    package var customerID: String?
    /// The `appAccountToken` they buy with, which the publisher's backend registers for their id when they arrive; nil: their
    /// id if that is a UUID.
    package var token: String?
    /// Buys in Sandbox, with the app that is sold to everybody, as App Review does.
    package var isInSandbox = false
    /// After the start of the simulation.
    package var arrivesAfter: Milliseconds
    package var steps: [Step]
    /// Begins again when it is over. A life that repeats has to contain a pause.
    package var repeats: Bool

    package init(
        name: String, story: String = "", arrivesAfter: Milliseconds = .seconds(0), repeats: Bool = false,
        _ steps: [Step]
    ) {
        self.name = name
        self.story = story
        self.arrivesAfter = arrivesAfter
        self.steps = steps
        self.repeats = repeats
    }

    /// By which id the publisher knows them where no token is their id.
    var knownAs: String { self.customerID ?? self.name.lowercased() }

    /// Whether it is written down with which token they buy, if with any.
    var saysItsToken: Bool { self.customerID != nil || self.token != nil }

    /// nil: with none, or with one that is drawn.
    var appAccountToken: String? { self.token ?? self.customerID.flatMap { $0.isUUID ? $0 : nil } }
}
