package import Subscriptions

extension PublisherState {
    /// The state as the events give it once they name these no more.
    package func erasing(_ erased: ErasedIdentifiers) -> PublisherState {
        switch self {
        case .customer(let state): .customer(state.erasing(erased))
        case .identifier(let state): .identifier(state.erasing(erased))
        }
    }
}

extension CustomerState {
    fileprivate func erasing(_ erased: ErasedIdentifiers) -> CustomerState {
        guard !erased.contains(self.customer) else { return CustomerState() }
        return CustomerState(
            self.customer, grants: self.grants, attributes: self.attributes,
            takes: self.takes.filter { !erased.contains($0.customer) }, arrived: self.arrived, departed: self.departed,
            movedTo: erased.contains(self.movedTo) ? nil : self.movedTo, changedAt: self.changedAt, told: self.told,
            duplicatePayments: self.duplicatePayments)
    }
}

extension RegisteredIdentifier {
    fileprivate func erasing(_ erased: ErasedIdentifiers) -> RegisteredIdentifier {
        let isErased = erased.contains(token: self.identifier) || erased.contains(account: self.identifier)
        return RegisteredIdentifier(
            isErased ? nil : self.identifier, holder: erased.contains(self.holder) ? nil : self.holder,
            isProvisional: self.isProvisional, isByLink: self.isByLink)
    }
}
