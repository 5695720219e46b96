import Customers
import EventLog
import Ownership
package import ServiceContract
import Shards
import Subscriptions

/// What it takes to take back what people have said.
extension HoldingsReader {
    /// Of an event that the log has.
    /// - Parameter event: of a customer's history.
    /// - Returns: nil where something has been said of the same since, and for what cannot be taken back.
    package func undo(_ event: CustomerEvent) async throws -> UndoneChange? {
        let events = try await self.store.storedHistory(of: event.key, in: event.shard)
        guard let place = events.firstIndex(where: { $0.sequence == event.sequence }) else { return nil }
        // What one request has said is taken back as a whole.
        let first = (0...place).first { events[$0].isOfOneRequest(with: events[place]) } ?? place
        let last = (place..<events.count).last { events[$0].isOfOneRequest(with: events[place]) } ?? place
        let (before, said, since) = (
            try events[..<first].map(Told.init), try events[first...last].map(Told.init),
            try events[(last + 1)...].map(Told.init)
        )
        if event.event.link != nil { return try await self.undo(of: event.key, before, said, since) }
        if let record = event.event.customer, let move = Self.move(record) {
            return Self.isUndone(move, since) ? nil : move
        }
        if let content = event.event.customer?.content {
            return try await self.undo(content, of: event.key, before, said, since)
        }
        guard let registration = event.event.registration, since.isEmpty else { return nil }
        var state = RegisteredIdentifier()
        for one in before { if let earlier = one.event.registration { state.apply(earlier) } }
        // What was only confirmed leads where it led.
        guard registration.action == .released || state.holder != registration.customer else { return nil }
        return .registration(
            of: event.key,
            Registration(
                state.holder == nil ? .released : .registered, of: registration.identifier,
                state.holder ?? registration.customer),
            at: events[last].version)
    }

    /// The move of which a record is a step.
    private static func move(_ record: CustomerRecord) -> UndoneChange? {
        switch (record.content, record.customer) {
        case (.moved(let target?), let source?), (.takes(let source?, _, _), let target?),
            (.taken(let source?, _), let target?):
            .move(of: source, to: target)
        default: nil
        }
    }

    /// Whether the same stream has told since that the move is taken back, or was not made.
    private static func isUndone(_ move: UndoneChange, _ since: [Told]) -> Bool {
        guard case .move(let source, _) = move else { return false }
        return since.contains { one in
            switch one.event.customer?.content {
            case .returned, .drops(source), .takes(source, _, _): true
            default: false
            }
        }
    }

    private struct Told {
        let at: Moment
        let event: SubscriptionEvent

        init(_ stored: StoredEvent) throws {
            self.at = Moment(milliseconds: stored.at)
            self.event = try stored.decoded()
        }
    }

    private func undo(
        of key: StreamKey, _ before: [Told], _ said: [Told], _ since: [Told]
    ) async throws -> UndoneChange? {
        // Who has been deleted is not given anything back, and nobody what was theirs.
        guard !(before + said).contains(where: { $0.event.link?.isErased ?? false }) else { return nil }
        var state = StreamState(key: key)
        for one in before { state.apply(one.event) }
        let old = StreamLinks(state.leads)
        for one in said { state.apply(one.event) }
        let new = StreamLinks(state.leads)
        // A conflict leads nobody anywhere.
        guard !new.leadsLike(old), !since.contains(where: { $0.event.changesLinks }) else { return nil }
        for one in since { state.apply(one.event) }
        // Who has registered what it carries since may have it by that; and what a predecessor says may be otherwise by now.
        guard let last = said.last, try await self.lastRegistration(of: state.leads) <= last.at,
            try await self.lastWord(on: state) <= last.at
        else { return nil }
        return .links(of: key, LinkUndo(from: new, to: old))
    }

    private func undo(
        _ content: CustomerRecord.Content, of key: StreamKey, _ before: [Told], _ said: [Told], _ since: [Told]
    ) async throws -> UndoneChange? {
        guard let grant = content.grant, !since.contains(where: { $0.event.customer?.content.grant == grant }) else {
            return nil
        }
        var state = CustomerState()
        func fold(_ told: [Told]) {
            for one in told { if let record = one.event.customer { state.apply(record, at: one.at) } }
        }
        fold(before)
        let old = state.grants.first { $0.key == grant }
        fold(said)
        guard let customer = state.customer, let new = state.grants.first(where: { $0.key == grant }) else {
            return nil
        }
        return .grant(of: customer, from: new, to: old)
    }

    /// When somebody said last whose the streams are that a stream supersedes.
    private func lastWord(on state: StreamState) async throws -> Moment {
        let predecessors = try await self.directory(self.links.needs(of: state)).predecessors(of: state)
        var newest = Moment.distantPast
        for one in predecessors {
            newest = max(newest, try await self.lastRegistration(of: one.leads))
            for stored in try await self.store.storedHistory(of: one.key, in: self.map.shard(of: one.key.id))
            where try stored.decoded().changesLinks {
                newest = max(newest, Moment(milliseconds: stored.at))
            }
        }
        return newest
    }

    /// When an identifier that the stream carries was last registered or released.
    private func lastRegistration(of leads: StreamLeads) async throws -> Moment {
        var newest = Moment.distantPast
        for (kind, hash) in LeadImage(leads, hash: self.hashing.hash).identifiers {
            let key = StreamKey(kind, hash)
            let events = try await self.store.storedHistory(of: key, in: self.map.shard(of: key.id))
            // What a link has registered goes with it.
            let last = try events.last { try $0.decoded().registration?.isByLink != true }
            if let last { newest = max(newest, Moment(milliseconds: last.at)) }
        }
        return newest
    }
}

extension StoredEvent {
    /// The events that one command appends have its dedup key, the later ones with their number behind it.
    fileprivate func isOfOneRequest(with other: StoredEvent) -> Bool {
        let distance = self.version.rawValue - other.version.rawValue
        let (early, late) = distance < 0 ? (self.dedupKey, other.dedupKey) : (other.dedupKey, self.dedupKey)
        guard distance != 0 else { return true }
        guard abs(distance) < 256 else { return false }
        if late == early + [UInt8(abs(distance))] { return true }
        // Neither is the first.
        guard let number = early.last, early.dropLast() == late.dropLast() else { return false }
        return late.last.map { Int64($0) - Int64(number) == abs(distance) } ?? false && self.at == other.at
    }
}

extension SubscriptionEvent {
    /// Says whose the stream is.
    fileprivate var changesLinks: Bool {
        guard let link else { return self.customerID != nil || self.kind == .erased }
        switch link.action {
        case .linked, .shared, .unlinked, .unshared: return true
        case .conflicted, .dismissed: return false
        }
    }
}

extension CustomerRecord.Content {
    /// The grant that it is about.
    fileprivate var grant: GrantKey? {
        switch self {
        case .granted(let grant): grant.key
        case .revoked(let key, _): key
        case .attributes, .takes, .drops, .taken, .moved, .givesBack, .left, .returned, .stays, .told,
            .duplicatePayment,
            .duplicatePaymentClosed:
            nil
        }
    }
}
