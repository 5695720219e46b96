extension StreamLinks {
    package init(_ leads: StreamLeads) {
        self.init(link: leads.link, sharers: leads.sharers, conflicts: leads.conflicts)
    }
}

extension StreamLeads {
    /// The records that restore `links` exactly, in order; empty where nothing differs.
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
