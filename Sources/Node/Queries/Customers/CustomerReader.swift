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
            return .answer(holdings.answer(for: question.entitlement, at: now), isKnown: own.isKnown)
        }
        return (results, positions)
    }

    /// The catalog has this name.
    package func isEntitlement(_ name: String) -> Bool { self.catalog.highestRank(of: name) != nil }

    /// Of the customer's own stream.
    package func key(of customer: CustomerID) -> StreamKey { StreamKey(customer: self.links.hash(customer)) }

    /// What its own stream keeps; nothing where it has none.
    package func state(of customer: CustomerID) async throws -> (CustomerState, [Position]) {
        let key = self.key(of: customer).bytes
        let (loaded, positions) = try await self.load([key])
        return (loaded.customers[key] ?? CustomerState(), positions)
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
            conflicts: held.conflicts, grants: held.state?.grants ?? [], attributes: held.state?.attributes ?? [:],
            hasRecord: held.state != nil, asOf: now, token: self.positions.token(bounds + positions))
    }

    private func holdings(_ held: Held, in environment: AppStoreEnvironment, at now: Moment) -> CustomerHoldings {
        CustomerHoldings(
            streams: held.streams.map { stream in
                HeldStream(stream.outlook, from: now, countsInProduction: stream.countsInProduction)
            },
            grants: held.state?.grants(seenAt: now) ?? [], in: environment, catalog: self.catalog, rules: self.rules)
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
        /// Of the customer's own stream; nil where it has none.
        var state: CustomerState?

        var isKnown: Bool { !self.streams.isEmpty || self.state != nil }
    }

    private func holdings(of customers: [CustomerID]) async throws -> ([Held], [Position]) {
        let candidates = try await self.candidates(of: customers)
        let own = customers.map { self.key(of: $0).bytes }
        let (loaded, positions) = try await self.load(Set(candidates.joined() + own))
        let held = zip(zip(customers, own), candidates).map { customer, keys in
            let (customer, key) = customer
            var held = Held(state: loaded.customers[key])
            let hash = self.links.hash(customer)
            for key in keys {
                guard let state = loaded.streams[key] else { continue }
                if let because = self.links.resolution(of: state).reason(of: hash) {
                    if let outlook = Outlook(state, rules: self.rules) {
                        let counts = self.policies.sandbox(of: state.key.bundleID)
                            .counts(customer, token: state.leads.token?.value ?? nil)
                        held.streams.append(
                            Held.Stream(outlook: outlook, because: because, countsInProduction: counts))
                    }
                } else if state.leads.conflicts.contains(customer) {
                    held.conflicts.append(state.key)
                }
            }
            return held
        }
        return (held, positions)
    }

    /// The keys of the streams that may lead to each customer.
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
            candidates[place].formUnion(keys.filter { StreamKey(bytes: $0)?.kind.givesAccess ?? false })
        }
        return candidates
    }

    /// States by key: of subscriptions and purchases, and of customers.
    private struct Loaded {
        var streams: [[UInt8]: StreamState] = [:]
        var customers: [[UInt8]: CustomerState] = [:]
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
                    loaded.customers[row.key] = try await self.store.loadCustomer(row, key: key, in: request.shard)
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
