import Customers
import EventLog
import Shards
import Subscriptions

/// Customers, those who have moved to them, and what the look-ups of all these name.
struct CustomerFamilies {
    var states: [CustomerID: CustomerState] = [:]
    /// Those who have moved to a customer themselves, not by way of others.
    var arrivals: [CustomerID: [CustomerID]] = [:]
    var moves = CustomerMoves()
    /// The keys of streams that may lead to a customer.
    var candidates: [CustomerID: Set<[UInt8]>] = [:]
    var streams: [[UInt8]: StreamState] = [:]
    var positions: [Position] = []

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

    /// With a stream as it would be, which may lead to any of these customers.
    func with(_ state: StreamState, for customers: [CustomerID]) -> Self {
        var families = self
        families.streams[state.key.bytes] = state
        for customer in customers { families.candidates[customer, default: []].insert(state.key.bytes) }
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
        families.moves.note(source.1, movedTo: target.1, target.0)
        return families
    }
}
