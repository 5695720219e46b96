import Subscriptions

/// What goes wrong on the way on purpose. Chance is drawn from the seed by notification and attempt, so it does not
/// depend on timing.
package struct Disturbances: Hashable, Sendable {
    /// Probability that an attempt never arrives.
    package var lose: Double = 0
    /// Probability that what was delivered is sent once more.
    package var `repeat`: Double = 0
    /// Probability that the first attempt comes late: by up to a day.
    package var delay: Double = 0
    /// Probability that the first attempt waits until the next notification about the same subscription has been sent:
    /// for three days at most. That next one does not wait, so 1 is as much disorder as there can be.
    package var reorder: Double = 0

    package init(lose: Double = 0, repeat: Double = 0, delay: Double = 0, reorder: Double = 0) {
        self.lose = lose
        self.repeat = `repeat`
        self.delay = delay
        self.reorder = reorder
    }

    static let longestHold = Milliseconds.days(3)

    func loses(_ random: inout SeededGenerator) -> Bool { Self.happens(self.lose, &random) }

    /// How long after the delivery it is sent again; nil: not.
    func repetition(_ random: inout SeededGenerator) -> Milliseconds? {
        Self.happens(self.repeat, &random) ? .seconds(random.within(1...2 * 3_600)) : nil
    }

    func lateness(_ random: inout SeededGenerator) -> Milliseconds {
        Self.happens(self.delay, &random) ? .seconds(random.within(30...24 * 3_600)) : Milliseconds(rawValue: 0)
    }

    func holdsBack(_ random: inout SeededGenerator) -> Bool { Self.happens(self.reorder, &random) }

    private static func happens(_ probability: Double, _ random: inout SeededGenerator) -> Bool {
        Double(random.below(1 << 32)) < probability * Double(1 << 32)
    }
}
