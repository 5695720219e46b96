import Customers
import EventLog
import Shards
import Subscriptions

/// Customers, those who have moved to them, and what the look-ups of all these name.
struct CustomerFamilies {
    var states: [CustomerID: CustomerState] = [:]
    /// Those who have moved to a customer themselves, not by way of others.
    var arrivals: [CustomerID: [CustomerID]] = [:]
    var directory = CustomerDirectory()
    /// The keys of streams that may lead to a customer.
    var candidates: [CustomerID: Set<[UInt8]>] = [:]
    var streams: [[UInt8]: StreamState] = [:]
    /// By key: those that a customer has registered, and those that streams carry; nobody has registered one without content.
    var identifiers: [[UInt8]: RegisteredIdentifier] = [:]
    var positions: [Position] = []
    /// More may lead to them than was to be read.
    var omitted: Set<CustomerID> = []

    /// The customer, and all who have moved to it.
    func members(of customer: CustomerID) -> [CustomerID] {
        [customer] + (self.arrivals[customer] ?? []).flatMap(self.members)
    }

    /// Of a customer, and of those who brought along what it has not got yet.
    func states(of customer: CustomerID) -> [CustomerState] {
        guard let state = self.states[customer] else { return [] }
        return [state]
            + state.takes.filter { self.arrivals[customer]?.contains($0.customer) ?? false }
            .compactMap { self.states[$0.customer] }
    }

    /// What the customer, or one of those who have moved to it, has registered.
    func registered(by customer: CustomerID) -> [RegistrableIdentifier] {
        let members = self.members(of: customer)
        return members.reduce(into: Set()) { $0.formUnion(self.candidates[$1] ?? []) }.compactMap { key in
            guard let holder = self.identifiers[key]?.holder, members.contains(holder) else { return nil }
            return self.identifier(key)
        }
    }

    /// The one whose own stream this is; nil where it has been erased.
    func identifier(_ key: [UInt8]) -> RegistrableIdentifier? {
        guard let text = self.identifiers[key]?.identifier, let kind = StreamKey(bytes: key)?.kind else { return nil }
        return RegistrableIdentifier(kind, text)
    }

    /// With a stream as it would be, which may lead to any of these customers.
    func with(_ state: StreamState, for customers: [CustomerID]) -> Self {
        var families = self
        families.streams[state.key.bytes] = state
        families.directory.note(state)
        // What goes on in its place may lead there too.
        let keys = ([state] + families.directory.successors(of: state)).map(\.key.bytes)
        for customer in customers { families.candidates[customer, default: []].formUnion(keys) }
        return families
    }

    /// With a move as it would be.
    func with(
        _ source: (CustomerID, IdentifierHash), movedTo target: (CustomerID, IdentifierHash), at moment: Moment
    ) -> Self {
        var families = self
        families.states[source.0, default: CustomerState()].apply(
            CustomerRecord(source.0, .moved(to: target.0)), at: moment)
        families.states[target.0, default: CustomerState()].apply(
            CustomerRecord(target.0, .takes(source.0, at: 0, Room())), at: moment)
        families.arrivals[target.0, default: []].append(source.0)
        families.directory.note(source.1, to: target.1, target.0)
        return families
    }
}
