extension StreamLeads {
    /// Folds what an event says, its facts first.
    /// - Parameter newest: the place of the stream's newest payload.
    mutating func apply(_ event: SubscriptionEvent, newest: FactPlace) {
        self.merge(event.facts.transactions)
        if let successor = event.successor { _ = self.merge(successor) }
        if let record = event.link {
            if record.isUnjudged { self.applyUnjudgedLink(to: nil, newest) } else { self.apply(record) }
        } else if let id = event.customerID {
            self.applyUnjudgedLink(to: CustomerID(stored: id), newest)
        }
    }

    /// Whether these leads, with what is kept of all facts, come to `others`: then a replay of what is kept does so too, and
    /// nothing has to be recorded for their sake.
    func follows(from facts: KeptFacts, _ others: Self) -> Bool {
        var leads = self
        leads.merge(facts.periods.map(\.info))
        return leads == others
    }
}
