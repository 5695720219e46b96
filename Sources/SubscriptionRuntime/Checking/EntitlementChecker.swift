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
    /// - Returns: nil when something has to be loaded or asked for, which `answer` does.
    /// - Throws: while one of the shards must not answer.
    func answerFromMemory(_ requests: [CheckRequest]) throws(ServiceError) -> CheckResponse? {
        let questions = Questions(requests, self.map)
        do {
            let turns = self.positions.turns(of: questions.order.shards)
            if let heads = try self.positions.knownHeads(of: questions.order.shards) {
                let (response, missing) = self.read(questions, heads)
                try self.positions.confirm(questions.order.shards, since: turns)
                return missing.isEmpty ? response : nil
            }
        } catch {
            // The mirror or the store may answer.
            guard error.code.saysOwnerIsAbsent, self.positions.remote != nil else { throw error }
        }
        return self.mirror?.answer(requests, in: questions.order.shards)
    }

    func answer(
        _ requests: [CheckRequest], _ consistency: Consistency, atLeast: String?
    ) async throws -> CheckResponse {
        let questions = Questions(requests, self.map)
        let named = try self.positions.bounds(atLeast)
        // Of its own shards a node hears from itself before its mirror does.
        if consistency == .local, !named.isEmpty, !questions.order.shards.allSatisfy(self.positions.isOurs),
            let answer = await self.mirror?.answer(requests, in: questions.order.shards, waitingFor: named)
        {
            return answer
        }
        try await self.positions.check(atLeast: atLeast)
        // What the token names is committed.
        let bounds = consistency == .durable ? try await self.positions.committed(of: questions.order.shards) : named
        guard let remote = self.positions.remote else {
            return try await self.answer(questions, atLeast: bounds).response
        }
        let spread = SpreadChecks(questions.order, remote: remote, positions: self.positions)
        guard consistency == .local else {
            return try await OwnerSearch.ask(for: PositionGuard.patience) { () async throws(ServiceError) in
                try await ServiceError.translating {
                    try await spread.answer(requests, atLeast: bounds) { requests in
                        try await self.answer(Questions(requests, self.map), atLeast: bounds)
                    }
                }
            }
        }
        return try await spread.answer(requests, atLeast: bounds, stored: self.answerFromStore) { requests in
            do {
                return try await self.answer(Questions(requests, self.map), atLeast: bounds)
            } catch let error as ServiceError where error.code.saysOwnerIsAbsent {
                return try await self.answerFromStore(requests)
            }
        }
    }

    /// Without the owners: as new as the newest commits.
    private func answerFromStore(
        _ requests: [CheckRequest]
    ) async throws -> (response: CheckResponse, heads: [Position]) {
        let questions = Questions(requests, self.map)
        // Before the rows are read: the answer is not older than its token.
        let all = try await self.loader.store.heads()
        let heads = questions.order.shards.map { all[Int($0.rawValue)] }
        var missing = EntitlementLoader.Missing()
        questions.order.forEach { shard, numbers in
            for number in numbers {
                missing.add(questions.name(number), id: requests[number].id, shard: shard, number: number)
            }
        }
        var verdicts = VerdictMaker(names: self.names, catalog: self.catalog, now: self.clock.now)
        var results = [CheckResult](repeating: .verdict(.unknown(.subscription)), count: requests.count)
        // Commits of other nodes would not reach the tables of this one.
        let table = EntitlementTable(limit: max(1, requests.count), names: self.names)
        for (numbers, rows) in try await self.loader.load(missing, at: verdicts.now, { _ in table }) {
            rows.withUnsafeBytes { rows in
                for number in numbers { results[number] = verdicts.result(requests[number], rows) }
            }
        }
        let response = CheckResponse(
            results: results, asOf: verdicts.now, stale: false, token: self.positions.token(heads))
        return (response, heads)
    }

    /// For another node that asks the owner of `shard`, which this one is.
    func answer(_ requests: [CheckRequest], of shard: ShardID) async throws -> ShardVerdicts {
        let questions = Questions(requests, self.map)
        guard questions.order.shards == [shard] else {
            throw ServiceError(.invalidRequest, "these checks are not all of shard \(shard.rawValue)")
        }
        let turns = self.positions.turns(of: [shard])
        let head = try await self.positions.ownHead(of: shard)
        let response = try await self.answer(questions, after: [head], since: turns).response
        return ShardVerdicts(head: ShardHead(head), results: response.results)
    }

    /// - Parameter bounds: places that the answer must not be older than.
    private func answer(
        _ questions: Questions, atLeast bounds: [Position] = []
    ) async throws -> (response: CheckResponse, heads: [Position]) {
        let turns = self.positions.turns(of: questions.order.shards)
        let heads = try await self.positions.heads(of: questions.order.shards)
        for head in heads where bounds.contains(where: { $0.shard == head.shard && $0.sequence > head.sequence }) {
            throw ServiceError(.frozen, "a shard has not caught up with the token")
        }
        return try await self.answer(questions, after: heads, since: turns)
    }

    /// - Parameters:
    ///   - heads: from before the rows are read, so that the answer is not older than its token.
    ///   - turns: of the shards, from before their heads.
    private func answer(
        _ questions: Questions, after heads: [Position], since turns: Int
    ) async throws -> (response: CheckResponse, heads: [Position]) {
        let requests = questions.requests
        var (response, missing) = self.read(questions, heads)
        guard !missing.isEmpty else {
            try self.positions.confirm(questions.order.shards, since: turns)
            return (response, heads)
        }
        var verdicts = VerdictMaker(names: self.names, catalog: self.catalog, now: response.asOf)
        // They stay in memory.
        let moment = min(verdicts.now, self.watch.present)
        for (numbers, rows) in try await self.loader.load(missing, at: moment, self.table(of:)) {
            rows.withUnsafeBytes { rows in
                for number in numbers { response.results[number] = verdicts.result(requests[number], rows) }
            }
        }
        try self.positions.confirm(questions.order.shards, since: turns)
        return (response, heads)
    }

    /// The questions of one batch, with what leads to their rows.
    private struct Questions {
        let requests: [CheckRequest]
        let digests: [IDDigest]
        let order: ShardOrder

        init(_ requests: [CheckRequest], _ map: ShardMap) {
            self.requests = requests
            self.digests = requests.map { IDDigest(utf8: $0.id) }
            self.order = ShardOrder(self.digests.map(map.shard(of:)), shardCount: map.shardCount)
        }

        func name(_ number: Int) -> EntitlementTable.Name {
            EntitlementTable.Name(digest: self.digests[number], kind: self.requests[number].kind)
        }
    }

    /// - Returns: what memory knows, and what it does not; the results of that are still to come.
    private func read(
        _ questions: Questions, _ heads: [Position]
    ) -> (CheckResponse, EntitlementLoader.Missing) {
        let requests = questions.requests
        var verdicts = VerdictMaker(names: self.names, catalog: self.catalog, now: self.clock.now)
        var results = [CheckResult](repeating: .verdict(.unknown(.subscription)), count: requests.count)
        var missing = EntitlementLoader.Missing()
        questions.order.forEach { shard, numbers in
            self.table(of: shard).read(numbers, questions.name) { number, rows in
                if let rows {
                    results[number] = verdicts.result(requests[number], rows)
                } else {
                    missing.add(questions.name(number), id: requests[number].id, shard: shard, number: number)
                }
            }
        }
        let response = CheckResponse(
            results: results, asOf: verdicts.now, stale: false, token: self.positions.token(heads))
        return (response, missing)
    }

    private func table(of shard: ShardID) -> EntitlementTable {
        self.positions.shards[Int(shard.rawValue)].entitlements
    }
}
