import Customers
import EventLog
import Mirroring
import Ownership
import ServiceContract
import Shards
import Subscriptions

/// Reads the table of customers, and says how new it is. On a node alone the table is as new as the node's shards. On a node with a
/// mirror it is as new as the mirror.
struct CustomerMemory: Sendable {
    private let table: CustomerTable
    private let positions: PositionGuard
    /// nil on a node alone.
    private let mirror: EntitlementMirror?

    init(_ table: CustomerTable, positions: PositionGuard, mirror: EntitlementMirror?) {
        self.table = table
        self.positions = positions
        self.mirror = mirror
    }

    struct Known {
        /// nil for one of whom nothing is remembered.
        var customers: [CheckableCustomer?]
        /// How far the log is known to reach with these customers.
        var heads: [Position]
        /// A shard has not been heard of for longer than answers may be old.
        var isStale: Bool
    }

    /// - Parameter staleToo: the store cannot be asked.
    /// - Returns: nil while memory does not count, where it is not known to be as new as `bounds`, and where it is stale.
    func known(
        _ customers: [CustomerID], at now: Moment, atLeast bounds: [Position], staleToo: Bool = false
    ) -> Known? {
        let isStale = self.mirror.map { $0.isStale(at: $0.time(now, .now)) } ?? false
        guard self.table.isFollowed, !isStale || staleToo && self.mirror?.hasAll ?? true,
            bounds.allSatisfy(self.reaches)
        else { return nil }
        var (found, removals) = self.table.read(customers)
        var shards: Set<ShardID> = []
        for (place, customer) in found.enumerated() {
            guard let customer else { continue }
            // It does not reach back to a moment before a clock was set back.
            if now < customer.from { found[place] = nil } else { shards.formUnion(customer.shards) }
        }
        guard let heads = self.heads(of: shards.sorted { $0.rawValue < $1.rawValue }) else { return nil }
        // What went before the heads were looked at is not as new as they are.
        if !self.table.isUnchanged(since: removals) {
            for (place, customer) in self.table.read(customers).found.enumerated() where customer !== found[place] {
                found[place] = nil
            }
        }
        return Known(customers: found, heads: heads, isStale: isStale)
    }

    /// What `read` finds stays in memory, unless it changes meanwhile.
    func keeping<Value>(
        _ read: () async throws -> (Value, [CheckableCustomer.Loaded])
    ) async throws -> (Value, [CheckableCustomer.Loaded]) {
        guard self.table.isFollowed else { return try await read() }
        let loading = self.table.beginLoading()
        var loaded: [CheckableCustomer.Loaded] = []
        defer { self.table.endLoading(loading, loaded) }
        let value: Value
        (value, loaded) = try await read()
        if self.mirror == nil { await self.learnHeads(of: loaded) }
        return (value, loaded)
    }

    /// Asks the store which run wrote the newest event of a shard, where this node does not know it, as after a restart. The next
    /// answer needs it for its token.
    private func learnHeads(of loaded: [CheckableCustomer.Loaded]) async {
        for shard in Set(loaded.flatMap(\.content.shards)) where (try? self.positions.knownHeads(of: [shard])) == nil {
            _ = try? await self.positions.ownHead(of: shard)
        }
    }

    /// Whether an answer may be older than answers ought to be: a yes as the shards that give it, a no as any shard.
    func isStale(_ customer: CheckableCustomer, _ result: CustomerResult, at now: Moment) -> Bool {
        guard let mirror, case .answer(let answer, _) = result, answer.entitled else { return true }
        return mirror.isStale(customer.shards, at: mirror.time(now, .now))
    }

    private func heads(of shards: [ShardID]) -> [Position]? {
        if let mirror { return shards.map(mirror.position) }
        return try? self.positions.knownHeads(of: shards)
    }

    /// Whether the table is as new as `bound`. On a node with a mirror only the mirror's position counts: a shard of the node itself
    /// may have committed what the table has not been told.
    private func reaches(_ bound: Position) -> Bool {
        self.mirror.map { $0.position(of: bound.shard).reaches([bound]) } ?? self.positions.knows(bound)
    }
}
