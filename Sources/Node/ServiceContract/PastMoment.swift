package import Subscriptions

/// A moment of the past, and by what was known when.
package struct PastMoment: Hashable, Sendable {
    /// That is asked about.
    package var at: Moment
    /// What was recorded later does not count; nil where all counts that is known now.
    package var knownAt: Moment?

    /// nil for the present.
    package init?(at moment: Moment?, knownAt: Moment?) {
        guard let asked = moment ?? knownAt else { return nil }
        self.at = asked
        self.knownAt = knownAt
    }

    /// - Throws: `.futureMoment`.
    package func check(notAfter now: Moment) throws(ServiceError) {
        guard max(self.at, self.knownAt ?? .distantPast) <= now else {
            throw ServiceError(.futureMoment, "at and knownAt must not lie in the future")
        }
    }

    /// What people say counts from when it is recorded.
    package var saidBy: Moment { min(self.at, self.knownAt ?? self.at) }
}
