package import Subscriptions

/// By which catalog streams have been told what they give: those since all streams were told last, the present one included.
/// A row made at some moment was told by the catalog of that moment.
package struct CatalogHistory: Hashable, Sendable {
    package struct Step: Hashable, Sendable {
        /// `Catalog.fingerprint`.
        package var catalog: UInt64
        /// The first step's does not count: it holds from the beginning.
        package var since: Moment

        package init(catalog: UInt64, since: Moment) {
            self.catalog = catalog
            self.since = since
        }
    }

    /// More changes than these between two reevaluations are taken for one.
    package static let limit = 32

    /// Ascending, never empty.
    package private(set) var steps: [Step]

    /// All have been told by one catalog.
    package init(catalog: UInt64) { self.steps = [Step(catalog: catalog, since: .distantPast)] }

    /// - Parameter steps: as they were stored; nil when there are none.
    package init?(_ steps: [Step]) {
        guard !steps.isEmpty else { return nil }
        self.steps = steps
    }

    package var newest: UInt64 { self.steps[self.steps.count - 1].catalog }
    /// Nobody has to be told anything.
    package var isSettled: Bool { self.steps.count == 1 }

    /// Appends a step, unless the catalog is the newest.
    package mutating func adopt(_ catalog: UInt64, at moment: Moment) {
        guard catalog != self.newest else { return }
        self.steps.append(Step(catalog: catalog, since: max(self.steps[self.steps.count - 1].since, moment)))
        if self.steps.count > Self.limit { self.steps.remove(at: 1) }
    }

    /// A node still answers by `older`: rows made before `moment` do not count as told by the newest catalog.
    /// - Parameter settled: when all streams had been told by the newest; of a history with that step alone.
    package mutating func postponeNewest(until moment: Moment, behind older: UInt64, settled: Moment) {
        if self.isSettled {
            self.steps.append(Step(catalog: older, since: settled))
            self.steps.append(Step(catalog: self.steps[0].catalog, since: max(settled, moment)))
        } else {
            self.steps[self.steps.count - 1].since = max(self.steps[self.steps.count - 1].since, moment)
        }
    }

    package var fingerprint: UInt64 {
        var hash = StableHash()
        for step in self.steps {
            hash.combine(Int64(bitPattern: step.catalog))
            hash.combine(step.since.milliseconds)
        }
        return hash.value
    }

    /// By which catalog a row was told that was made at `moment`.
    package func catalog(at moment: Moment) -> UInt64 {
        (self.steps.dropFirst().last { $0.since <= moment } ?? self.steps[0]).catalog
    }
}
