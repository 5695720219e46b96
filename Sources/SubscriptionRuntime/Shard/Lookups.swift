import EventSourcing
import Subscriptions

extension SubscriptionEvent {
    /// The identifiers of a customer that the event brings, as roads to the stream.
    func lookups(to key: [UInt8]) -> Set<Lookup> {
        var lookups = Set<Lookup>()
        func add(_ kind: Lookup.Kind, _ value: String?) {
            guard let value, !value.isEmpty else { return }
            lookups.insert(Lookup(kind: kind, value: value, key: key))
        }
        for transaction in self.facts.transactions {
            add(.appAccountToken, transaction.appAccountToken)
            add(.appTransaction, transaction.appTransactionID)
        }
        add(.appAccountToken, self.facts.renewal?.appAccountToken)
        add(.appTransaction, self.facts.renewal?.appTransactionID)
        if case .consentRescinded(let rescinded) = self.record { add(.appTransaction, rescinded.appTransactionID) }
        add(.customer, self.customerID)
        return lookups
    }
}

extension StreamState {
    /// The identifiers that the kept facts hold, which have been written before.
    func lookups(to key: [UInt8]) -> Set<Lookup> {
        let kept = Facts(
            transactions: self.facts.transactions.map(\.info), renewal: self.facts.renewal?.info)
        let known = SubscriptionEvent(facts: kept, source: .notification, changes: []).lookups(to: key)
        return known.union(self.customerIDs.map { Lookup(kind: .customer, value: $0, key: key) })
    }
}
