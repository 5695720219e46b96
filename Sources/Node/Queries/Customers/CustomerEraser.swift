import Customers
import EventLog
import Ownership
package import ServiceContract
package import Shards
package import Subscriptions
import WireProtocol

/// Erases a deleted customer from streams: first from their signed originals and events, and then, by their owners, from their states. Each
/// step is safe to repeat.
package struct CustomerEraser: Sendable {
    private let holdings: HoldingsReader
    private let router: ShardRouter

    private static let page = 256
    /// How often to retry a stream that gets new events meanwhile.
    private static let attempts = 16

    package init(_ holdings: HoldingsReader, router: ShardRouter) {
        self.holdings = holdings
        self.router = router
    }

    /// What a pass has come to.
    package struct Pass: Sendable {
        /// Streams that were looked at.
        package var examined = 0
        /// Those that named the customer.
        package var changed = 0
        /// Those that cannot be read or added to.
        package var skipped = 0
    }

    /// The customers, and those who have moved there.
    package func names(of customers: Set<CustomerID>) async throws(ServiceError) -> Set<CustomerID> {
        try await ServiceError.translating {
            let families = try await self.holdings.families(of: customers.sorted { $0.rawValue < $1.rawValue })
            return customers.reduce(into: []) { $0.formUnion(families.members(of: $1)) }
        }
    }

    /// The identifiers to erase: registered ones, ids in the form of a UUID, and tokens of purchases that lead to nobody else. What another
    /// customer has registered is not among them.
    package func identifiers(of customers: Set<CustomerID>) async throws(ServiceError) -> Set<RegistrableIdentifier> {
        try await ServiceError.translating { try await self.holdings.erasable(customers) }
    }

    /// Erases these from all streams that the look-ups name.
    /// - Parameter own: erase the streams of the customers and of their identifiers too. They stay where something else could not be
    ///   erased: another deletion learns from them whom it is about.
    package func erase(_ erased: ErasedIdentifiers, andOwn own: Bool) async throws(ServiceError) -> Pass {
        var pass = Pass()
        let streams = try await ServiceError.translating { try await self.holdings.streams(naming: erased) }
        try await self.erase(erased, from: streams.others, &pass)
        if own, pass.skipped == 0 { try await self.erase(erased, from: streams.own, telling: streams.named, &pass) }
        return pass
    }

    /// - Parameter told: of these it is told that they are deleted, also in a stream of their own that has no event.
    private func erase(
        _ erased: ErasedIdentifiers, from keys: [StreamKey], telling told: Set<StreamKey> = [], _ pass: inout Pass
    ) async throws(ServiceError) {
        for key in keys {
            do throws(ServiceError) {
                if try await self.erase(erased, from: key, tells: told.contains(key)) { pass.changed += 1 }
            } catch {
                guard error.code == .corrupt || error.code == .parked else { throw error }
                pass.skipped += 1
            }
            pass.examined += 1
        }
    }

    /// - Returns: whether the stream named one of them.
    private func erase(
        _ erased: ErasedIdentifiers, from key: StreamKey, tells: Bool
    ) async throws(ServiceError) -> Bool {
        var hasChanged = false
        for _ in 0..<Self.attempts {
            let events = try await ServiceError.translating { try await self.eraseEvents(erased, of: key) }
            guard let last = events.last ?? (tells ? .zero : nil) else { return false }
            hasChanged = hasChanged || events.hasChanged
            var random = SystemRandomNumberGenerator()
            var bundle = FactBundle(
                source: .person, dedupKey: (0..<16).map { _ in UInt8.random(in: 0...255, using: &random) },
                contentDigest: .zero, signedDate: self.router.watch.present)
            bundle.erasure = ErasureRequest(erased, links: events.links, at: last.rawValue)
            do throws(ServiceError) {
                let acceptance = try await self.router.submit(Submission(key: key, bundle: bundle, evidence: nil))
                return hasChanged || !acceptance.isDuplicate
            } catch {
                // Something was recorded meanwhile, which may name the customer too.
                guard error.code == .customerMoving else { throw error }
            }
        }
        throw ServiceError(.overloaded, "a stream is added to faster than it can be erased: try again")
    }

    private struct Events {
        /// nil where there are none.
        var last: StreamVersion?
        var hasChanged = false
        /// What they come to without the customer.
        var links = StreamLinks()
    }

    /// By the version of the event of a customer's stream with which one of these brought them: the grants that have gone back with it.
    private func returned(
        to customers: Set<CustomerID>, by key: StreamKey
    ) async throws -> [StreamVersion: Set<GrantKey>] {
        guard key.kind == .customer else { return [:] }
        var returned: [StreamVersion: Set<GrantKey>] = [:]
        var arrivals: [CustomerID: StreamVersion] = [:]
        for stored in try await self.router.store.storedHistory(of: key, in: self.router.map.shard(of: key.id)) {
            switch try stored.decoded().customer?.content {
            case .taken(let other?, _): arrivals[other] = stored.version
            case .givesBack(let other?, _, _, let belongings) where customers.contains(other):
                guard let arrival = arrivals.removeValue(forKey: other) else { continue }
                returned[arrival] = Set(belongings.grants)
            default: continue
            }
        }
        return returned
    }

    private func eraseEvents(_ erased: ErasedIdentifiers, of key: StreamKey) async throws -> Events {
        let (bytes, shard) = (key.bytes, self.router.map.shard(of: key.id))
        let store = self.router.store
        var events = Events()
        let returned = try await self.returned(to: erased.customers, by: key)
        var state = StreamState(key: key)
        while true {
            let page = try await store.events(of: bytes, in: shard, after: events.last ?? .zero, limit: Self.page)
            var bodies: [BodyReplacement] = []
            var isSigned = false
            for stored in page {
                let before = try stored.decoded()
                let after = before.erasing(erased, returned: returned[stored.version] ?? [])
                state.apply(after)
                guard after != before else { continue }
                bodies.append(
                    BodyReplacement(of: stored.sequence, stored.body, by: try after.protoBytes(key: key)))
                isSigned = isSigned || after.facts != before.facts || after.record != before.record
            }
            // Where payloads name the customer, so do the originals. First: once the bodies are replaced, nothing shows that.
            if isSigned { try await store.eraseEvidence(of: bytes, in: shard) }
            if !bodies.isEmpty { try await store.replaceBodies(bodies, in: shard) }
            events.hasChanged = events.hasChanged || !bodies.isEmpty
            events.last = page.last?.version ?? events.last
            guard page.count == Self.page else { break }
        }
        events.links = StreamLinks(state.leads)
        return events
    }
}

extension HoldingsReader {
    fileprivate func erasable(_ customers: Set<CustomerID>) async throws -> Set<RegistrableIdentifier> {
        let families = try await self.families(of: customers.sorted { $0.rawValue < $1.rawValue })
        var erasable = customers.reduce(into: Set()) { $0.formUnion(families.registered(by: $1)) }
        for token in customers.compactMap({ AccountToken($0.rawValue) }) {
            let holder = try await self.holder(of: .token(token))
            if holder.map(customers.contains) ?? true { erasable.insert(.token(token)) }
        }
        for customer in customers {
            for stream in self.held(by: customer, families).streams {
                guard let state = families.streams[stream.outlook.key.bytes], self.isOf(customers, state, families)
                else { continue }
                for token in try await self.tokens(of: state.key) where !erasable.contains(.token(token)) {
                    if try await !self.isOfOthers(token, than: customers, besides: state.key) {
                        erasable.insert(.token(token))
                    }
                }
            }
        }
        return erasable
    }

    /// The stream leads to these and to nobody else.
    private func isOf(_ customers: Set<CustomerID>, _ state: StreamState, _ families: CustomerFamilies) -> Bool {
        let hashes = Set(customers.map(self.hash))
        return self.links.resolution(of: state, families.directory).customers.allSatisfy(hashes.contains)
    }

    /// That any payload of the stream has carried.
    private func tokens(of key: StreamKey) async throws -> Set<AccountToken> {
        try await self.store.storedHistory(of: key, in: self.map.shard(of: key.id)).reduce(into: []) { tokens, stored in
            let facts = try stored.decoded().facts
            let texts = facts.transactions.map(\.appAccountToken) + [facts.renewal?.appAccountToken]
            tokens.formUnion(texts.compactMap { $0.flatMap(AccountToken.init) })
        }
    }

    /// Somebody else has registered the token, or it is the id of somebody of whom more is known than this stream.
    private func isOfOthers(
        _ token: AccountToken, than customers: Set<CustomerID>, besides key: StreamKey
    ) async throws -> Bool {
        if let holder = try await self.holder(of: .token(token)) { return !customers.contains(holder) }
        guard let other = CustomerID(token.rawValue) else { return false }
        let held = try await self.held(by: [other]).0[0]
        return held.hasRecord || held.movedTo != nil || !held.conflicts.isEmpty
            || held.streams.contains { $0.outlook.key != key }
    }

    /// The streams that look-ups of these lead to, and their own: customers' and identifiers'; and which customers' own ones are those of somebody
    /// whom anything names.
    fileprivate func streams(
        naming erased: ErasedIdentifiers
    ) async throws -> (others: [StreamKey], own: [StreamKey], named: Set<StreamKey>) {
        let named = Set(
            try await self.store.streams(for: self.hashing.sought(erased)).joined().compactMap { StreamKey(bytes: $0) })
        let customers = erased.customers.sorted { $0.rawValue < $1.rawValue }
        let lists = try await self.store.streams(for: customers.map { self.hashing.sought($0) })
        let own = Set(
            erased.customers.map(self.key) + erased.identifiers.map { StreamKey($0.kind, self.hashing.hash($0)) })
        func sorted(_ keys: Set<StreamKey>) -> [StreamKey] {
            keys.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
        }
        return (
            sorted(named.subtracting(own)), sorted(own),
            Set(zip(customers, lists).filter { !$1.isEmpty }.map { self.key(of: $0.0) })
        )
    }
}
