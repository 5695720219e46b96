extension SubscriptionEvent {
    /// The event as if it had never named these. Of an event about one of the customers nothing stays but its kind.
    package func erasing(_ erased: ErasedIdentifiers) -> SubscriptionEvent {
        var event = self
        event.facts = self.facts.erasing(erased)
        event.record = self.record?.erasing(erased)
        event.link?.erase(erased)
        if erased.contains(self.customerID.map(CustomerID.init(stored:))) {
            (event.customerID, event.link) = (nil, LinkRecord(.linked, nil, isErased: true))
        }
        if erased.contains(self.customer?.customer) { event.customer = nil } else { event.customer?.erase(erased) }
        event.registration?.erase(erased)
        return event
    }
}

extension LinkRecord {
    fileprivate mutating func erase(_ erased: ErasedIdentifiers) {
        if erased.contains(self.token) { self.token = nil }
        guard erased.contains(self.customer) else { return }
        (self.customer, self.reason, self.isErased) = (nil, nil, true)
        // Without a place it would be one of a version without policies.
        if self.action == .linked { self.place = self.place ?? .lowest }
    }
}

extension CustomerRecord {
    /// Of another customer.
    fileprivate mutating func erase(_ erased: ErasedIdentifiers) {
        switch self.content {
        case .takes(let other, let version, let room) where erased.contains(other):
            self.content = .takes(nil, at: version, room)
        case .drops(let other) where erased.contains(other): self.content = .drops(nil)
        case .taken(let other, let belongings) where erased.contains(other): self.content = .taken(nil, belongings)
        case .moved(let other) where erased.contains(other): self.content = .moved(to: nil)
        case .granted, .revoked, .attributes, .takes, .drops, .taken, .moved, .stays, .told, .duplicatePayment,
            .duplicatePaymentClosed:
            return
        }
        self.reason = nil
    }
}

extension Registration {
    fileprivate mutating func erase(_ erased: ErasedIdentifiers) {
        if erased.contains(token: self.identifier) || erased.contains(account: self.identifier) {
            self.identifier = nil
        }
        if erased.contains(self.customer) { self.customer = nil }
    }
}
