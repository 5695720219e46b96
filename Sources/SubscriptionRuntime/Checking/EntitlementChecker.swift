import Entitlements
import EventSourcing
import Sharding
import Subscriptions

/// Answers entitlement checks from the rows in memory; what is not there is loaded once. A check meets no actor, and no
/// lock but that of its own shard.
struct EntitlementChecker: Sendable {
    let store: any EventStore
    let map: ShardMap
    let positions: PositionGuard
    let catalog: Catalog
    let rules: DerivationRules
    let clock: any WallClock

    private struct Question {
        var request: CheckRequest
        var name: EntitlementTable.Name
        var shard: ShardID
    }

    func answer(
        _ requests: [CheckRequest], _ consistency: Consistency, atLeast: String?
    ) async throws -> CheckResponse {
        try await self.positions.check(atLeast: atLeast)
        if consistency == .durable { try await self.store.ping() }
        let questions = requests.map { request in
            let digest = IDDigest(id: request.stream.id)
            return Question(
                request: request, name: EntitlementTable.Name(digest: digest, kind: request.stream.kind),
                shard: self.map.shard(of: digest))
        }
        // Before the rows are read: the answer is not older than its token.
        var heads: [Position] = []
        for shard in Set(questions.map(\.shard)) { heads.append(try await self.positions.head(of: shard)) }
        let rows = try await self.rows(for: questions)
        let now = self.clock.now
        let results = try zip(questions, rows).map { try self.result($0.request, $1, at: now) }
        return CheckResponse(results: results, asOf: now, stale: false, token: self.positions.token(heads))
    }

    // MARK: Rows

    private func rows(for questions: [Question]) async throws -> [[EntitlementTable.Row]] {
        var rows = questions.map { self.table(of: $0.shard).rows(of: $0.name) }
        let missing = Dictionary(grouping: rows.indices.filter { rows[$0] == nil }) { questions[$0].shard }
        guard !missing.isEmpty else { return rows.compactMap(\.self) }
        try await withThrowingTaskGroup(of: [(Int, [EntitlementTable.Row])].self) { group in
            for indices in missing.values {
                group.addTask {
                    var loaded: [(Int, [EntitlementTable.Row])] = []
                    for index in indices { loaded.append((index, try await self.load(questions[index]))) }
                    return loaded
                }
            }
            for try await loaded in group {
                for (index, found) in loaded { rows[index] = found }
            }
        }
        return rows.compactMap(\.self)
    }

    private func table(of shard: ShardID) -> EntitlementTable {
        self.positions.shards[Int(shard.rawValue)].entitlements
    }

    private func load(_ question: Question) async throws -> [EntitlementTable.Row] {
        let prefix = StreamKey.prefix(kind: question.name.kind, id: question.request.stream.id)
        return try await self.table(of: question.shard).load(question.name) {
            var rows: [EntitlementTable.Row] = []
            for row in try await self.store.streams(withPrefix: prefix, in: question.shard, limit: 64) {
                guard let key = StreamKey(bytes: row.key) else { continue }
                // From the state and not from the stored row, so that a changed setting counts at once.
                let state = try await self.store.loadState(row, key: key, in: question.shard)
                let entitlement = EntitlementRow(
                    state: state, version: row.version.rawValue, from: self.clock.now, rules: self.rules)
                rows.append(
                    EntitlementTable.Row(
                        environment: key.environment, bundleID: key.bundleID, version: row.version,
                        bytes: entitlement.encoded()))
            }
            return rows
        }
    }

    // MARK: Verdicts

    private func result(
        _ request: CheckRequest, _ rows: [EntitlementTable.Row], at now: Moment
    ) throws -> CheckResult {
        let fitting = rows.filter { row in
            row.environment == request.stream.environment
                && (request.stream.bundleID.map { $0 == row.bundleID } ?? true)
        }
        guard fitting.count <= 1 else { return .refused(.ambiguous) }
        guard let row = fitting.first else { return .verdict(.unknown) }
        let answer = try EntitlementRow(decoding: row.bytes).answer(at: now)
        var verdict = self.verdict(answer, version: row.version, for: request.entitlement)
        verdict.bundleID = row.bundleID
        return .verdict(verdict)
    }

    private func verdict(_ answer: CheckAnswer, version: StreamVersion, for entitlement: String?) -> CheckVerdict {
        var verdict = CheckVerdict(
            entitled: answer.entitled, state: answer.state, code: answer.code.description,
            validUntil: answer.validUntil, productID: answer.productID, version: version, reason: nil)
        guard let entitlement else { return verdict }
        if !self.catalog.knows(entitlement) {
            verdict.reason = .unknownEntitlement
        } else if !(answer.productID.map { self.catalog.grants(entitlement, productID: $0) } ?? false) {
            verdict.reason = .otherProduct
        }
        if verdict.reason != nil {
            verdict.entitled = false
            verdict.validUntil = nil
        }
        return verdict
    }
}

extension CheckVerdict {
    fileprivate static let unknown = CheckVerdict(
        entitled: false, state: nil, code: CohortCode.nothing.description, validUntil: nil, productID: nil,
        version: .zero, reason: .unknownSubscription)
}
