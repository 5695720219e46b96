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

    /// A node that answered by other catalogs takes this one up. Where that is the newest already, the node was the last of those
    /// that answered by the one before.
    package mutating func adopt(_ catalog: UInt64, at moment: Moment) {
        if catalog != self.newest {
            self.steps.append(Step(catalog: catalog, since: max(self.steps[self.steps.count - 1].since, moment)))
            if self.steps.count > Self.limit { self.steps.remove(at: 1) }
        } else if !self.isSettled {
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
