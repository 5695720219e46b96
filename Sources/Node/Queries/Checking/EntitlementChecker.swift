package import Entitlements
package import EventLog
package import Mirroring
package import Ownership
package import ServiceContract
package import Shards
package import Subscriptions

/// Answers entitlement checks from the rows in memory; what is not there is loaded once. A check meets no actor. It holds
/// a lock of one of its shards at a time, and those of the registers of names for as long as a reference is copied.
package struct EntitlementChecker: ShardAnswers {
    private let map: ShardMap
    let positions: PositionGuard
    private let names: RowNames
    private let catalog: Catalog
    private let loader: EntitlementLoader
    private let storeQuestions: StoreQuestions
    /// nil on a node that keeps none.
    private let mirror: MirrorChecker?
    private let clock: any WallClock
    private let watch: ClockWatch

    package init(
        store: any EventStore, map: ShardMap, positions: PositionGuard, names: RowNames, catalog: Catalog,
        rules: DerivationRules, mirror: EntitlementMirror?, clock: any WallClock, watch: ClockWatch,
        waitingClock: any Clock<Duration>, storePatience: Duration
    ) {
        self.map = map
        self.positions = positions
        self.names = names
        self.catalog = catalog
        self.loader = EntitlementLoader(store: store, rules: rules)
        self.storeQuestions = StoreQuestions(patience: storePatience)
        self.mirror = mirror.map {
            MirrorChecker($0, positions: positions, catalog: catalog, clock: clock, waitingClock: waitingClock)
        }
        self.clock = clock
        self.watch = watch
    }

    /// The `.local` answer of this moment, when all of it is in memory, as it nearly always is: without a suspension,
    /// which would cost as much as the check.
    /// - Returns: nil when something has to be loaded, asked for or waited for, which `answer` does.
    /// - Throws: for what is no token of this store.
    package func answerFromMemory(
        _ requests: [CheckRequest], atLeast token: String?
    ) throws(ServiceError) -> CheckResponse? {
        let questions = CheckQuestions(requests, self.map)
        let named = try self.positions.bounds(token, of: questions.order.shards)
        do throws(ServiceError) {
            let turns = self.positions.turns(of: questions.order.shards)
            // Before the heads, which do not go back.
            if named.allSatisfy({ self.positions.knows($0) }),
                let heads = try self.positions.knownHeads(of: questions.order.shards)
            {
                let (response, missing) = self.read(questions, heads)
                try self.positions.confirm(questions.order.shards, since: turns)
                return missing.isEmpty ? response : self.complete(response, missing, of: questions, heads)
            }
        } catch {
            // Whatever keeps the owner from answering: the mirror may, and says how old it is.
        }
        return self.mirror?.answer(requests, in: questions.order.shards, atLeast: named)
    }

    /// Adds what this node has not loaded of its own shards, and the mirror has, as far as the shards themselves are.
    private func complete(
        _ response: CheckResponse, _ missing: [Int], of questions: CheckQuestions, _ heads: [Position]
    ) -> CheckResponse? {
        var shards: [ShardID] = []
        for number in missing {
            let shard = self.shard(of: number, in: questions)
            if shards.last != shard { shards.append(shard) }
        }
        let requests = missing.map { questions.requests[$0] }
        guard let found = self.mirror?.find(requests, in: shards, atLeast: heads, at: response.asOf) else { return nil }
        var response = response
        for (number, result) in zip(missing, found.results) { response.results[number] = result }
        response.stale = found.isStale
        return response
    }

    package func answer(
        _ requests: [CheckRequest], _ consistency: Consistency, atLeast token: String?
    ) async throws -> CheckResponse {
        let questions = CheckQuestions(requests, self.map)
        let named = try self.positions.bounds(token, of: questions.order.shards)
        let moment = self.clock.now
        let answers =
            switch consistency {
            case .local: try await self.answersLocally(questions, atLeast: named)
            case .owner, .durable:
                try await self.answersAsOwners(questions, atLeast: named, isDurable: consistency == .durable)
            }
        // No answer is older than that moment.
        return CheckResponse(
            results: try answers.settled(), asOf: moment, stale: answers.isStale,
            token: self.positions.token(answers.oldestHeads))
    }

    /// For another node that asks the owner of `shard`, which this one is.
    package func answer(_ requests: [CheckRequest], of shard: ShardID) async throws -> ShardVerdicts {
        let questions = CheckQuestions(requests, self.map)
        guard questions.order.shards == [shard] else {
            throw ServiceError(.invalidRequest, "these checks are not all of shard \(shard.rawValue)")
        }
        let answers = await self.ownAnswers(questions, atLeast: [], until: self.storeQuestions.deadline)
        let results = try answers.settled()
        return ShardVerdicts(head: ShardHead(answers.oldestHeads[0]), results: results)
    }

    package func ownHead(of shard: ShardID) async throws(ServiceError) -> Position {
        try await self.positions.ownHead(of: shard)
    }

    // MARK: Item by item

    /// From memory as far as that goes; then from the owners, and without them from the store.
    private func answersLocally(
        _ questions: CheckQuestions, atLeast named: [Position]
    ) async throws(ServiceError) -> PartialAnswers {
        var answers = PartialAnswers(count: questions.requests.count)
        if let mirror, !named.isEmpty {
            // Of its own shards a node hears from itself before its mirror does.
            let foreign = questions.requests.indices.filter { number in
                !self.positions.isOurs(self.shard(of: number, in: questions))
            }
            await self.complete(&answers, foreign, of: questions) { rest in
                await mirror.answers(rest, waitingFor: named)
            }
        }
        let deadline = self.storeQuestions.deadline
        let (sound, doubtful) = try await self.compare(&answers, of: questions, with: named, until: deadline)
        if let mirror {
            // Only the store knows that place, and is away; or the shard does not answer now.
            await self.complete(&answers, doubtful, of: questions) { rest in
                await mirror.answers(rest, waitingFor: named)
            }
        }
        await self.complete(&answers, sound, of: questions) { rest in
            await self.answersFromAnywhere(rest, atLeast: named, until: deadline)
        }
        return answers
    }

    private func answersFromAnywhere(
        _ questions: CheckQuestions, atLeast named: [Position], until deadline: ContinuousClock.Instant
    ) async -> PartialAnswers {
        var answers = PartialAnswers(count: questions.requests.count)
        if let mirror {
            let own = await self.ownAnswers(questions, atLeast: named, until: nil)
            answers.take(own, to: questions.requests.indices)
            await self.complete(&answers, answers.open, of: questions) { rest in
                await mirror.answers(rest, atLeast: named, following: own.heads)
            }
        }
        await self.complete(&answers, answers.open, of: questions) { rest in
            await self.ownersAnswers(rest, atLeast: named, for: PositionGuard.patience, until: deadline)
        }
        if self.positions.remote != nil {
            let orphans = answers.open { $0?.code.saysOwnerIsAbsent ?? false }
            await self.complete(&answers, orphans, of: questions) { rest in await self.storedAnswers(rest) }
        }
        return answers
    }

    /// As the owners know it, who may be changing: those who have not been found are asked for again.
    private func answersAsOwners(
        _ questions: CheckQuestions, atLeast named: [Position], isDurable: Bool
    ) async throws -> PartialAnswers {
        let start = ContinuousClock.now
        var deadline = self.storeQuestions.deadline
        var answers = PartialAnswers(count: questions.requests.count)
        var (open, _) = try await self.compare(&answers, of: questions, with: named, until: deadline)
        // What the token names is committed.
        let bounds = isDurable ? try await self.committed(of: questions.order.shards, until: deadline) : named
        while !open.isEmpty {
            await self.complete(&answers, open, of: questions) { [deadline] rest in
                await self.ownersAnswers(rest, atLeast: bounds, for: nil, until: deadline)
            }
            open = self.positions.remote == nil ? [] : answers.open { $0?.code == .notOwner }
            guard !open.isEmpty, await OwnerSearch.pause(since: start, for: PositionGuard.patience) else { break }
            deadline = self.storeQuestions.deadline
        }
        return answers
    }

    /// The newest commits, by whomever.
    private func committed(
        of shards: [ShardID], until deadline: ContinuousClock.Instant
    ) async throws(ServiceError) -> [Position] {
        if shards.allSatisfy(self.positions.isOurs) { try self.positions.checkLease() }
        return try await self.storeQuestions.ask(until: deadline) { try await self.positions.committed(of: shards) }
    }

    /// Refuses the open questions about shards of which nobody says now whether their logs hold what a token names of them.
    /// - Returns: the other open questions, and those refused ones.
    /// - Throws: `storeRewound` when one does not hold it: who asks has seen a log that is gone.
    private func compare(
        _ answers: inout PartialAnswers, of questions: CheckQuestions, with named: [Position],
        until deadline: ContinuousClock.Instant
    ) async throws(ServiceError) -> (sound: [Int], doubtful: [Int]) {
        let open = answers.open
        guard !named.isEmpty else { return (open, []) }
        let shards = Set(open.map { self.shard(of: $0, in: questions) })
        let refusals = await self.refusals(of: named.filter { shards.contains($0.shard) }, until: deadline)
        if let rewound = refusals.values.first(where: { !$0.retryable }) { throw rewound }
        guard !refusals.isEmpty else { return (open, []) }
        var sound: [Int] = []
        var doubtful: [Int] = []
        for number in open {
            guard let refusal = refusals[self.shard(of: number, in: questions)] else {
                sound.append(number)
                continue
            }
            answers.fail(CollectionOfOne(number), refusal)
            doubtful.append(number)
        }
        return (sound, doubtful)
    }

    /// Why no answer is given about the shards of some places that a token names; each is looked up by itself.
    private func refusals(
        of places: [Position], until deadline: ContinuousClock.Instant
    ) async -> [ShardID: ServiceError] {
        let unknown = places.filter { !self.positions.knows($0) }
        guard !unknown.isEmpty else { return [:] }
        return await withTaskGroup(of: (ShardID, ServiceError?).self) { group in
            for place in unknown {
                group.addTask {
                    do throws(ServiceError) {
                        if self.positions.isOurs(place.shard) { try self.positions.checkLease() }
                        try await self.storeQuestions.ask(until: deadline) {
                            try await self.positions.check(atLeast: place)
                        }
                        return (place.shard, nil)
                    } catch {
                        return (place.shard, error)
                    }
                }
            }
            var refusals: [ShardID: ServiceError] = [:]
            for await (shard, refusal) in group { refusals[shard] = refusal }
            return refusals
        }
    }

    /// - Parameter numbers: ascending.
    private func complete(
        _ answers: inout PartialAnswers, _ numbers: [Int], of questions: CheckQuestions,
        _ ask: (CheckQuestions) async -> PartialAnswers
    ) async {
        guard !numbers.isEmpty else { return }
        let isAll = numbers.count == questions.requests.count
        let rest = isAll ? questions : CheckQuestions(numbers.map { questions.requests[$0] }, self.map)
        answers.take(await ask(rest), to: numbers)
    }

    // MARK: Sources

    /// Each owner answers for its own, this node among them.
    /// - Parameters:
    ///   - patience: for so long other nodes are waited for; nil for as long as calls may take.
    ///   - deadline: until then this node waits for the store.
    private func ownersAnswers(
        _ questions: CheckQuestions, atLeast bounds: [Position], for patience: Duration?,
        until deadline: ContinuousClock.Instant
    ) async -> PartialAnswers {
        guard let remote = self.positions.remote else {
            return await self.ownAnswers(questions, atLeast: bounds, until: deadline)
        }
        return await SpreadChecks(questions, remote: remote, positions: self.positions).answers(
            atLeast: bounds, for: patience
        ) { requests in
            await self.ownAnswers(CheckQuestions(requests, self.map), atLeast: bounds, until: deadline)
        }
    }

    /// A shard of this node that is being answered for.
    private struct OwnPart {
        var shard: ShardID
        var numbers: ArraySlice<Int>
        /// From before its head.
        var turns: Int
    }

    /// As the owner of the shards that are asked about.
    /// - Parameters:
    ///   - bounds: places that the answers must not be older than.
    ///   - deadline: until then the store is waited for; nil: what only the store knows is left open.
    private func ownAnswers(
        _ questions: CheckQuestions, atLeast bounds: [Position], until deadline: ContinuousClock.Instant?
    ) async -> PartialAnswers {
        var answers = PartialAnswers(count: questions.requests.count)
        var verdicts = VerdictMaker(names: self.names, catalog: self.catalog, now: self.clock.now)
        var cold: [(part: OwnPart, missing: [Int])] = []
        /// Answers what is in memory, for good: while the rest is loaded, this node may lose its right to answer.
        /// - Parameter head: from before the rows are read, so that the answer is not older than its token.
        func read(_ part: OwnPart, _ head: Position) {
            let missing = verdicts.answer(
                part.numbers, of: questions, from: self.table(of: part.shard), into: &answers)
            do throws(ServiceError) {
                try self.positions.confirm([part.shard], since: part.turns)
                answers.note(head)
                if !missing.isEmpty { cold.append((part, missing)) }
            } catch {
                answers.fail(part.numbers, error)
            }
        }
        var headless: [OwnPart] = []
        for (shard, numbers) in questions.order.parts {
            let part = OwnPart(shard: shard, numbers: numbers, turns: self.positions.turns(of: [shard]))
            do throws(ServiceError) {
                let bound = bounds.first { $0.shard == shard }
                if let head = try self.positions.knownHead(of: shard, atLeast: bound) {
                    read(part, head)
                } else {
                    headless.append(part)
                }
            } catch {
                answers.fail(numbers, error)
            }
        }
        guard let deadline else { return answers }
        for (part, head) in await self.heads(of: headless, atLeast: bounds, until: deadline) {
            switch head {
            case .success(let head): read(part, head)
            case .failure(let error): answers.fail(part.numbers, error)
            }
        }
        let moment = min(verdicts.now, self.watch.present)
        // They stay in memory.
        await self.load(
            cold.flatMap(\.missing), of: questions, at: moment, until: deadline, &answers, &verdicts,
            into: self.table(of:))
        for (part, missing) in cold {
            do throws(ServiceError) {
                try self.positions.confirm([part.shard], since: part.turns)
            } catch {
                answers.fail(missing, error)
            }
        }
        return answers
    }

    /// Heads that only the store knows, or that shards have not come to, each by itself.
    private func heads(
        of parts: [OwnPart], atLeast bounds: [Position], until deadline: ContinuousClock.Instant
    ) async -> [(OwnPart, Result<Position, ServiceError>)] {
        await withTaskGroup(of: (OwnPart, Result<Position, ServiceError>).self) { group in
            for part in parts {
                let bound = bounds.first { $0.shard == part.shard }
                group.addTask {
                    do throws(ServiceError) {
                        _ = try self.positions.shards[Int(part.shard.rawValue)].status.head()
                        try self.positions.checkLease()
                        let head = try await self.storeQuestions.ask(until: deadline) {
                            try await self.positions.ownHead(of: part.shard, atLeast: bound)
                        }
                        return (part, .success(head))
                    } catch {
                        return (part, .failure(error))
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    /// Without the owners: as new as the newest commits.
    private func storedAnswers(_ questions: CheckQuestions) async -> PartialAnswers {
        let deadline = self.storeQuestions.deadline
        var answers = PartialAnswers(count: questions.requests.count)
        do throws(ServiceError) {
            // Before the rows are read: the answer is not older than its token.
            let heads = try await self.storeQuestions.ask(until: deadline) { try await self.loader.store.heads() }
            for shard in questions.order.shards { answers.note(heads[Int(shard.rawValue)]) }
        } catch {
            return PartialAnswers(error, count: questions.requests.count)
        }
        var verdicts = VerdictMaker(names: self.names, catalog: self.catalog, now: self.clock.now)
        // Commits of other nodes would not reach the tables of this one.
        let table = EntitlementTable(limit: max(1, questions.requests.count), names: self.names)
        let all = Array(questions.requests.indices)
        await self.load(all, of: questions, at: verdicts.now, until: deadline, &answers, &verdicts) { _ in table }
        return answers
    }

    /// - Parameters:
    ///   - moment: from when on rows are computed, where they have to be.
    ///   - deadline: what comes later is there for the next check.
    ///   - table: of a shard.
    private func load(
        _ numbers: [Int], of questions: CheckQuestions, at moment: Moment, until deadline: ContinuousClock.Instant,
        _ answers: inout PartialAnswers, _ verdicts: inout VerdictMaker,
        into table: @escaping @Sendable (ShardID) -> EntitlementTable
    ) async {
        guard !numbers.isEmpty else { return }
        var missing = EntitlementLoader.Missing()
        for number in numbers {
            missing.add(
                questions.name(number), id: questions.requests[number].id, shard: self.shard(of: number, in: questions),
                number: number)
        }
        do throws(ServiceError) {
            let loaded = try await self.storeQuestions.ask(until: deadline) { [missing] in
                try await self.loader.load(missing, at: moment, table)
            }
            for (numbers, rows) in loaded {
                switch rows {
                case .success(let rows):
                    rows.withUnsafeBytes { rows in
                        for number in numbers {
                            answers.answer(number, verdicts.result(questions.requests[number], rows))
                        }
                    }
                case .failure(let error): answers.fail(numbers, error)
                }
            }
        } catch {
            answers.fail(numbers, error)
        }
    }

    /// - Returns: what memory knows, and what it does not, shard by shard; the results of that are still to come.
    private func read(_ questions: CheckQuestions, _ heads: [Position]) -> (CheckResponse, missing: [Int]) {
        var verdicts = VerdictMaker(names: self.names, catalog: self.catalog, now: self.clock.now)
        var results = [CheckResult](
            repeating: .verdict(.unknown(.subscription)), count: questions.requests.count)
        var missing: [Int] = []
        questions.order.forEach { shard, numbers in
            missing += verdicts.answer(numbers, of: questions, from: self.table(of: shard), into: &results)
        }
        let response = CheckResponse(
            results: results, asOf: verdicts.now, stale: false, token: self.positions.token(heads))
        return (response, missing)
    }

    private func shard(of number: Int, in questions: CheckQuestions) -> ShardID {
        self.map.shard(of: questions.digests[number])
    }

    private func table(of shard: ShardID) -> EntitlementTable {
        self.positions.shards[Int(shard.rawValue)].entitlements
    }
}
