import EventLog
import Subscriptions

/// The identifiers of a customer, each once: roads to the stream. A handful, so they are compared and not hashed.
struct CustomerIdentifiers {
    private struct Identifier: Equatable {
        let kind: Lookup.Kind
        let value: String
    }

    private var identifiers: [Identifier] = []

    /// Those that events bring.
    init(_ events: [SubscriptionEvent]) {
        for event in events {
            self.add(event.facts.transactions, event.facts.renewal)
            if case .consentRescinded(let rescinded) = event.record {
                self.add(.appTransaction, rescinded.appTransactionID)
            }
            self.add(.customer, event.customerID)
        }
    }

    /// Those that the kept facts hold, which have been written before.
    init(_ state: StreamState) {
        self.add(state.facts.periods.map(\.info), state.facts.renewal?.info)
        for id in state.customerIDs { self.add(.customer, id) }
    }

    func lookups(to key: [UInt8], without known: CustomerIdentifiers) -> [Lookup] {
        self.identifiers.filter { !known.identifiers.contains($0) }.map {
            Lookup(kind: $0.kind, value: $0.value, key: key)
        }
    }

    private mutating func add(_ transactions: [TransactionInfo], _ renewal: RenewalInfo?) {
        for transaction in transactions {
            self.add(.appAccountToken, transaction.appAccountToken)
            self.add(.appTransaction, transaction.appTransactionID)
        }
        self.add(.appAccountToken, renewal?.appAccountToken)
        self.add(.appTransaction, renewal?.appTransactionID)
    }

    private mutating func add(_ kind: Lookup.Kind, _ value: String?) {
        guard let value, !value.isEmpty else { return }
        let identifier = Identifier(kind: kind, value: value)
        if !self.identifiers.contains(identifier) { self.identifiers.append(identifier) }
    }
}
