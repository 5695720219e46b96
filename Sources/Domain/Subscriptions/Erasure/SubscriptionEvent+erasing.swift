extension SubscriptionEvent {
    /// The event as if it had never named these. Of an event about one of the customers nothing stays but its kind.
    /// - Parameter returned: of what one of the customers brought along these grants have gone back with it.
    package func erasing(_ erased: ErasedIdentifiers, returned: Set<GrantKey> = []) -> SubscriptionEvent {
        var event = self
        event.facts = self.facts.erasing(erased)
        event.record = self.record?.erasing(erased)
        event.link?.erase(erased)
        if erased.contains(self.customerID.map(CustomerID.init(stored:))) {
            (event.customerID, event.link) = (nil, LinkRecord(.linked, nil, isErased: true))
        }
        if erased.contains(self.customer?.customer) {
            event.customer = nil
        } else {
            event.customer?.erase(erased, returned)
        }
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
    fileprivate mutating func erase(_ erased: ErasedIdentifiers, _ returned: Set<GrantKey>) {
        switch self.content {
        case .takes(let other, let version, let room) where erased.contains(other):
            self.content = .takes(nil, at: version, room)
        case .drops(let other) where erased.contains(other): self.content = .drops(nil)
        case .taken(let other, let belongings) where erased.contains(other):
            self.content = .taken(nil, belongings.staying(without: returned))
        case .moved(let other) where erased.contains(other): self.content = .moved(to: nil)
        case .givesBack(let other, let version, let room, let belongings) where erased.contains(other):
            self.content = .givesBack(
                nil, at: version, room,
                ReturnedBelongings(attributes: belongings.attributes, origins: belongings.origins))
        case .returned(let other) where erased.contains(other): self.content = .returned(from: nil)
        case .granted, .revoked, .attributes, .takes, .drops, .taken, .moved, .givesBack, .left, .returned, .stays,
            .told,
            .duplicatePayment, .duplicatePaymentClosed:
            return
        }
        self.reason = nil
    }
}

extension Belongings {
    /// Without the grants that were given back, and without attributes. Only a customer whose move was taken back is deleted alone, and by then
    /// its attributes were given back, or set again.
    fileprivate func staying(without returned: Set<GrantKey>) -> Belongings {
        var belongings = self
        belongings.grants.removeAll { returned.contains(GrantKey($0.id, under: $0.origin ?? self.origin)) }
        belongings.attributes = [:]
        return belongings
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
