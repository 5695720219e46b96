package import Customers
package import EventLog
package import Ownership
import ServiceContract
package import Shards
package import Subscriptions

/// Reads what leads to customers from what the store has committed: the look-ups give candidates, and each candidate's own stream says
/// whose it is.
package struct HoldingsReader: Sendable {
    let store: any EventStore
    let map: ShardHash
    let positions: PositionGuard
    let hashing: IdentifierKey
    private let policies: CustomerPolicies
    let rules: DerivationRules
    let links: LinkJudge
    /// What is read is as of then; nil for the present.
    private(set) var past: PastMoment?

    package init(
        store: any EventStore, map: ShardHash, positions: PositionGuard, hashing: IdentifierKey,
        policies: CustomerPolicies, rules: DerivationRules
    ) {
        self.store = store
        self.map = map
        self.positions = positions
        self.hashing = hashing
        self.policies = policies
        self.rules = rules
        self.links = LinkJudge(policies, hashing)
    }

    /// The same as of an earlier moment: facts as `StreamHistory` has them, links, identifiers and grants as they were recorded.
    func asOf(_ past: PastMoment) -> Self {
        var reader = self
        reader.past = past
        return reader
    }

    /// Of the customer's own stream.
    package func key(of customer: CustomerID) -> StreamKey { StreamKey(.customer, self.hash(customer)) }

    package func hash(_ customer: CustomerID) -> IdentifierHash { self.links.hash(customer) }

    /// What a customer's own stream keeps, at its version; nothing, at none, where there is no such stream.
    package struct Record: Sendable {
        package var state = CustomerState()
        package var version = StreamVersion.zero
        /// When its answers may change by time alone.
        package var due: Moment?
        package var positions: [Position] = []
    }

    package func record(of customer: CustomerID) async throws -> Record {
        let key = self.key(of: customer).bytes
        let (loaded, positions) = try await self.load([key])
        guard let found = loaded.publisher[key], case .customer(let state) = found.kept else { return Record() }
        return Record(state: state, version: found.version, due: found.due, positions: positions)
    }

    /// The same of several.
    func records(of customers: [CustomerID]) async throws -> [Record] {
        let keys = customers.map { self.key(of: $0).bytes }
        let loaded = try await self.load(Set(keys)).0
        return keys.map { key in
            guard let found = loaded.publisher[key], case .customer(let state) = found.kept else { return Record() }
            return Record(state: state, version: found.version, due: found.due)
        }
    }

    /// The customer whose everything is a customer's by now, and what is kept of it: itself, where it has not been moved.
    package func end(of customer: CustomerID) async throws -> (CustomerID, Record) {
        var (end, record) = (customer, try await self.record(of: customer))
        for _ in 0..<Resolution.moveLimit {
            guard let next = record.state.movedTo else { break }
            (end, record) = (next, try await self.record(of: next))
        }
        return (end, record)
    }

    /// Something is recorded of the customer, or leads to it.
    package func isKnown(_ customer: CustomerID) async throws -> Bool {
        let held = try await self.held(by: [customer]).0[0]
        return held.standing == .known || !held.conflicts.isEmpty
    }

    /// Where these lead.
    func directory(_ needs: CustomerDirectory.Needs) async throws -> CustomerDirectory {
        try await CustomerDirectory(needs, by: self.links) { keys in
            let loaded = try await self.load(Set(keys.map(\.bytes))).0
            return keys.compactMap { key in
                loaded.publisher[key.bytes].map { .publisher(key, $0.kept) }
                    ?? loaded.streams[key.bytes].map { .stream($0) }
            }
        }
    }

    /// A subscription or purchase; nil where there is none.
    func stream(_ key: StreamKey) async throws -> StreamState? {
        try await self.load([key.bytes]).0.streams[key.bytes]
    }

    /// What leads to each of these customers, and how far the log is known to reach with that.
    func held(by customers: [CustomerID]) async throws -> ([HeldByCustomer], [Position]) {
        let families = try await self.families(of: customers)
        return (customers.map { self.held(by: $0, families) }, families.positions)
    }

    func held(by customer: CustomerID, _ families: CustomerFamilies) -> HeldByCustomer {
        var held = HeldByCustomer()
        // The own stream of a deleted customer names nobody.
        held.hasRecord = families.states[customer]?.customer != nil
        held.movedTo = families.directory.end(of: self.links.hash(customer))
        guard held.movedTo == nil else { return held }
        let own = families.members(of: customer)
        held.states = families.states(of: customer)
        held.identifiers = families.registered(by: customer)
        let hash = self.links.hash(customer)
        for key in own.reduce(into: Set(), { $0.formUnion(families.candidates[$1] ?? []) }) {
            guard let state = families.streams[key] else { continue }
            if let because = self.links.resolution(of: state, families.directory).reason(of: hash) {
                guard let outlook = Outlook(state, rules: self.rules) else { continue }
                let (policy, token) = (self.policies.sandbox(of: state.key.bundleID), state.leads.token?.value ?? nil)
                held.streams.append(
                    HeldByCustomer.Stream(
                        outlook: outlook, because: because,
                        countsInProduction: own.contains { policy.counts($0, token: token) },
                        superseded: families.directory.predecessors(of: state).map(\.key)))
            } else if own.contains(where: state.leads.conflicts.contains) {
                held.conflicts.append(state.key)
            }
        }
        return held
    }

    /// Look-ups come first: what a customer's row does not have yet of somebody whom they name, it is about to get, and says so.
    /// - Parameter limit: of the streams that may lead to a customer; nothing is read of one with more.
    func families(of customers: [CustomerID], atMost limit: Int = .max) async throws -> CustomerFamilies {
        var families = CustomerFamilies()
        var next = customers
        while !next.isEmpty {
            var found = try await self.candidates(of: next)
            for place in found.indices where found[place].count > limit {
                found[place] = []
                families.omitted.insert(next[place])
            }
            var keys = Set(found.joined())
            // Whoever has arrived was read to learn that.
            for customer in next where families.states[customer] == nil { keys.insert(self.key(of: customer).bytes) }
            let (loaded, positions) = try await self.load(keys)
            families.positions += positions
            families.streams.merge(loaded.streams) { first, _ in first }
            for (customer, keys) in zip(next, found) {
                if let own = loaded.publisher[self.key(of: customer).bytes]?.kept.customer {
                    families.states[customer] = own
                }
                families.candidates[customer] = keys
            }
            for (key, found) in loaded.publisher {
                switch found.kept {
                case .customer(let state): if let customer = state.customer { families.states[customer] = state }
                case .identifier(let state): families.identifiers[key] = state
                }
            }
            families.positions += try await self.addRegistered(by: next, to: &families, atMost: limit)
            next = families.states.keys.filter { customer in
                guard families.candidates[customer] == nil else { return false }
                return families.states[customer]?.movedTo.map { families.candidates[$0] != nil } ?? false
            }
        }
        families.positions += try await self.follow(customers, in: &families)
        for (customer, state) in families.states {
            guard let target = state.movedTo else { continue }
            families.arrivals[target, default: []].append(customer)
            families.directory.note(self.links.hash(customer), to: self.links.hash(target), target)
        }
        families.positions += try await self.addSuccessors(to: &families)
        families.positions += try await self.addPredecessors(to: &families)
        families.positions += try await self.addHolders(to: &families)
        return families
    }

    /// The streams that carry what these customers have registered are candidates too.
    private func addRegistered(
        by customers: [CustomerID], to families: inout CustomerFamilies, atMost limit: Int
    ) async throws -> [Position] {
        var sought: [SoughtIdentifier] = []
        var owners: [CustomerID] = []
        for customer in customers {
            for key in families.candidates[customer] ?? [] {
                guard let state = families.identifiers[key], state.holder == customer,
                    let identifier = families.identifier(key)
                else { continue }
                sought.append(self.hashing.sought(identifier))
                owners.append(customer)
            }
        }
        guard !sought.isEmpty else { return [] }
        var missing: Set<[UInt8]> = []
        for (customer, keys) in zip(owners, try await self.store.streams(for: sought)) {
            guard keys.count <= limit else {
                families.omitted.insert(customer)
                continue
            }
            for key in keys where StreamKey(bytes: key)?.kind.givesAccess ?? false {
                families.candidates[customer, default: []].insert(key)
                if families.streams[key] == nil { missing.insert(key) }
            }
        }
        let (loaded, positions) = try await self.load(missing)
        families.streams.merge(loaded.streams) { first, _ in first }
        return positions
    }

    /// Streams that supersede a candidate are candidates too.
    private func addSuccessors(to families: inout CustomerFamilies) async throws -> [Position] {
        var positions: [Position] = []
        for _ in 0..<Resolution.predecessorLimit {
            var missing: Set<[UInt8]> = []
            var isDone = true
            for (customer, keys) in families.candidates {
                let successors = keys.flatMap { families.streams[$0]?.successors ?? [] }.map(\.bytes)
                for successor in successors where !keys.contains(successor) {
                    families.candidates[customer]?.insert(successor)
                    isDone = false
                    if families.streams[successor] == nil { missing.insert(successor) }
                }
            }
            if isDone { break }
            let (loaded, read) = try await self.load(missing)
            families.streams.merge(loaded.streams) { first, _ in first }
            positions += read
        }
        return positions
    }

    /// A candidate that carries no identifier leads where its predecessor does.
    private func addPredecessors(to families: inout CustomerFamilies) async throws -> [Position] {
        var positions: [Position] = []
        var next = families.streams.values.filter { $0.predecessor != nil }
        for state in next { families.directory.note(state) }
        for _ in 0..<Resolution.predecessorLimit {
            let keys = Set(next.compactMap(\.predecessor?.bytes))
            guard !keys.isEmpty else { break }
            let (loaded, read) = try await self.load(keys.subtracting(families.streams.keys))
            families.streams.merge(loaded.streams) { first, _ in first }
            positions += read
            next = keys.compactMap { families.streams[$0] }
            for state in next { families.directory.note(state) }
        }
        return positions
    }

    /// Who has registered what the candidates carry: whether a stream is somebody's is for its own identifiers to say.
    private func addHolders(to families: inout CustomerFamilies) async throws -> [Position] {
        let needed = families.streams.values.reduce(into: Set<[UInt8]>()) { needed, state in
            needed.formUnion(self.identifierKeys(of: state))
        }
        let (loaded, positions) = try await self.load(needed.subtracting(families.identifiers.keys))
        for (key, found) in loaded.publisher { families.identifiers[key] = found.kept.identifier }
        for (key, state) in families.identifiers {
            guard let holder = state.holder, let identifier = families.identifier(key) else { continue }
            families.directory.note(self.hashing.hash(identifier), to: self.hash(holder), holder)
        }
        return positions
    }

    private func identifierKeys(of state: StreamState) -> [[UInt8]] {
        LeadImage(state.leads, hash: self.hashing.hash).identifiers.map { StreamKey($0.0, $0.1).bytes }
    }

    /// The rows and look-ups on which the answers about a customer rest. While none of them changes, the answers stay the same.
    func causes(of customer: CustomerID, _ families: CustomerFamilies) -> [CustomerTable.Cause] {
        let members = families.members(of: customer)
        var keys = members.reduce(into: Set<[UInt8]>()) { $0.formUnion(families.candidates[$1] ?? []) }
        var (end, names) = (customer, members)
        while let next = families.states[end]?.movedTo, !names.contains(next) {
            (end, names) = (next, names + [next])
        }
        keys.formUnion(names.map { self.key(of: $0).bytes })
        for state in keys.compactMap({ families.streams[$0] }) {
            var line = [state]
            while line.count <= Resolution.predecessorLimit, let predecessor = line.last?.predecessor?.bytes {
                // One that is not known yet may come.
                keys.insert(predecessor)
                guard let next = families.streams[predecessor] else { break }
                line.append(next)
            }
            for state in line { keys.formUnion(self.identifierKeys(of: state)) }
        }
        let registered = keys.compactMap(families.identifier).map { self.hashing.sought($0) }
        return keys.map(CustomerTable.Cause.stream)
            + (members.flatMap(self.sought) + registered).map { CustomerTable.Cause.identifier($0.kind, $0.hash) }
    }

    /// Those of the streams, each once.
    func shards(of causes: [CustomerTable.Cause]) -> [ShardID] {
        Array(
            Set(
                causes.compactMap { cause in
                    guard case .stream(let bytes) = cause, let key = StreamKey(bytes: bytes) else { return nil }
                    return self.map.shard(of: key.id)
                }))
    }

    /// The identifiers whose look-ups lead to streams of a customer.
    private func sought(_ customer: CustomerID) -> [SoughtIdentifier] {
        [self.hashing.sought(customer)] + (AccountToken(customer.rawValue).map { [self.hashing.sought($0)] } ?? [])
    }

    /// Reads where those of these customers who have been moved are by now.
    private func follow(_ customers: [CustomerID], in families: inout CustomerFamilies) async throws -> [Position] {
        var positions: [Position] = []
        var next = customers
        while true {
            next = next.compactMap { families.states[$0]?.movedTo }.filter { families.states[$0] == nil }
            let keys = Dictionary(next.map { (self.key(of: $0).bytes, $0) }) { first, _ in first }
            guard !keys.isEmpty else { return positions }
            let (loaded, read) = try await self.load(Set(keys.keys))
            positions += read
            for (bytes, customer) in keys {
                if let state = loaded.publisher[bytes]?.kept.customer { families.states[customer] = state }
            }
            next = Array(Set(next))
        }
    }

    /// For each customer the keys of the streams that may lead to it, and of those customers' that may have moved to it.
    private func candidates(of customers: [CustomerID]) async throws -> [Set<[UInt8]>] {
        var sought: [SoughtIdentifier] = []
        var owners: [Int] = []
        for (place, customer) in customers.enumerated() {
            for identifier in self.sought(customer) {
                sought.append(identifier)
                owners.append(place)
            }
        }
        var candidates = [Set<[UInt8]>](repeating: [], count: customers.count)
        for (place, keys) in zip(owners, try await self.store.streams(for: sought)) {
            candidates[place].formUnion(
                keys.filter { bytes in
                    guard let kind = StreamKey(bytes: bytes)?.kind else { return false }
                    return kind.givesAccess || kind.isOfPublisher
                })
        }
        return candidates
    }

    /// States by key: of subscriptions and purchases, and what people have said.
    struct Loaded {
        var streams: [[UInt8]: StreamState] = [:]
        var publisher: [[UInt8]: (kept: PublisherState, version: StreamVersion, due: Moment?)] = [:]
    }

    /// What is stored under these keys, and how far the log of each of their shards is known to reach with that.
    func load(_ keys: Set<[UInt8]>) async throws -> (Loaded, [Position]) {
        if let past { return (try await self.load(keys, asOf: past), []) }
        var requests: [ShardID: LoadRequest] = [:]
        for bytes in keys {
            guard let key = StreamKey(bytes: bytes) else { continue }
            let shard = self.map.shard(of: key.id)
            requests[shard, default: LoadRequest(shard: shard)].keys.append(bytes)
        }
        let ordered = requests.values.sorted { $0.shard.rawValue < $1.shard.rawValue }
        var loaded = Loaded()
        var positions: [Position] = []
        for (request, answer) in zip(ordered, try await self.store.load(ordered)) {
            for row in answer.streams {
                guard let key = StreamKey(bytes: row.key) else { continue }
                if let kept = try await self.store.loadPublisherState(row, key: key, in: request.shard) {
                    loaded.publisher[row.key] = (kept, row.version, row.nextDue.map(Moment.init(milliseconds:)))
                } else {
                    loaded.streams[row.key] = try await self.store.loadState(row, key: key, in: request.shard)
                }
            }
            guard let newest = answer.streams.map(\.sequence).max() else { continue }
            positions.append(try await self.positions.position(of: newest, in: request.shard))
        }
        return (loaded, positions)
    }
}
