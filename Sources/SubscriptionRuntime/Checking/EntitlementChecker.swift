import Entitlements
import EventSourcing
import Sharding
import Subscriptions

/// Answers entitlement checks from the rows in memory; what is not there is loaded once. A check meets no actor, and no
/// lock but that of its own shard.
struct EntitlementChecker: Sendable {
    private let map: ShardMap
    private let positions: PositionGuard
    private let names: RowNames
    private let catalog: Catalog
    private let loader: EntitlementLoader
    private let clock: any WallClock

    init(
        store: any EventStore, map: ShardMap, positions: PositionGuard, names: RowNames, catalog: Catalog,
        rules: DerivationRules, clock: any WallClock
    ) {
        self.map = map
        self.positions = positions
        self.names = names
        self.catalog = catalog
        self.loader = EntitlementLoader(store: store, rules: rules)
        self.clock = clock
    }

    func answer(
        _ requests: [CheckRequest], _ consistency: Consistency, atLeast: String?
    ) async throws -> CheckResponse {
        if let atLeast { try await self.positions.check(atLeast: atLeast) }
        if consistency == .durable { try await self.loader.store.ping() }
        let digests = requests.map { IDDigest(utf8: $0.id) }
        let order = ShardOrder(digests.map(self.map.shard(of:)), shardCount: self.map.shardCount)
        // Before the rows are read: the answer is not older than its token.
        let heads = try await self.positions.heads(of: order.shards)

        var verdicts = VerdictMaker(names: self.names, catalog: self.catalog, now: self.clock.now)
        var results = [CheckResult](repeating: .verdict(.unknown), count: requests.count)
        var missing = EntitlementLoader.Missing()
        order.forEach { shard, numbers in
            let table = self.table(of: shard)
            table.read(numbers) { number in
                EntitlementTable.Name(digest: digests[number], kind: requests[number].kind)
            } _: { number, rows in
                if let rows {
                    results[number] = verdicts.result(requests[number], rows)
                } else {
                    let name = EntitlementTable.Name(digest: digests[number], kind: requests[number].kind)
                    missing.add(name, id: requests[number].id, shard: shard, number: number)
                }
            }
        }
        if !missing.isEmpty {
            for (numbers, rows) in try await self.loader.load(missing, at: verdicts.now, self.table(of:)) {
                rows.withUnsafeBytes { rows in
                    for number in numbers { results[number] = verdicts.result(requests[number], rows) }
                }
            }
        }
        return CheckResponse(
            results: results, asOf: verdicts.now, stale: false, token: self.positions.token(heads))
    }

    private func table(of shard: ShardID) -> EntitlementTable {
        self.positions.shards[Int(shard.rawValue)].entitlements
    }
}
