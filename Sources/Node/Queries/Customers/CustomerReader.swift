import Customers
package import Entitlements
package import EventLog
package import ServiceContract
package import Shards
package import Subscriptions

/// Answers questions about customers from what the store has committed.
package struct CustomerReader: Sendable {
    package let holdings: HoldingsReader
    let rules: DerivationRules
    let catalog: Catalog
    let clock: any WallClock

    package init(_ holdings: HoldingsReader, rules: DerivationRules, catalog: Catalog, clock: any WallClock) {
        self.holdings = holdings
        self.rules = rules
        self.catalog = catalog
        self.clock = clock
    }

    /// The results of several questions, in their order, with the positions on which they rest.
    package func answer(
        _ questions: [CustomerQuestion]
    ) async throws -> (results: [CustomerResult], positions: [Position]) {
        let customers = Array(Set(questions.map(\.customer)))
        let (held, positions) = try await self.holdings.held(by: customers)
        let places = Dictionary(uniqueKeysWithValues: customers.enumerated().map { ($1, $0) })
        let now = self.clock.now
        // Many questions may be about one customer.
        var known: [Subject: CustomerHoldings] = [:]
        let results = questions.map { question -> CustomerResult in
            if let name = question.entitlement, !self.isEntitlement(name) { return .refused(.unknownEntitlement) }
            let own = places[question.customer].map { held[$0] } ?? HeldByCustomer()
            let subject = Subject(customer: question.customer, environment: question.environment)
            let holdings = known[subject] ?? self.counted(own, in: question.environment, at: now)
            known[subject] = holdings
            return .answer(holdings.answer(for: question.entitlement, at: now), own.standing)
        }
        return (results, positions)
    }

    /// The catalog has this name.
    package func isEntitlement(_ name: String) -> Bool { self.catalog.highestRank(of: name) != nil }

    private struct Subject: Hashable {
        var customer: CustomerID
        var environment: AppStoreEnvironment
    }

    /// All that leads to a customer.
    /// - Parameter bounds: of an earlier answer: the token does not go back behind them.
    package func view(
        of customer: CustomerID, in environment: AppStoreEnvironment, notBefore bounds: [Position]
    ) async throws -> CustomerView {
        let (all, positions) = try await self.holdings.held(by: [customer])
        let (held, now) = (all[0], self.clock.now)
        let holdings = self.counted(held, in: environment, at: now)
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
            hasRecord: held.hasRecord, movedTo: held.movedTo, asOf: now,
            token: self.holdings.positions.token(bounds + positions))
    }

    /// What counts of it in one environment.
    func counted(_ held: HeldByCustomer, in environment: AppStoreEnvironment, at now: Moment) -> CustomerHoldings {
        CustomerHoldings(
            streams: held.streams.map { stream in
                HeldStream(stream.outlook, from: now, countsInProduction: stream.countsInProduction)
            },
            grants: held.states.flatMap { $0.grants(seenAt: now) }, in: environment, catalog: self.catalog,
            rules: self.rules)
    }
}
