import EventLog
import Subscriptions

/// The identifiers that lead from a customer to a stream, each once. A handful, so they are compared and not hashed.
struct CustomerIdentifiers {
    private struct Identifier: Equatable {
        let kind: IdentifierHash.Kind
        let value: String

        /// By bytes: texts that look alike are different ids.
        static func == (left: Self, right: Self) -> Bool {
            left.kind == right.kind && left.value.utf8.elementsEqual(right.value.utf8)
        }
    }

    private var identifiers: [Identifier] = []

    /// Those that events bring.
    init(_ events: [SubscriptionEvent]) {
        for event in events {
            self.add(event.facts.transactions, event.facts.renewal)
            if case .consentRescinded(let rescinded) = event.record {
                self.add(.appTransaction, rescinded.appTransactionID)
            }
            self.add(.customer, (event.link?.customer ?? event.registration?.customer)?.rawValue ?? event.customerID)
            // A deletion finds whoever names the customer.
            switch event.customer?.content {
            case .moved(let other), .takes(let other, _, _): self.add(.customer, other?.rawValue)
            case .granted, .revoked, .attributes, .drops, .taken, .givesBack, .left, .returned, .stays, .told,
                .duplicatePayment, .duplicatePaymentClosed, nil:
                break
            }
        }
    }

    /// Those that the kept facts and links hold, which have been written before.
    init(_ state: StreamState) {
        self.add(state.facts.periods.map(\.info), state.facts.renewal?.info)
        for customer in state.leads.linkedCustomers + state.leads.conflicts { self.add(.customer, customer.rawValue) }
        self.add(.appAccountToken, (state.leads.token?.value ?? nil)?.rawValue)
        self.add(.appTransaction, state.leads.appTransactionID?.value)
    }

    func lookups(to key: [UInt8], without known: CustomerIdentifiers, by hashing: IdentifierKey) -> [Lookup] {
        self.identifiers.filter { !known.identifiers.contains($0) }.map {
            Lookup(kind: $0.kind, hash: hashing.hash($0.kind, $0.value), key: key)
        }
    }

    private mutating func add(_ transactions: [TransactionInfo], _ renewal: RenewalInfo?) {
        for transaction in transactions {
            self.add(token: transaction.appAccountToken)
            self.add(.appTransaction, transaction.appTransactionID)
        }
        self.add(token: renewal?.appAccountToken)
        self.add(.appTransaction, renewal?.appTransactionID)
    }

    /// Any other text than a UUID leads nowhere.
    private mutating func add(token text: String?) {
        self.add(.appAccountToken, text.flatMap(AccountToken.init)?.rawValue)
    }

    private mutating func add(_ kind: IdentifierHash.Kind, _ value: String?) {
        guard let value, !value.isEmpty, value != ErasedIdentifiers.mark else { return }
        let identifier = Identifier(kind: kind, value: value)
        if !self.identifiers.contains(identifier) { self.identifiers.append(identifier) }
    }
}
