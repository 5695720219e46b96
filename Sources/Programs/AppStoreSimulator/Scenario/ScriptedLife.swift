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
}
