/// What people have said of whose a stream is: the part of its leads that no payload carries.
package struct StreamLinks: Hashable, Sendable {
    package var link: CustomerLink?
    package var sharers: [CustomerID]
    package var conflicts: [CustomerID]

    package init(link: CustomerLink? = nil, sharers: [CustomerID] = [], conflicts: [CustomerID] = []) {
        self.link = link
        self.sharers = sharers
        self.conflicts = conflicts
    }

    package init(_ leads: StreamLeads) {
        self.init(link: leads.link, sharers: leads.sharers, conflicts: leads.conflicts)
    }

    /// Whether they lead to the same customers: who waits for a person leads nowhere.
    package func leadsLike(_ other: Self) -> Bool { self.link == other.link && self.sharers == other.sharers }
}

extension StreamLeads {
    /// In order, what makes these leads say `links` again, place by place; empty where they do.
    package func records(restoring links: StreamLinks) -> [LinkRecord] {
        var (rest, records) = (self, [LinkRecord]())
        func take(_ record: LinkRecord) {
            rest.apply(record)
            records.append(record)
        }
        if rest.link != links.link {
            if let link = links.link {
                take(LinkRecord(.linked, link.customer, token: link.token, place: link.place))
            } else {
                take(LinkRecord(.unlinked, rest.link?.customer))
            }
        }
        if rest.sharers != links.sharers {
            for sharer in rest.sharers { take(LinkRecord(.unshared, sharer)) }
            for sharer in links.sharers { take(LinkRecord(.shared, sharer)) }
        }
        if rest.conflicts != links.conflicts {
            for customer in rest.conflicts { take(LinkRecord(.dismissed, customer)) }
            for customer in links.conflicts { take(LinkRecord(.conflicted, customer)) }
        }
        return records
    }
}

/// That a stream's links be as they were, as long as they are as something has put them.
package struct LinkUndo: Hashable, Sendable {
    /// As that has put them.
    package var from: StreamLinks
    /// As they were before.
    package var to: StreamLinks

    package init(from: StreamLinks, to: StreamLinks) {
        self.from = from
        self.to = to
    }
}
