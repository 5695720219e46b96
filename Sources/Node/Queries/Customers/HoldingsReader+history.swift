import Customers
import EventLog
import Ownership
import ServiceContract
import Shards
import Subscriptions

/// What people have said of a customer, and of what leads there, and what it pays for twice.
extension HoldingsReader {
    /// So many of the newest are shown.
    static let historyLimit = 50
    /// The logs of so many streams are read.
    private static let streamLimit = 256
    private static let page = 512

    /// Newest first, by the time at which each was recorded: links, grants, attributes, moves, registrations and duplicate payments, of the
    /// customer and of those who have moved to it.
    /// - Parameter moment: what was recorded later is left out.
    func history(
        of customer: CustomerID, _ families: CustomerFamilies, until moment: Moment
    ) async throws -> [CustomerEvent] {
        let members = families.members(of: customer)
        var keys = members.reduce(into: Set<[UInt8]>()) { $0.formUnion(families.candidates[$1] ?? []) }
        keys.formUnion(members.map { self.key(of: $0).bytes })
        var found: [CustomerEvent] = []
        // What people have said comes before purchases.
        for bytes in keys.sorted(by: { $1.lexicographicallyPrecedes($0) }).prefix(Self.streamLimit) {
            guard let key = StreamKey(bytes: bytes) else { continue }
            found += try await self.events(of: key, about: members, until: moment)
        }
        return Array(found.sorted { ($0.at, $0.sequence) > ($1.at, $1.sequence) }.prefix(Self.historyLimit))
    }

    /// For whom an identifier is registered or to whom a stream is linked, and all whom its links and its token name.
    private static func standing(
        _ state: StreamState, _ kept: PublisherState?
    ) -> (holder: CustomerID?, concerned: [CustomerID]) {
        if let kept { return (kept.identifier?.holder, [kept.identifier?.holder].compactMap(\.self)) }
        let token = (state.leads.token?.value ?? nil).flatMap { CustomerID($0.rawValue) }
        return (
            state.leads.link?.customer,
            state.leads.linkedCustomers + state.leads.conflicts + [token].compactMap(\.self)
        )
    }

    private func events(
        of key: StreamKey, about members: [CustomerID], until moment: Moment
    ) async throws -> [CustomerEvent] {
        let (bytes, shard) = (key.bytes, self.map.shard(of: key.id))
        var found: [CustomerEvent] = []
        var state = StreamState(key: key)
        var kept = PublisherState(of: key.kind)
        var version = StreamVersion.zero
        while true {
            let events = try await self.store.events(of: bytes, in: shard, after: version, limit: Self.page)
            for stored in events {
                let event = try stored.decoded()
                let at = Moment(milliseconds: stored.at)
                let (before, concernedBefore) = Self.standing(state, kept)
                if kept == nil { state.apply(event) } else { kept?.apply(event, at: at) }
                let (after, concerned) = Self.standing(state, kept)
                guard at <= moment, event.isOfHistory,
                    (concernedBefore + concerned + [event.named].compactMap(\.self)).contains(where: members.contains)
                else { continue }
                found.append(
                    CustomerEvent(
                        shard: shard, sequence: stored.sequence, key: key, event: event, at: at, before: before,
                        after: after))
            }
            found.removeFirst(max(0, found.count - Self.historyLimit))
            guard events.count == Self.page, let last = events.last else { return found }
            version = last.version
        }
    }
}

extension SubscriptionEvent {
    /// Versions without policies named a linked customer apart.
    fileprivate var named: CustomerID? { self.namedCustomer ?? self.customerID.map(CustomerID.init(stored:)) }
    /// What a customer was told of answers is no part of it.
    fileprivate var isOfHistory: Bool {
        if case .told = self.customer?.content { return false }
        return self.named != nil || self.link != nil || self.customer != nil
    }
}
