import Customers
package import Entitlements
package import EventLog
package import Mirroring
package import ServiceContract
package import Shards
package import Subscriptions

/// Answers questions about customers: from memory what is there, and the rest from what the store has committed.
package struct CustomerReader: Sendable {
    package let holdings: HoldingsReader
    /// nil on a node that does not hear of all commits to its store.
    private let memory: CustomerMemory?
    private let storeQuestions: StoreQuestions
    private let pastQuestions = PastQuestions()
    let rules: DerivationRules
    let catalog: Catalog
    let clock: any WallClock

    /// - Parameters:
    ///   - table: nil on a node that does not hear of all commits to its store.
    ///   - mirror: by which the node hears of the commits of others; nil for a node alone.
    ///   - storePatience: for so long a check waits for the store.
    package init(
        _ holdings: HoldingsReader, table: CustomerTable?, mirror: EntitlementMirror?, rules: DerivationRules,
        catalog: Catalog, clock: any WallClock, storePatience: Duration
    ) {
        self.holdings = holdings
        self.storeQuestions = StoreQuestions(patience: storePatience)
        self.memory = table.map { CustomerMemory($0, positions: holdings.positions, mirror: mirror) }
        self.rules = rules
        self.catalog = catalog
        self.clock = clock
    }

    package struct Answers {
        /// In the order of the questions.
        package var results: [CustomerResult] = []
        /// How far the log is known to reach with them.
        package var positions: [Position] = []
        package var isStale = false
        /// For which they hold.
        package let asOf: Moment
    }

    /// The answers of this moment, when all of them are in memory, and neither stale nor older than `bounds`.
    package func answerFromMemory(_ questions: [CustomerQuestion], atLeast bounds: [Position]) -> Answers? {
        let now = self.clock.now
        guard let known = self.memory?.known(questions.map(\.customer), at: now, atLeast: bounds) else { return nil }
        var answers = Answers(positions: known.heads, asOf: now)
        answers.results.reserveCapacity(questions.count)
        for (question, customer) in zip(questions, known.customers) {
            guard let customer else { return nil }
            answers.results.append(self.result(question, customer, at: now))
        }
        return answers
    }

    /// The answers to several questions: from memory what is there, and the rest from the store. Where the store does not answer, stale
    /// memory counts.
    /// - Parameters:
    ///   - bounds: places that the token names: no answer is older.
    ///   - memoryCounts: false asks the store about all of them.
    /// - Throws: `.storeRewound` when the log does not hold what the token names; `.storeUnavailable` when the store does not answer in
    ///   time.
    package func answer(
        _ questions: [CustomerQuestion], atLeast bounds: [Position], memoryCounts: Bool
    ) async throws -> Answers {
        let asked = Array(Set(questions.map(\.customer)))
        var customers: [CustomerID: CheckableCustomer] = [:]
        var positions: [Position] = []
        var places = bounds
        if memoryCounts, let known = self.memory?.known(asked, at: self.clock.now, atLeast: bounds) {
            for (customer, known) in zip(asked, known.customers) { customers[customer] = known }
            positions = known.heads
            // Memory is as new.
            places = []
        }
        let missing = asked.filter { customers[$0] == nil }
        do throws(ServiceError) {
            let (loaded, read) = try await self.storeQuestions.ask(until: self.storeQuestions.deadline) { [places] in
                for place in places { try await self.holdings.positions.check(atLeast: place) }
                return try await self.load(missing)
            }
            customers.merge(loaded) { known, _ in known }
            positions += read
        } catch {
            guard memoryCounts, error.retryable, let stale = self.staleAnswers(questions, atLeast: bounds) else {
                throw error
            }
            return stale
        }
        var answers = Answers(positions: positions, asOf: self.clock.now)
        for question in questions {
            guard let customer = customers[question.customer] else { continue }
            answers.results.append(self.result(question, customer, at: answers.asOf))
        }
        return answers
    }

    /// nil unless all of them are in memory.
    private func staleAnswers(_ questions: [CustomerQuestion], atLeast bounds: [Position]) -> Answers? {
        let now = self.clock.now
        guard let memory,
            let known = memory.known(questions.map(\.customer), at: now, atLeast: bounds, staleToo: true)
        else { return nil }
        var answers = Answers(positions: known.heads, asOf: now)
        for (question, customer) in zip(questions, known.customers) {
            guard let customer else { return nil }
            let result = self.result(question, customer, at: now)
            answers.isStale = answers.isStale || known.isStale && memory.isStale(customer, result, at: now)
            answers.results.append(result)
        }
        return answers
    }

    /// The customer's entitlements by name; nil when they are not in memory, or memory is older than `bounds`.
    package func entitlements(
        of customer: CustomerID, in environment: AppStoreEnvironment, atLeast bounds: [Position]
    ) -> CustomerEntitlements? {
        self.answerFromMemory(self.questions(about: customer, environment), atLeast: bounds).map {
            self.entitlements(of: customer, in: environment, $0, bounds)
        }
    }

    /// The same by what is committed, where memory does not do.
    package func readEntitlements(
        of customer: CustomerID, in environment: AppStoreEnvironment, atLeast bounds: [Position]
    ) async throws -> CustomerEntitlements {
        let answers = try await self.answer(
            self.questions(about: customer, environment), atLeast: bounds, memoryCounts: true)
        return self.entitlements(of: customer, in: environment, answers, bounds)
    }

    /// About each name of the catalog, and then about anything.
    private func questions(
        about customer: CustomerID, _ environment: AppStoreEnvironment
    ) -> [CustomerQuestion] {
        (self.catalog.entitlements + [nil]).map {
            CustomerQuestion(customer, environment: environment, entitlement: $0)
        }
    }

    private func entitlements(
        of customer: CustomerID, in environment: AppStoreEnvironment, _ answers: Answers, _ bounds: [Position]
    ) -> CustomerEntitlements {
        var entitlements = CustomerEntitlements(
            customer: customer, environment: environment, answers: [], incomplete: false, movedTo: nil,
            asOf: answers.asOf, stale: answers.isStale,
            token: self.holdings.positions.token(bounds + answers.positions))
        for case .answer(let answer, let standing) in answers.results {
            if case .moved(let target) = standing { entitlements.movedTo = target }
            entitlements.incomplete = answer.incomplete
            entitlements.answers.append(answer)
        }
        entitlements.answers.removeLast()
        return entitlements
    }

    /// Reads customers from the store, and keeps them in memory.
    private func load(
        _ customers: [CustomerID]
    ) async throws -> (loaded: [CustomerID: CheckableCustomer], positions: [Position]) {
        guard !customers.isEmpty else { return ([:], []) }
        func read() async throws -> ([Position], [CheckableCustomer.Loaded]) {
            let families = try await self.holdings.families(of: customers)
            let now = self.clock.now
            return (families.positions, customers.map { self.checkable($0, families, at: now) })
        }
        let (positions, loaded) =
            if let memory { try await memory.keeping(read) } else { try await read() }
        return (Dictionary(uniqueKeysWithValues: loaded.map { ($0.customer, $0.content) }), positions)
    }

    private func checkable(
        _ customer: CustomerID, _ families: CustomerFamilies, at now: Moment
    ) -> CheckableCustomer.Loaded {
        let causes = self.holdings.causes(of: customer, families)
        let held = self.holdings.held(by: customer, families)
        let streams = held.streams.map { $0.held(from: now) }
        let grants = held.states.flatMap { $0.grants(seenAt: now) }
        let content = CheckableCustomer(held.standing, from: now, shards: self.holdings.shards(of: causes)) {
            CustomerHoldings(streams: streams, grants: grants, in: $0, catalog: self.catalog, rules: self.rules)
        }
        return CheckableCustomer.Loaded(customer, content, causes)
    }

    private func result(
        _ question: CustomerQuestion, _ customer: CheckableCustomer, at now: Moment
    ) -> CustomerResult {
        if let name = question.entitlement, !self.isEntitlement(name) { return .refused(.unknownEntitlement) }
        let holdings = customer.holdings(in: question.environment)
        return .answer(holdings.answer(for: question.entitlement, at: now), customer.standing)
    }

    /// The catalog has this name.
    package func isEntitlement(_ name: String) -> Bool { self.catalog.highestRank(of: name) != nil }

    /// All that leads to a customer.
    /// - Parameters:
    ///   - past: as of then.
    ///   - bounds: of an earlier answer: the token does not go back behind them.
    package func view(
        of customer: CustomerID, in environment: AppStoreEnvironment, asOf past: PastMoment?,
        notBefore bounds: [Position], withHistory: Bool
    ) async throws -> CustomerView {
        guard past != nil else { return try await self.read(customer, environment, nil, bounds, withHistory) }
        return try await self.pastQuestions.ask {
            try await self.read(customer, environment, past, bounds, withHistory)
        }
    }

    private func read(
        _ customer: CustomerID, _ environment: AppStoreEnvironment, _ past: PastMoment?, _ bounds: [Position],
        _ withHistory: Bool
    ) async throws -> CustomerView {
        let reader = past.map(self.holdings.asOf) ?? self.holdings
        let families = try await reader.families(of: [customer])
        let (held, now) = (reader.held(by: customer, families), past?.at ?? self.clock.now)
        let history =
            withHistory
            ? try await reader.history(of: customer, families, until: past?.saidBy ?? .distantFuture) : nil
        let holdings = self.counted(held, in: environment, at: now)
        var streams: [CustomerView.Stream] = []
        for stream in held.streams {
            let key = stream.outlook.key
            streams.append(
                CustomerView.Stream(
                    key: key, snapshot: stream.outlook.snapshot(at: now), because: stream.because,
                    since: withHistory ? try await reader.since(key, of: customer, families) : nil))
        }
        return CustomerView(
            customer: customer, environment: environment,
            entitlements: self.catalog.entitlements.map { holdings.answer(for: $0, at: now) },
            streams: streams.sorted { left, right in
                let dates = (left.snapshot.purchaseDate ?? .distantPast, right.snapshot.purchaseDate ?? .distantPast)
                return dates.0 == dates.1
                    ? left.key.bytes.lexicographicallyPrecedes(right.key.bytes) : dates.0 > dates.1
            },
            conflicts: held.conflicts, duplicatePayments: held.duplicatePayments, grants: held.states.flatMap(\.grants),
            identifiers: held.identifiers.sorted { $0.text < $1.text }, attributes: held.attributes,
            history: history, hasRecord: held.hasRecord, movedTo: held.movedTo, asOf: now,
            token: self.holdings.positions.token(bounds + families.positions))
    }

    /// What counts of it in one environment.
    func counted(_ held: HeldByCustomer, in environment: AppStoreEnvironment, at now: Moment) -> CustomerHoldings {
        CustomerHoldings(
            streams: held.streams.map { $0.held(from: now) },
            grants: held.states.flatMap { $0.grants(seenAt: now) }, in: environment, catalog: self.catalog,
            rules: self.rules)
    }
}
