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
    let positions: PositionGuard
    private let map: ShardHash
    private let owned: OwnedShards
    /// nil on a node that keeps none.
    private let mirror: MirrorChecker?
    private let storeQuestions: StoreQuestions
    private let clock: any WallClock
    let superseded: SupersededStreams

    package init(
        store: any EventStore, superseded: SupersededStreams, map: ShardHash, positions: PositionGuard, names: RowNames,
        catalog: Catalog,
        rules: DerivationRules, mirror: EntitlementMirror?, clock: any WallClock, watch: ClockWatch,
        waitingClock: any Clock<Duration>, storePatience: Duration
    ) {
        self.positions = positions
        self.map = map
        self.storeQuestions = StoreQuestions(patience: storePatience)
        self.owned = OwnedShards(
            map: map, positions: positions, names: names, catalog: catalog,
            loader: EntitlementLoader(store: store, rules: rules), storeQuestions: self.storeQuestions, clock: clock,
            watch: watch)
        self.mirror = mirror.map {
            MirrorChecker($0, positions: positions, catalog: catalog, clock: clock, waitingClock: waitingClock)
        }
        self.clock = clock
        self.superseded = superseded
    }

    /// The `.local` answer of this moment, when all of it is in memory, as it nearly always is: without a suspension,
    /// which would cost as much as the check.
    /// - Returns: nil when something has to be loaded, asked for or waited for, which `answer` does.
    /// - Throws: for what is no token of this store.
    package func answerFromMemory(
        _ requests: [CheckRequest], atLeast token: String?
    ) throws(ServiceError) -> CheckResponse? {
        let response = try self.readMemory(requests, atLeast: token)
        return response.map { self.hasFollowers(requests, $0.results) } ?? false ? nil : response
    }

    private func readMemory(
        _ requests: [CheckRequest], atLeast token: String?
    ) throws(ServiceError) -> CheckResponse? {
        let questions = CheckQuestions(requests, self.map)
        let named = try self.positions.bounds(token, of: questions.order.shards)
        do throws(ServiceError) {
            let generation = self.positions.generation(of: questions.order.shards)
            // Before the heads, which do not go back.
            if named.allSatisfy({ self.positions.knows($0) }),
                let heads = try self.positions.knownHeads(of: questions.order.shards)
            {
                let (response, missing) = self.read(questions, heads)
                try self.positions.confirm(questions.order.shards, since: generation)
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
            let shard = self.owned.shard(of: number, in: questions)
            if shards.last != shard { shards.append(shard) }
        }
        let requests = missing.map { questions.requests[$0] }
        guard let found = self.mirror?.find(requests, in: shards, atLeast: heads, at: response.asOf) else { return nil }
        var response = response
        for (number, result) in zip(missing, found.results) { response.results[number] = result }
        response.stale = found.isStale
        return response
    }

    /// - Returns: what memory knows, and what it does not, shard by shard; the results of that are still to come.
    private func read(_ questions: CheckQuestions, _ heads: [Position]) -> (CheckResponse, missing: [Int]) {
        var verdicts = self.owned.verdicts
        var results = [CheckResult](
            repeating: .verdict(.unknown(.subscription)), count: questions.requests.count)
        var missing: [Int] = []
        questions.order.forEach { shard, numbers in
            missing += verdicts.answer(numbers, of: questions, from: self.owned.table(of: shard), into: &results)
        }
        let response = CheckResponse(
            results: results, asOf: verdicts.now, stale: false, token: self.positions.token(heads))
        return (response, missing)
    }

    package func answer(
        _ requests: [CheckRequest], _ consistency: Consistency, atLeast token: String?
    ) async throws -> CheckResponse {
        let moment = self.clock.now
        let answers = try await self.ask(requests, consistency, atLeast: token)
        var (heads, isStale) = (answers.oldestHeads, answers.isStale)
        let results = try await self.follow(requests, answers.settled()) { requests in
            let answers = try await self.ask(requests, consistency, atLeast: token)
            heads += answers.oldestHeads
            isStale = isStale || answers.isStale
            return answers.settledOneByOne
        }
        // No answer is older than that moment.
        return CheckResponse(
            results: results, asOf: moment, stale: isStale, token: self.positions.token(PartialAnswers.oldest(heads)))
    }

    private func ask(
        _ requests: [CheckRequest], _ consistency: Consistency, atLeast token: String?
    ) async throws -> PartialAnswers {
        let questions = CheckQuestions(requests, self.map)
        let named = try self.positions.bounds(token, of: questions.order.shards)
        var isOurs = [Bool](repeating: false, count: requests.count)
        questions.order.forEach { shard, numbers in
            guard self.positions.isOurs(shard) else { return }
            for number in numbers { isOurs[number] = true }
        }
        let plan = CheckPlan(
            consistency, namesPlaces: !named.isEmpty,
            CheckPlan.Ownership(
                isOurs: isOurs, hasMirror: self.mirror != nil, hasOthers: self.positions.remote != nil))
        var execution = CheckExecution(
            questions, consistency, atLeast: named, positions: self.positions, owned: self.owned, mirror: self.mirror)
        return try await execution.run(plan)
    }

    /// For another node that asks the owner of `shard`, which this one is.
    package func answer(_ requests: [CheckRequest], of shard: ShardID) async throws -> ShardVerdicts {
        let questions = CheckQuestions(requests, self.map)
        guard questions.order.shards == [shard] else {
            throw ServiceError(.invalidRequest, "these checks are not all of shard \(shard.rawValue)")
        }
        let answers = await self.owned.answers(questions, atLeast: [], until: self.storeQuestions.deadline)
        let results = try answers.settled()
        return ShardVerdicts(head: ShardHead(answers.oldestHeads[0]), results: results)
    }

    package func ownHead(of shard: ShardID) async throws(ServiceError) -> Position {
        try await self.positions.ownHead(of: shard)
    }
}
