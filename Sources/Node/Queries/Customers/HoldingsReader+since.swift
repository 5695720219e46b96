import Customers
import EventLog
import Ownership
import ServiceContract
import Shards
import Subscriptions

/// Since when streams have led to a customer.
extension HoldingsReader {
    /// Since when a stream has led to the customer without a break, by what was recorded: its own events, the registration by which it
    /// leads there, and the moves.
    func since(_ key: StreamKey, of customer: CustomerID, _ families: CustomerFamilies) async throws -> Moment? {
        let hash = self.hash(customer)
        var since: Moment?
        var state = StreamState(key: key)
        for (at, event) in try await self.told(key) {
            state.apply(event)
            let leads = self.links.resolution(of: state, families.directory).reason(of: hash) != nil
            since = leads ? since ?? at : nil
        }
        guard var found = since else { return nil }
        for state in [state] + families.directory.predecessors(of: state) {
            guard let (first, identifier) = self.firstHolder(of: state, for: customer, families) else { continue }
            if let identifier { found = max(found, try await self.lastRegistration(identifier)) }
            var name = first
            found = max(found, try await self.lastMove(of: name))
            while name != customer, let next = families.states[name]?.movedTo {
                name = next
                found = max(found, try await self.lastMove(of: name))
            }
            break
        }
        return found
    }

    /// Whom the stream itself names who is the customer by now, and the registered identifier by which it does.
    private func firstHolder(
        of state: StreamState, for customer: CustomerID, _ families: CustomerFamilies
    ) -> (CustomerID, StreamKey?)? {
        func isTheirs(_ name: CustomerID) -> Bool {
            (families.directory.end(of: self.hash(name)) ?? name) == customer
        }
        if let linked = state.leads.linkedCustomers.first(where: isTheirs) { return (linked, nil) }
        for (kind, hash) in LeadImage(state.leads, hash: self.hashing.hash).identifiers {
            let key = StreamKey(kind, hash)
            if let holder = families.identifiers[key.bytes]?.holder, isTheirs(holder) { return (holder, key) }
        }
        let token = (state.leads.token?.value ?? nil).flatMap { CustomerID($0.rawValue) }
        return token.flatMap { isTheirs($0) ? ($0, nil) : nil }
    }

    /// When whoever has an identifier got it.
    private func lastRegistration(_ key: StreamKey) async throws -> Moment {
        var (state, since) = (RegisteredIdentifier(), Moment.distantPast)
        for (at, event) in try await self.told(key) {
            let before = state.holder
            if let registration = event.registration { state.apply(registration) }
            if state.holder != before { since = at }
        }
        return since
    }

    /// When it was moved last, or a move of it was taken back.
    private func lastMove(of customer: CustomerID) async throws -> Moment {
        let moves = try await self.told(self.key(of: customer)).filter { _, event in
            switch event.customer?.content {
            case .moved, .returned: true
            default: false
            }
        }
        return moves.last?.at ?? .distantPast
    }

    private func told(_ key: StreamKey) async throws -> [(at: Moment, event: SubscriptionEvent)] {
        try await self.store.history(of: key, in: self.map.shard(of: key.id))
            .filter { $0.at <= self.past?.saidBy ?? .distantFuture }
    }
}
