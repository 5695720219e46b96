import Customers
import EventLog
import Ownership
package import ServiceContract
package import Shards
package import Subscriptions
import WireProtocol

/// Takes a deleted customer out of the streams that lead there: first out of their events and signed originals, and then, by their
/// owners, out of their states. All of it may be repeated.
package struct CustomerEraser: Sendable {
    private let holdings: HoldingsReader
    private let router: ShardRouter

    private static let page = 256
    /// So often a stream is begun anew that is added to meanwhile.
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

    /// The customer, and those who have moved there.
    /// - Throws: `.customerMoved` where the customer is somebody else by now.
    package func names(of customer: CustomerID) async throws(ServiceError) -> Set<CustomerID> {
        let families = try await ServiceError.translating { try await self.holdings.families(of: [customer]) }
        guard families.states[customer]?.movedTo == nil else {
            throw ServiceError(
                .customerMoved, "everything of the customer is another one's: delete the one to whom it has been moved")
        }
        return Set(families.members(of: customer))
    }

    /// By what these are known: identifiers that they have registered, their ids where these are tokens, and the tokens of purchases that are
    /// theirs alone.
    package func identifiers(of customers: Set<CustomerID>) async throws(ServiceError) -> Set<RegistrableIdentifier> {
        try await ServiceError.translating { try await self.holdings.erasable(customers) }
    }

    /// Takes them out of all that the look-ups name.
    package func erase(_ erased: ErasedIdentifiers) async throws(ServiceError) -> Pass {
        var pass = Pass()
        // The customers' own streams are last: until then a repetition finds what they had registered.
        for key in try await ServiceError.translating({ try await self.holdings.streams(naming: erased) }) {
            do throws(ServiceError) {
                if try await self.erase(erased, from: key) { pass.changed += 1 }
            } catch {
                guard error.code == .corrupt || error.code == .parked else { throw error }
                pass.skipped += 1
            }
            pass.examined += 1
        }
        return pass
    }

    /// - Returns: whether the stream named one of them.
    private func erase(_ erased: ErasedIdentifiers, from key: StreamKey) async throws(ServiceError) -> Bool {
        var hasChanged = false
        for _ in 0..<Self.attempts {
            let events = try await ServiceError.translating { try await self.eraseEvents(erased, of: key) }
            guard let last = events.last else { return false }
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

    private func eraseEvents(_ erased: ErasedIdentifiers, of key: StreamKey) async throws -> Events {
        let (bytes, shard) = (key.bytes, self.router.map.shard(of: key.id))
        let store = self.router.store
        var events = Events()
        var state = StreamState(key: key)
        while true {
            let page = try await store.events(of: bytes, in: shard, after: events.last ?? .zero, limit: Self.page)
            var bodies: [LogSequence: [UInt8]] = [:]
            var isSigned = false
            for stored in page {
                let before = try stored.decoded()
                let after = before.erasing(erased)
                state.apply(after)
                guard after != before else { continue }
                bodies[stored.sequence] = try after.protoBytes(key: key)
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
        var erasable = Set(customers.compactMap { AccountToken($0.rawValue) }.map(RegistrableIdentifier.token))
        for customer in customers { erasable.formUnion(families.registered(by: customer)) }
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

    /// The streams that look-ups of these lead to, and at the end their own.
    fileprivate func streams(naming erased: ErasedIdentifiers) async throws -> [StreamKey] {
        let sought = erased.customers.map(self.hashing.sought) + erased.identifiers.map(self.hashing.sought)
        let named = try await self.store.streams(for: sought).joined()
        let identifiers = erased.identifiers.map { StreamKey($0.kind, self.hashing.hash($0)) }
        let own = erased.customers.map(self.key)
        let last = Set(own)
        let first = Set(named.compactMap { StreamKey(bytes: $0) } + identifiers).subtracting(last)
        return first.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) } + own.sorted { $0.id < $1.id }
    }
}
