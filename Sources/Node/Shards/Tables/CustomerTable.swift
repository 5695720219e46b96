package import EventLog
package import Subscriptions
import Synchronization

/// What leads to customers, as far as it has been asked for: read by any thread, bounded. An entry goes as soon as a commit
/// is durable that may change it, and before anybody is told of the commit: what is here is as new as what shards answer. Of commits
/// by other nodes it hears as the node's mirror does, and is as new as that.
package final class CustomerTable: Sendable {
    /// What an entry rests on: a commit that changes one of these, or begins it, may change the entry.
    package enum Cause: Hashable, Sendable {
        /// The row of a stream, which may not be there.
        case stream([UInt8])
        /// The look-ups of an identifier.
        case identifier(IdentifierHash.Kind, IdentifierHash)
    }

    /// A reading of the store that is under way.
    package struct Loading {
        fileprivate let start: Int
        fileprivate let generation: Int
    }

    private struct Contents {
        /// Places in `entries`.
        var places: [CustomerID: Int] = [:]
        var entries: [Entry?] = []
        var free: [Int] = []
        var dependants: [Cause: Dependants] = [:]
        /// Where room is looked for next.
        var hand = 0
    }

    private struct State {
        var contents = Contents()
        var loadings = 0
        /// What commits have changed since the first of the present loadings began.
        var changes: [Cause] = []
        /// Loadings of an earlier one are not kept.
        var generation = 0
    }

    private struct Entry {
        let customer: CustomerID
        let content: CheckableCustomer
        let causes: [Cause]
        /// Asked for since room was last looked for here.
        var isRecent = true
    }

    /// Nearly always one.
    private enum Dependants {
        case one(CustomerID)
        case many(Set<CustomerID>)

        var all: [CustomerID] {
            switch self {
            case .one(let customer): [customer]
            case .many(let customers): Array(customers)
            }
        }
    }

    /// So many changes are remembered for a loading; then those under way are not kept.
    private static let changeLimit = 8_192
    /// What rests on more is read whenever it is asked for.
    private static let causeLimit = 1_024
    /// So many entries are looked at to find one that may make room.
    private static let searchLimit = 64

    private let limit: Int
    private let state = Mutex(State())
    /// How many times an entry has gone: from then on nobody says that it has changed.
    private let removals = Atomic(0)
    private let follows: Atomic<Bool>

    /// - Parameters:
    ///   - limit: of customers; those of whom nothing is known count as well.
    ///   - isFollowed: it is told of all commits to the store.
    package init(limit: Int, isFollowed: Bool) {
        self.limit = max(1, limit)
        self.follows = Atomic(isFollowed)
    }

    /// From now on it is told of all commits to the store.
    package func beginFollowing() {
        self.removeAll()
        self.follows.store(true, ordering: .releasing)
    }

    /// What is here counts.
    package var isFollowed: Bool { self.follows.load(ordering: .acquiring) }

    // MARK: Asking

    /// Entries, nil where there is none, and a number that is another one once an entry has gone.
    package func read(_ customers: [CustomerID]) -> (found: [CheckableCustomer?], removals: Int) {
        self.state.withLock { state in
            let found = customers.map { customer -> CheckableCustomer? in
                guard let place = state.contents.places[customer] else { return nil }
                state.contents.entries[place]?.isRecent = true
                return state.contents.entries[place]?.content
            }
            return (found, self.removals.load(ordering: .relaxed))
        }
    }

    /// Whether no entry has gone since `read` gave this number.
    package func isUnchanged(since removals: Int) -> Bool { self.removals.load(ordering: .acquiring) == removals }

    /// A commit that becomes durable from now on counts for what `endLoading` keeps. Every beginning has one end.
    package func beginLoading() -> Loading {
        self.state.withLock { state in
            state.loadings += 1
            return Loading(start: state.changes.count, generation: state.generation)
        }
    }

    /// Keeps what was read since `beginLoading`, but for what has changed meanwhile.
    package func endLoading(_ loading: Loading, _ loaded: [CheckableCustomer.Loaded] = []) {
        self.state.withLock { state in
            if loading.generation == state.generation, !loaded.isEmpty {
                let changes = Set(state.changes[loading.start...])
                for loaded in loaded where loaded.causes.count <= Self.causeLimit {
                    guard !loaded.causes.contains(where: changes.contains) else { continue }
                    self.add(
                        Entry(customer: loaded.customer, content: loaded.content, causes: loaded.causes),
                        to: &state.contents)
                }
            }
            state.loadings -= 1
            if state.loadings == 0 { state.changes.removeAll(keepingCapacity: true) }
        }
    }

    // MARK: Told of commits

    /// A commit is durable that has changed these rows, and written these look-ups.
    package func forget(_ keys: some Sequence<[UInt8]>, _ lookups: [Lookup]) {
        self.state.withLock { state in
            guard state.loadings > 0 || !state.contents.places.isEmpty else { return }
            for key in keys { self.forget(.stream(key), in: &state) }
            for lookup in lookups { self.forget(.identifier(lookup.kind, lookup.hash), in: &state) }
            if state.changes.count > Self.changeLimit { Self.voidLoadings(in: &state) }
        }
    }

    /// What is here may be wrong, and what is being read too.
    package func removeAll() {
        // They are many: they go when the lock is free.
        _ = self.state.withLock { state in
            let old = state.contents
            state.contents = Contents()
            self.removals.wrappingAdd(1, ordering: .releasing)
            Self.voidLoadings(in: &state)
            return old
        }
    }

    // MARK: Inside the lock

    private func forget(_ cause: Cause, in state: inout State) {
        if state.loadings > 0 { state.changes.append(cause) }
        guard let dependants = state.contents.dependants[cause] else { return }
        for customer in dependants.all { self.remove(customer, from: &state.contents) }
    }

    private static func voidLoadings(in state: inout State) {
        state.generation += 1
        state.changes.removeAll()
    }

    private func add(_ entry: Entry, to contents: inout Contents) {
        let customer = entry.customer
        self.remove(customer, from: &contents)
        if contents.entries.count >= self.limit, contents.free.isEmpty { self.makeRoom(in: &contents) }
        if let place = contents.free.popLast() {
            contents.places[customer] = place
            contents.entries[place] = entry
        } else {
            contents.places[customer] = contents.entries.count
            contents.entries.append(entry)
        }
        for cause in entry.causes {
            switch contents.dependants[cause] {
            case nil: contents.dependants[cause] = .one(customer)
            case .one(let other)?: contents.dependants[cause] = .many([other, customer])
            case .many(var customers)?:
                customers.insert(customer)
                contents.dependants[cause] = .many(customers)
            }
        }
    }

    private func remove(_ customer: CustomerID, from contents: inout Contents) {
        guard let place = contents.places.removeValue(forKey: customer) else { return }
        self.removals.wrappingAdd(1, ordering: .releasing)
        let causes = contents.entries[place]?.causes ?? []
        contents.entries[place] = nil
        contents.free.append(place)
        for cause in causes {
            switch contents.dependants[cause] {
            case nil: break
            case .one?: contents.dependants[cause] = nil
            case .many(var customers)?:
                customers.remove(customer)
                contents.dependants[cause] = customers.isEmpty ? nil : .many(customers)
            }
        }
    }

    /// One that has been asked for since the last look stays once more, if there is one that has not close by.
    private func makeRoom(in contents: inout Contents) {
        for step in 0..<Self.searchLimit {
            contents.hand = (contents.hand + 1) % contents.entries.count
            guard let entry = contents.entries[contents.hand] else { continue }
            if entry.isRecent, step < Self.searchLimit - 1 {
                contents.entries[contents.hand]?.isRecent = false
            } else {
                return self.remove(entry.customer, from: &contents)
            }
        }
    }
}
