package import Customers
package import Entitlements
package import EventLog
package import Ownership
package import ServiceContract
package import Shards
package import Subscriptions

/// Answers questions about customers from what the store has committed: the look-ups give candidates, and each candidate's own
/// stream says whose it is.
package struct CustomerReader: Sendable {
    private let store: any EventStore
    private let map: ShardHash
    private let positions: PositionGuard
    private let hashing: IdentifierKey
    private let links: LinkJudge
    private let policies: CustomerPolicies
    private let rules: DerivationRules
    private let catalog: Catalog
    private let clock: any WallClock

    package init(
        store: any EventStore, map: ShardHash, positions: PositionGuard, hashing: IdentifierKey,
        policies: CustomerPolicies, rules: DerivationRules, catalog: Catalog, clock: any WallClock
    ) {
        self.store = store
        self.map = map
        self.positions = positions
        self.hashing = hashing
        self.links = LinkJudge(policies, hashing)
        self.policies = policies
        self.rules = rules
        self.catalog = catalog
        self.clock = clock
    }

    // MARK: Questions

    /// The results of several questions, in their order, with the positions on which they rest.
    package func answer(
        _ questions: [CustomerQuestion]
    ) async throws -> (results: [CustomerResult], positions: [Position]) {
        let customers = Array(Set(questions.map(\.customer)))
        let (held, positions) = try await self.holdings(of: customers)
        let places = Dictionary(uniqueKeysWithValues: customers.enumerated().map { ($1, $0) })
        let now = self.clock.now
        // Many questions may be about one customer.
        var known: [Subject: CustomerHoldings] = [:]
        let results = questions.map { question -> CustomerResult in
            if let name = question.entitlement, !self.isEntitlement(name) { return .refused(.unknownEntitlement) }
            let own = places[question.customer].map { held[$0] } ?? Held()
            let subject = Subject(customer: question.customer, environment: question.environment)
            let holdings = known[subject] ?? self.holdings(own, in: question.environment, at: now)
            known[subject] = holdings
            return .answer(holdings.answer(for: question.entitlement, at: now), own.standing)
        }
        return (results, positions)
    }

    /// The catalog has this name.
    package func isEntitlement(_ name: String) -> Bool { self.catalog.highestRank(of: name) != nil }

    /// Of the customer's own stream.
    package func key(of customer: CustomerID) -> StreamKey { StreamKey(customer: self.hash(customer)) }

    package func hash(_ customer: CustomerID) -> IdentifierHash { self.links.hash(customer) }

    /// What a customer's own stream keeps, at its version; nothing, at none, where there is no such stream.
    package struct Record: Sendable {
        package var state = CustomerState()
        package var version = StreamVersion.zero
        package var positions: [Position] = []
    }

    package func record(of customer: CustomerID) async throws -> Record {
        let key = self.key(of: customer).bytes
        let (loaded, positions) = try await self.load([key])
        guard let found = loaded.customers[key] else { return Record() }
        return Record(state: found.state, version: found.version, positions: positions)
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

    private struct Subject: Hashable {
        var customer: CustomerID
        var environment: AppStoreEnvironment
    }

    /// All that leads to a customer.
    /// - Parameter bounds: of an earlier answer: the token does not go back behind them.
    package func view(
        of customer: CustomerID, in environment: AppStoreEnvironment, notBefore bounds: [Position]
    ) async throws -> CustomerView {
        let (all, positions) = try await self.holdings(of: [customer])
        let (held, now) = (all[0], self.clock.now)
        let holdings = self.holdings(held, in: environment, at: now)
        let streams = held.streams.map { stream in
            CustomerView.Stream(
                key: stream.outlook.key, snapshot: stream.outlook.snapshot(at: now), because: stream.because)
        }
        return CustomerView(
            customer: customer, environment: environment,
            entitlements: self.catalog.entitlements.map { holdings.answer(for: $0, at: now) },
            streams: streams.sorted { left, right in
                let dates = (left.snapshot.purchaseDate ?? .distantPast, right.snapshot.purchaseDate ?? .distantPast)
                return dates.0 == dates.1
                    ? left.key.bytes.lexicographicallyPrecedes(right.key.bytes) : dates.0 > dates.1
            },
            conflicts: held.conflicts, grants: held.states.flatMap(\.grants), attributes: held.attributes,
            hasRecord: held.hasRecord, movedTo: held.movedTo, asOf: now, token: self.positions.token(bounds + positions)
        )
    }

    private func holdings(_ held: Held, in environment: AppStoreEnvironment, at now: Moment) -> CustomerHoldings {
        CustomerHoldings(
            streams: held.streams.map { stream in
                HeldStream(stream.outlook, from: now, countsInProduction: stream.countsInProduction)
            },
            grants: held.states.flatMap { $0.grants(seenAt: now) }, in: environment, catalog: self.catalog,
            rules: self.rules)
    }

    // MARK: Reading

    /// What leads to one customer.
    private struct Held {
        struct Stream {
            var outlook: Outlook
            var because: Resolution.Reason
            var countsInProduction: Bool
        }

        var streams: [Stream] = []
        var conflicts: [StreamKey] = []
        /// Of the customer's own stream, then of those whose move here is not settled; none where it has been moved itself.
        var states: [CustomerState] = []
        var hasRecord = false
        var movedTo: CustomerID?

        var standing: CustomerResult.Standing {
            if let movedTo { return .moved(to: movedTo) }
            return self.hasRecord || !self.streams.isEmpty ? .known : .unknown
        }

        /// The customer's own go before those of the others.
        var attributes: [String: AttributeValue] {
            self.states.reduce(into: [:]) { all, state in all.merge(state.attributes) { own, _ in own } }
        }
    }

    private func holdings(of customers: [CustomerID]) async throws -> ([Held], [Position]) {
        let families = try await self.families(of: customers)
        return (customers.map { self.held(by: $0, families) }, families.positions)
    }

    private func held(by customer: CustomerID, _ families: Families) -> Held {
        var held = Held()
        held.hasRecord = families.states[customer] != nil
        held.movedTo = families.moves.end(of: self.links.hash(customer))
        guard held.movedTo == nil else { return held }
        let own = families.members(of: customer)
        held.states = families.states(of: customer)
        let hash = self.links.hash(customer)
        for key in own.reduce(into: Set(), { $0.formUnion(families.candidates[$1] ?? []) }) {
            guard let state = families.streams[key] else { continue }
            if let because = self.links.resolution(of: state, families.moves).reason(of: hash) {
                guard let outlook = Outlook(state, rules: self.rules) else { continue }
                let (policy, token) = (self.policies.sandbox(of: state.key.bundleID), state.leads.token?.value ?? nil)
                held.streams.append(
                    Held.Stream(
                        outlook: outlook, because: because,
                        countsInProduction: own.contains { policy.counts($0, token: token) }))
            } else if own.contains(where: state.leads.conflicts.contains) {
                held.conflicts.append(state.key)
            }
        }
        return held
    }

    /// Customers, those who have moved to them, and what the look-ups of all these name.
    private struct Families {
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
    }

    /// Look-ups come first: what a customer's row does not have yet of somebody whom they name, it is about to get, and says so.
    private func families(of customers: [CustomerID]) async throws -> Families {
        var families = Families()
        var next = customers
        while !next.isEmpty {
            let found = try await self.candidates(of: next)
            var keys = Set(found.joined())
            // Whoever has arrived was read to learn that.
            for customer in next where families.states[customer] == nil { keys.insert(self.key(of: customer).bytes) }
            let (loaded, positions) = try await self.load(keys)
            families.positions += positions
            families.streams.merge(loaded.streams) { first, _ in first }
            for (customer, keys) in zip(next, found) {
                if let own = loaded.customers[self.key(of: customer).bytes] { families.states[customer] = own.state }
                families.candidates[customer] = keys
            }
            for other in loaded.customers.values.map(\.state) {
                if let customer = other.customer { families.states[customer] = other }
            }
            next = families.states.keys.filter { customer in
                guard families.candidates[customer] == nil else { return false }
                return families.states[customer]?.movedTo.map { families.candidates[$0] != nil } ?? false
            }
        }
        families.positions += try await self.follow(customers, in: &families)
        for (customer, state) in families.states {
            guard let target = state.movedTo else { continue }
            families.arrivals[target, default: []].append(customer)
            families.moves.note(self.links.hash(customer), movedTo: self.links.hash(target), target)
        }
        return families
    }

    /// Reads where those of these customers who have been moved are by now.
    private func follow(_ customers: [CustomerID], in families: inout Families) async throws -> [Position] {
        var positions: [Position] = []
        var next = customers
        while true {
            next = next.compactMap { families.states[$0]?.movedTo }.filter { families.states[$0] == nil }
            let keys = Dictionary(next.map { (self.key(of: $0).bytes, $0) }) { first, _ in first }
            guard !keys.isEmpty else { return positions }
            let (loaded, read) = try await self.load(Set(keys.keys))
            positions += read
            for (bytes, customer) in keys {
                if let state = loaded.customers[bytes]?.state { families.states[customer] = state }
            }
            next = Array(Set(next))
        }
    }

    /// For each customer the keys of the streams that may lead to it, and of those customers' that may have moved to it.
    private func candidates(of customers: [CustomerID]) async throws -> [Set<[UInt8]>] {
        var sought: [SoughtIdentifier] = []
        var owners: [Int] = []
        for (place, customer) in customers.enumerated() {
            sought.append(self.hashing.sought(customer))
            owners.append(place)
            guard let token = AccountToken(customer.rawValue) else { continue }
            sought.append(self.hashing.sought(token))
            owners.append(place)
        }
        var candidates = [Set<[UInt8]>](repeating: [], count: customers.count)
        for (place, keys) in zip(owners, try await self.store.streams(for: sought)) {
            candidates[place].formUnion(
                keys.filter { bytes in
                    guard let kind = StreamKey(bytes: bytes)?.kind else { return false }
                    return kind.givesAccess || kind == .customer
                })
        }
        return candidates
    }

    /// States by key: of subscriptions and purchases, and of customers.
    private struct Loaded {
        var streams: [[UInt8]: StreamState] = [:]
        var customers: [[UInt8]: (state: CustomerState, version: StreamVersion)] = [:]
    }

    /// What is stored under these keys, and how far the log of each of their shards is known to reach with that.
    private func load(_ keys: Set<[UInt8]>) async throws -> (Loaded, [Position]) {
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
                if key.kind == .customer {
                    let state = try await self.store.loadCustomer(row, key: key, in: request.shard)
                    loaded.customers[row.key] = (state, row.version)
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
