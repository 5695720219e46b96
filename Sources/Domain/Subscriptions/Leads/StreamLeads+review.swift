extension StreamLeads {
    /// Of those to whom a stream led that had these leads.
    package var review: CustomerReview {
        let token = self.token?.value ?? nil
        var review = CustomerReview(customers: self.linkedCustomers)
        if let token {
            review.customers += [CustomerID(token.rawValue)].compactMap(\.self)
            review.identifiers.append(.token(token))
        }
        if let account = self.account { review.identifiers.append(.account(account)) }
        return review
    }

    /// Whether a stream of these leads may lead to others than one of those.
    package func leadsLike(_ other: StreamLeads) -> Bool {
        self.link == other.link && self.sharers == other.sharers && self.token?.value == other.token?.value
            && self.appTransactionID?.value == other.appTransactionID?.value
            && self.predecessor?.value == other.predecessor?.value
            && self.link?.isOverruled(by: self.token) == other.link?.isOverruled(by: other.token)
    }
}
