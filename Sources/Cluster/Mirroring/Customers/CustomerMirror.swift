import Customers
package import EventLog
import Ownership
package import Subscriptions
import Synchronization
package import WireProtocol

/// Answers by customer from memory, beside a mirror of entitlements that is told by the same thread.
///
///                 one lock                         64 locks, by the hash of the customer
///     images ──▶ rows of streams, of customers ──▶ answers about the customers that were asked about
///                 and of identifiers       ◀──────  a change removes those whom it may concern
///
/// The first question about a customer after a change is resolved from the rows, in some 100 microseconds.
package final class CustomerMirror: Sendable {
    private struct State {
        var rows = CustomerRows()
        var rules: MirroredRules?
        /// The answers for every customer to whom nothing leads. They are shared, so that unknown ids take no memory.
        var unknown: MirroredCustomer?
        /// Shards whose owner does not tell of customers, or has not yet.
        var untold: Set<ShardID>
        /// Shards of which something came that is newer than this library.
        var unreadable: Set<ShardID> = []

        var isComplete: Bool { self.rules != nil && self.untold.isEmpty && self.unreadable.isEmpty }
    }

    private typealias Answers = Mutex<[IdentifierHash: MirroredCustomer]>

    private final class Segment: Sendable {
        let answers = Answers([:])
    }

    private static let segmentLogarithm = 6
    /// So many customers may be remembered in each segment: a million in all.
    private static let segmentLimit = 1 << 14

    private let mirror: EntitlementMirror
    private let state: Mutex<State>
    private let segments = (0..<(1 << CustomerMirror.segmentLogarithm)).map { _ in Segment() }
    /// The first rules that were heard of: the key by which identifiers are hashed stays.
    private let hashing = AtomicLazyReference<MirroredRules>()
    /// All shards have been copied with what answers by customer need.
    private let isComplete = Atomic(false)

    /// - Parameter mirror: by which it is known how new what was told is.
    package init(beside mirror: EntitlementMirror) {
        self.mirror = mirror
        self.state = Mutex(State(untold: Set(mirror.map.shards)))
    }

    // MARK: Questions

    /// Why there is no answer.
    package enum Refusal: Error {
        /// Not everything has been copied, or a node does not tell of customers.
        case notReady
        /// The catalog does not have the name.
        case unknownEntitlement
    }

    package func isEntitled(
        _ customer: CustomerID, to name: String?, in environment: AppStoreEnvironment, at moment: Moment
    ) throws(Refusal) -> Bool {
        let found = try self.customer(self.hash(customer))
        guard let answer = found.isEntitled(to: name, in: environment, at: moment) else {
            throw .unknownEntitlement
        }
        return answer
    }

    /// The same of several at a time, of one moment.
    /// - Parameter answers: are replaced; their memory is used again.
    package func areEntitled(
        _ customers: some Sequence<CustomerID>, to name: String?, in environment: AppStoreEnvironment,
        at moment: Moment, into answers: inout [Bool]
    ) throws(Refusal) {
        answers.removeAll(keepingCapacity: true)
        for customer in customers {
            answers.append(try self.isEntitled(customer, to: name, in: environment, at: moment))
        }
    }

    package func answer(
        for customer: CustomerID, _ name: String?, in environment: AppStoreEnvironment, at time: MirrorTime
    ) throws(Refusal) -> MirroredAnswer {
        let (found, dated) = try self.datedCustomer(self.hash(customer), time)
        guard let answer = found.answer(for: name, in: environment, at: Moment(milliseconds: time.milliseconds)) else {
            throw .unknownEntitlement
        }
        return dated(answer)
    }

    /// For each name of the catalog.
    package func answers(
        for customer: CustomerID, in environment: AppStoreEnvironment, at time: MirrorTime
    ) throws(Refusal) -> [MirroredAnswer] {
        let (found, dated) = try self.datedCustomer(self.hash(customer), time)
        let moment = Moment(milliseconds: time.milliseconds)
        return found.entitlements.compactMap { found.answer(for: $0, in: environment, at: moment).map(dated) }
    }

    /// A yes is as new as the shards that it rests on, a no as new as the oldest of all. That is looked at before the answer, which is
    /// then at least as new as it says.
    private func datedCustomer(
        _ hash: IdentifierHash, _ time: MirrorTime
    ) throws(Refusal) -> (MirroredCustomer, dated: (MirroredAnswer) -> MirroredAnswer) {
        let isAnyStale = self.mirror.isStale(at: time)
        let first = try self.customer(hash)
        guard isAnyStale else { return (first, { $0 }) }
        let isStale = self.mirror.isStale(first.shards(self.mirror.map), at: time)
        let found = try self.customer(hash)
        return (
            found,
            { answer in
                var answer = answer
                answer.isStale = !answer.entitled || isStale || found !== first
                return answer
            }
        )
    }

    /// By which the customer is known here.
    package func hash(_ customer: CustomerID) throws(Refusal) -> IdentifierHash {
        guard let rules = self.hashing.load() else { throw .notReady }
        return rules.hashing.hash(.customer, customer.rawValue)
    }

    private func customer(_ hash: IdentifierHash) throws(Refusal) -> MirroredCustomer {
        let segment = self.segment(hash)
        if let found = segment.answers.withLock({ $0[hash] }) { return found }
        guard self.isReady else { throw .notReady }
        let found = self.state.withLock { state -> MirroredCustomer? in
            guard let rules = state.rules, state.isComplete else { return nil }
            let holdings = CustomerResolver(state.rows).holdings(of: hash, rules.told)
            if holdings.isEmpty { return state.unknown }
            let found = MirroredCustomer(holdings, rules)
            segment.answers.withLock { answers in
                if answers.count >= Self.segmentLimit { answers.remove(at: answers.startIndex) }
                answers[hash] = found
            }
            return found
        }
        guard let found else { throw .notReady }
        return found
    }

    private func segment(_ hash: IdentifierHash) -> Segment {
        self.segments[Int(hash.high >> UInt64(64 - Self.segmentLogarithm))]
    }

    /// Whether questions can be answered.
    package var isReady: Bool {
        if self.isComplete.load(ordering: .acquiring) { return true }
        guard self.mirror.hasAll else { return false }
        return self.state.withLock { state in
            if state.isComplete { self.isComplete.store(true, ordering: .releasing) }
            return state.isComplete
        }
    }

    /// How many rows of streams, customers and identifiers are in memory.
    package var count: Int { self.state.withLock(\.rows.count) }

    /// All memory that the rows take, about.
    package var bytes: Int { self.state.withLock(\.rows.bytes) }

    // MARK: Following the stream

    /// Takes over what answers by customer need of a stream, unless there is as much of the same version or a newer one.
    /// An image that cannot be read, for example one of a newer node, stops all answers: nobody knows whom it concerns.
    /// - Throws: for the first such image of a shard.
    package func take(
        _ image: SubscriptionImage, in shard: ShardID, _ replacing: ReplacedRow = .olderVersion
    ) throws(MirrorError) {
        do {
            guard let (key, customer, bytes) = try Self.parts(of: image) else { return }
            try self.state.withLock { state throws(MirrorError) in
                guard let replacement = try state.rows.put(customer, bytes, of: key, in: shard, replacing) else {
                    return
                }
                // The lock is held, so that no resolver puts an older answer back.
                for hash in CustomerResolver(state.rows).concerned(by: replacement) {
                    self.segment(hash).answers.withLock { _ = $0.removeValue(forKey: hash) }
                }
            }
        } catch {
            guard self.setUnreadable(shard) else { return }
            throw MirrorError(
                .malformed, "what a node tells of customers cannot be read; is the node of a newer version than this?")
        }
    }

    /// - Returns: whether it is the first time since the shard was copied.
    private func setUnreadable(_ shard: ShardID) -> Bool {
        self.state.withLock { state in
            self.isComplete.store(false, ordering: .releasing)
            self.forgetAnswers()
            return state.unreadable.insert(shard).inserted
        }
    }

    /// All customers to whom a stream may lead as it is now, as far as has been heard.
    package func concerned(by image: SubscriptionImage, in shard: ShardID) -> [IdentifierHash] {
        guard let (key, customer, _) = try? Self.parts(of: image), let id = CustomerRows.id(of: key) else { return [] }
        return self.state.withLock { state in
            let after = CustomerRows.Found(id: id, image: customer, key: key, shard: shard)
            return Array(
                CustomerResolver(state.rows).concerned(by: CustomerRows.Replacement(before: nil, after: after)))
        }
    }

    private typealias Parts = (key: StreamKey, customer: CustomerImage, bytes: [UInt8])

    /// nil for a stream that answers by customer do not need.
    private static func parts(of image: SubscriptionImage) throws(WireError) -> Parts? {
        guard let bytes = image.customer, let key = StreamKey(bytes: image.key) else { return nil }
        return (key, try CustomerImage(decoding: bytes), bytes)
    }

    package func setRules(_ rules: StreamRules) throws(MirrorError) {
        let rules = try self.hashing.storeIfNil(MirroredRules(rules)).with(rules)
        self.state.withLock { state in
            state.rules = rules
            state.unknown = MirroredCustomer(CustomerBelongings(), rules)
            self.forgetAnswers()
        }
    }

    package func setTellsOfCustomers(_ tells: Bool, in shard: ShardID) {
        self.state.withLock { state in
            if tells {
                state.untold.remove(shard)
            } else {
                state.untold.insert(shard)
                self.isComplete.store(false, ordering: .releasing)
                self.forgetAnswers()
            }
        }
    }

    package func beginRestart(of shard: ShardID) {
        self.state.withLock { state in
            state.rows.doubt(shard)
            state.unreadable.remove(shard)
        }
    }

    package func endRestart(of shard: ShardID) {
        self.state.withLock { state in
            state.rows.removeDoubted(of: shard)
            self.forgetAnswers()
        }
    }

    private func forgetAnswers() {
        for segment in self.segments { segment.answers.withLock { $0 = [:] } }
    }
}

extension MirroredRules {
    /// These rules, by this key.
    /// - Throws: when they are of another key, as of another store.
    fileprivate func with(_ rules: StreamRules) throws(MirrorError) -> MirroredRules {
        guard rules != self.told else { return self }
        guard rules.key == self.told.key else {
            throw MirrorError(.malformed, "a node hashes identifiers by another key")
        }
        return try MirroredRules(rules)
    }
}
