import Entitlements
import EventSourcing
import Mirroring
import Sharding
import Subscriptions

/// Answers entitlement checks from the rows in memory; what is not there is loaded once. A check meets no actor. It holds
/// a lock of one of its shards at a time, and those of the registers of names for as long as a reference is copied.
struct EntitlementChecker: Sendable {
    private let map: ShardMap
    let positions: PositionGuard
    private let names: RowNames
    private let catalog: Catalog
    private let loader: EntitlementLoader
    /// nil on a node that keeps none.
    private let mirror: MirrorChecker?
    private let clock: any WallClock
    private let watch: ClockWatch

    init(
        store: any EventStore, map: ShardMap, positions: PositionGuard, names: RowNames, catalog: Catalog,
        rules: DerivationRules, mirror: EntitlementMirror?, clock: any WallClock, watch: ClockWatch,
        waitingClock: any Clock<Duration>
    ) {
        self.map = map
        self.positions = positions
        self.names = names
        self.catalog = catalog
        self.loader = EntitlementLoader(store: store, rules: rules)
        self.mirror = mirror.map {
            MirrorChecker($0, positions: positions, catalog: catalog, clock: clock, waitingClock: waitingClock)
        }
        self.clock = clock
        self.watch = watch
    }

    /// The `.local` answer of this moment, when all of it is in memory, as it nearly always is: without a suspension,
    /// which would cost as much as the check.
    /// - Returns: nil when something has to be loaded, asked for or waited for, which `answer` does.
    func answerFromMemory(_ requests: [CheckRequest]) -> CheckResponse? {
        let questions = CheckQuestions(requests, self.map)
        do throws(ServiceError) {
            let turns = self.positions.turns(of: questions.order.shards)
            if let heads = try self.positions.knownHeads(of: questions.order.shards) {
                let (response, missing) = self.read(questions, heads)
                try self.positions.confirm(questions.order.shards, since: turns)
                return missing.isEmpty ? response : self.complete(response, missing, of: questions, heads)
            }
        } catch {
            // Whatever keeps the owner from answering: the mirror may, and says how old it is.
        }
        return self.mirror?.answer(requests, in: questions.order.shards)
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

    func answer(
        _ requests: [CheckRequest], _ consistency: Consistency, atLeast token: String?
    ) async throws -> CheckResponse {
        let questions = CheckQuestions(requests, self.map)
        if consistency == .local { return try await self.answerLocally(questions, atLeast: token) }
        let named = try self.positions.bounds(token)
        try await self.positions.check(atLeast: token)
        // What the token names is committed.
        let bounds = consistency == .durable ? try await self.positions.committed(of: questions.order.shards) : named
        return try await self.answerAsOwners(questions, atLeast: bounds)
    }

    /// For another node that asks the owner of `shard`, which this one is.
    func answer(_ requests: [CheckRequest], of shard: ShardID) async throws -> ShardVerdicts {
        let questions = CheckQuestions(requests, self.map)
        guard questions.order.shards == [shard] else {
            throw ServiceError(.invalidRequest, "these checks are not all of shard \(shard.rawValue)")
        }
        let answers = await self.ownAnswers(questions, atLeast: [], asksStore: true)
        let results = try answers.settled()
        return ShardVerdicts(head: ShardHead(answers.oldestHeads[0]), results: results)
    }

    // MARK: Item by item

    /// From memory as far as that goes; then from the owners, and without them from the store.
    private func answerLocally(_ questions: CheckQuestions, atLeast token: String?) async throws -> CheckResponse {
        let shards = questions.order.shards
        let named = try self.positions.bounds(token)
        // Of its own shards a node hears from itself before its mirror does.
        if !named.isEmpty, !shards.allSatisfy(self.positions.isOurs),
            let answer = await self.mirror?.answer(questions.requests, in: shards, waitingFor: named)
        {
            return answer
        }
        do {
            try await self.positions.check(atLeast: token)
        } catch {
            // Only the store knows that place, and is away; or the shard does not answer now.
            guard error.retryable, let mirror,
                let answer = await mirror.answer(questions.requests, in: shards, waitingFor: named)
            else { throw error }
            return answer
        }
        let start = self.clock.now
        var answers = PartialAnswers(count: questions.requests.count)
        if let mirror {
            let own = await self.ownAnswers(questions, atLeast: named, asksStore: false)
            answers.take(own, to: questions.requests.indices)
            await self.complete(&answers, answers.open, of: questions) { rest in
                await mirror.answers(rest, atLeast: named, following: own.heads)
            }
        }
        await self.complete(&answers, answers.open, of: questions) { rest in
            await self.ownersAnswers(rest, atLeast: named, for: PositionGuard.patience)
        }
        if self.positions.remote != nil {
            let orphans = answers.open { $0?.code.saysOwnerIsAbsent ?? false }
            await self.complete(&answers, orphans, of: questions) { rest in await self.storedAnswers(rest) }
        }
        return try self.response(answers, asOf: start)
    }

    /// As the owners know it, who may be changing: those who have not been found are asked for again.
    private func answerAsOwners(_ questions: CheckQuestions, atLeast bounds: [Position]) async throws -> CheckResponse {
        let (start, moment) = (ContinuousClock.now, self.clock.now)
        var answers = PartialAnswers(count: questions.requests.count)
        var open = answers.open
        while !open.isEmpty {
            await self.complete(&answers, open, of: questions) { rest in
                await self.ownersAnswers(rest, atLeast: bounds, for: nil)
            }
            open = self.positions.remote == nil ? [] : answers.open { $0?.code == .notOwner }
            guard !open.isEmpty, await OwnerSearch.pause(since: start, for: PositionGuard.patience) else { break }
        }
        return try self.response(answers, asOf: moment)
    }

    private func complete(
        _ answers: inout PartialAnswers, _ numbers: [Int], of questions: CheckQuestions,
        _ ask: (CheckQuestions) async -> PartialAnswers
    ) async {
        guard !numbers.isEmpty else { return }
        let rest = CheckQuestions(numbers.map { questions.requests[$0] }, self.map)
        answers.take(await ask(rest), to: numbers)
    }

    /// - Parameter moment: that no answer is older than.
    /// - Throws: why nothing was answered.
    private func response(_ answers: PartialAnswers, asOf moment: Moment) throws(ServiceError) -> CheckResponse {
        CheckResponse(
            results: try answers.settled(), asOf: moment, stale: answers.isStale,
            token: self.positions.token(answers.oldestHeads))
    }

    // MARK: Sources

    /// Each owner answers for its own, this node among them.
    /// - Parameter patience: for so long other nodes are waited for; nil for as long as calls may take.
    private func ownersAnswers(
        _ questions: CheckQuestions, atLeast bounds: [Position], for patience: Duration?
    ) async -> PartialAnswers {
        guard let remote = self.positions.remote else {
            return await self.ownAnswers(questions, atLeast: bounds, asksStore: true)
        }
        return await SpreadChecks(questions, remote: remote, positions: self.positions).answers(
            atLeast: bounds, for: patience
        ) { requests in
            await self.ownAnswers(CheckQuestions(requests, self.map), atLeast: bounds, asksStore: true)
        }
    }

    /// A shard of this node that is being answered for.
    private struct OwnPart {
        var shard: ShardID
        var numbers: ArraySlice<Int>
        /// From before the rows are read, so that the answer is not older than its token.
        var head: Position
        /// From before its head.
        var turns: Int
    }

    /// As the owner of the shards that are asked about.
    /// - Parameters:
    ///   - bounds: places that the answers must not be older than.
    ///   - asksStore: otherwise what only the store knows is left open.
    private func ownAnswers(
        _ questions: CheckQuestions, atLeast bounds: [Position], asksStore: Bool
    ) async -> PartialAnswers {
        var answers = PartialAnswers(count: questions.requests.count)
        var parts: [OwnPart] = []
        var trouble: ServiceError?
        for (shard, numbers) in questions.order.parts {
            let turns = self.positions.turns(of: [shard])
            do throws(ServiceError) {
                let bound = bounds.first { $0.shard == shard }
                // A store that is away is not asked for one shard after the other.
                let mayAsk = asksStore && trouble == nil
                guard let head = try await self.positions.ownHead(of: shard, atLeast: bound, asksStore: mayAsk) else {
                    if let trouble { throw trouble }
                    continue
                }
                parts.append(OwnPart(shard: shard, numbers: numbers, head: head, turns: turns))
            } catch {
                if error.code == .storeUnavailable { trouble = error }
                answers.fail(numbers, error)
            }
        }
        var verdicts = VerdictMaker(names: self.names, catalog: self.catalog, now: self.clock.now)
        var missing: [Int] = []
        for part in parts {
            self.table(of: part.shard).read(part.numbers, questions.name) { number, rows in
                if let rows {
                    answers.answer(number, verdicts.result(questions.requests[number], rows))
                } else {
                    missing.append(number)
                }
            }
        }
        if asksStore {
            // They stay in memory.
            let moment = min(verdicts.now, self.watch.present)
            await self.load(missing, of: questions, at: moment, &answers, &verdicts, into: self.table(of:))
        }
        for part in parts {
            do throws(ServiceError) {
                try self.positions.confirm([part.shard], since: part.turns)
                answers.note(part.head)
            } catch {
                answers.fail(part.numbers, error)
            }
        }
        return answers
    }

    /// Without the owners: as new as the newest commits.
    private func storedAnswers(_ questions: CheckQuestions) async -> PartialAnswers {
        var answers = PartialAnswers(count: questions.requests.count)
        do {
            // Before the rows are read: the answer is not older than its token.
            let heads = try await self.loader.store.heads()
            for shard in questions.order.shards { answers.note(heads[Int(shard.rawValue)]) }
        } catch {
            return PartialAnswers(ServiceError(error), count: questions.requests.count)
        }
        var verdicts = VerdictMaker(names: self.names, catalog: self.catalog, now: self.clock.now)
        // Commits of other nodes would not reach the tables of this one.
        let table = EntitlementTable(limit: max(1, questions.requests.count), names: self.names)
        let all = Array(questions.requests.indices)
        await self.load(all, of: questions, at: verdicts.now, &answers, &verdicts) { _ in table }
        return answers
    }

    /// - Parameters:
    ///   - moment: from when on rows are computed, where they have to be.
    ///   - table: of a shard.
    private func load(
        _ numbers: [Int], of questions: CheckQuestions, at moment: Moment, _ answers: inout PartialAnswers,
        _ verdicts: inout VerdictMaker, into table: (ShardID) -> EntitlementTable
    ) async {
        guard !numbers.isEmpty else { return }
        var missing = EntitlementLoader.Missing()
        for number in numbers {
            missing.add(
                questions.name(number), id: questions.requests[number].id, shard: self.shard(of: number, in: questions),
                number: number)
        }
        do {
            for (numbers, rows) in try await self.loader.load(missing, at: moment, table) {
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
            answers.fail(numbers, ServiceError(error))
        }
    }

    /// - Returns: what memory knows, and what it does not, shard by shard; the results of that are still to come.
    private func read(_ questions: CheckQuestions, _ heads: [Position]) -> (CheckResponse, missing: [Int]) {
        let requests = questions.requests
        var verdicts = VerdictMaker(names: self.names, catalog: self.catalog, now: self.clock.now)
        var results = [CheckResult](repeating: .verdict(.unknown(.subscription)), count: requests.count)
        var missing: [Int] = []
        questions.order.forEach { shard, numbers in
            self.table(of: shard).read(numbers, questions.name) { number, rows in
                if let rows {
                    results[number] = verdicts.result(requests[number], rows)
                } else {
                    missing.append(number)
                }
            }
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
