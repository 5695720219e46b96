import Subscriptions

/// When the facts of one stream are signed: shortly after what they tell, and never two within a second, so that their
/// order is that of the events.
struct SigningTimes: Sendable {
    private(set) var newest = Moment.distantPast

    mutating func next(after moment: Moment, random: inout SeededGenerator) -> Moment {
        self.newest = self.opening(from: moment + Milliseconds(rawValue: random.within(200...3_000)))
        return self.newest
    }

    /// Exactly then, which `opening` has to allow.
    mutating func next(at moment: Moment) { self.newest = moment }

    func opening(from moment: Moment) -> Moment { max(moment, self.newest + .seconds(1)) }
}
