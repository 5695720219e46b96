/// The links of a stream: the part of its leads that people set, and no payload carries.
package struct StreamLinks: Hashable, Sendable {
    package var link: CustomerLink?
    package var sharers: [CustomerID]
    package var conflicts: [CustomerID]

    package init(link: CustomerLink? = nil, sharers: [CustomerID] = [], conflicts: [CustomerID] = []) {
        self.link = link
        self.sharers = sharers
        self.conflicts = conflicts
    }

    /// Whether they lead to the same customers: who waits for a person leads nowhere.
    package func leadsLike(_ other: Self) -> Bool { self.link == other.link && self.sharers == other.sharers }
}

/// Restores a stream's links to `to`, if they still lead where `from` leads.
package struct LinkUndo: Hashable, Sendable {
    /// The links after what is taken back.
    package var from: StreamLinks
    /// The links before it.
    package var to: StreamLinks

    package init(from: StreamLinks, to: StreamLinks) {
        self.from = from
        self.to = to
    }
}
