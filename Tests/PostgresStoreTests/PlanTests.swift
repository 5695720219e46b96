import EventSourcing
import PerennialTestSupport
import PostgresHarness
import PostgresStore
import Testing

/// How the server runs the store's statements, by its own account.
@Suite(.onOwnThreads) struct PlanTests {
    /// On tables that are new and without statistics, where a planner that is left alone reads whole tables.
    @Test func everyStatementFindsItsRowsThroughIndexes() async throws {
        let database = try PostgresServer.shared().makeDatabase()
        for setting in [
            "session_preload_libraries = 'auto_explain'", "auto_explain.log_min_duration = 0",
            "auto_explain.log_nested_statements = off",
        ] { try database.query("ALTER DATABASE \(database.name) SET \(setting)") }
        let store = try PostgresEventStore(in: database)
        try await Self.useEverything(of: store)
        store.close()
        let plans = Self.plans(in: try database.server.log)
        try database.drop()

        // The account is whole.
        for words in [
            "UPDATE shard SET head_seq", "epoch = epoch + 1", "UNION ALL", "DELETE FROM inbox", "FROM lookup",
            "SET feature_level", "INSERT INTO bookmark", "DELETE FROM bookmark", "FROM bookmark WHERE name = ANY",
            "UPDATE bookmark",
        ] {
            #expect(plans.contains { $0.contains(words) }, "\(words)")
        }
        for plan in plans {
            let lines = plan.split(separator: "\n")
            for (line, next) in zip(lines, lines.dropFirst() + [""]) where !Self.mayReadAll(line, plan) {
                #expect(!line.contains("Seq Scan on") && !line.contains("Bitmap"), "\(plan)")
                if line.contains("Scan using") { #expect(next.contains("Index Cond:"), "\(plan)") }
            }
        }
        // An append joins by hashing only: in loops, a batch would cost the square of its size.
        #expect(plans.allSatisfy { !$0.contains("UPDATE shard SET head_seq") || !$0.contains("Nested Loop") })
    }

    /// Whether a step is to meet every row: of the server's own tables, of those with few rows, or to count them.
    private static func mayReadAll(_ line: Substring, _ plan: String) -> Bool {
        ["shard", "node", "quarantine", "store_meta", "pg_class", "pg_namespace"].contains {
            line.contains(" on \($0) ")
        }
            || plan.contains("count(*) FROM stream") || plan.contains("count(parked_at)")
    }

    private static func useEverything(of store: PostgresEventStore) async throws {
        var writer = try StoreWriter(store)
        var notifications = SyntheticNotifications()
        for round in 0..<3 {
            var batches = (0..<StoreContract.shardCount).map { shard in
                writer.batch(
                    shard,
                    (0..<4).map { key in
                        writer.event(
                            [UInt8(key)], evidence: [notifications.renewal(customer: key, period: round)],
                            dedupKey: [UInt8(round), UInt8(key)])
                    })
            }
            for index in batches.indices {
                batches[index].lookups = [Lookup(kind: .customer, value: "c", key: [1])]
            }
            _ = try writer.append(batches)
        }
        let shard = ShardID(rawValue: 1)
        _ = try StoreWriter(store, incarnation: 9)
        _ = try await store.load([LoadRequest(shard: shard, keys: [[1], [9]], dedupKeys: [[1, 1], [9]])])
        _ = try await store.streams(withPrefixes: [(shard, [1]), (shard, [])], limit: 2)
        _ = try await store.streams(in: shard, after: [1], limit: 2)
        _ = try await store.due(in: shard, at: .max, limit: 2)
        _ = try await store.nextDue(in: shard)
        _ = try await store.events(of: [1], in: shard, after: .zero, limit: 2)
        _ = try await store.events(in: shard, after: .zero, limit: 2)
        _ = try await store.streams(for: .customer, value: "c")
        _ = try await store.evidence(of: Sequence(rawValue: 1), in: shard)
        try await store.eraseEvidence(of: [1], in: shard)
        _ = try await (store.heads(), store.shards(), store.nodes(), store.statistics(), store.quarantineDepth())
        _ = try await store.incarnationTag(of: Sequence(rawValue: 1), in: shard)
        let run = try store.begin(
            NodeRecord(id: NodeID(rawValue: "a"), incarnation: Incarnation(rawValue: 10)), lease: .seconds(5))
        let taken = try store.take([try store.view().shards[1]], as: run)
        _ = try store.give(shard, under: taken[0].epoch, from: run.owner, to: run.owner)
        _ = try store.beat(run)
        _ = try store.depose(try store.view().nodes[0])
        try store.leave(run)
        try await store.put(InboxRow(dedupKey: [1], shard: shard, receivedAt: 1, raw: [1]))
        _ = try await store.inbox(of: [shard], limit: 2)
        try await store.recordFailedAttempt([[1]], parkingAt: 1, at: 1)
        let removal = InboxRemoval(
            dedupKey: [1], shard: shard, epoch: Epoch(rawValue: 1), incarnation: Incarnation(rawValue: 10), head: .zero)
        _ = try await store.removeFromInbox([removal])
        _ = try await store.inboxDepth()
        try await store.quarantine(
            QuarantinedPayload(digest: [1], reason: "r", detail: "d", receivedAt: 1, raw: [1]))
        try await store.removeQuarantined(try await store.quarantined(after: 0, limit: 1).first?.id ?? 0)
        try await store.setBookmarks(["a": [1], "b": []])
        _ = try await store.bookmarks(["a", "b"])
        _ = try await store.replaceBookmark("a", [1], with: [2])
        let next = FeatureLevel(rawValue: 2)
        try store.register(
            NodeRecord(id: NodeID(rawValue: "node"), incarnation: Incarnation(rawValue: 11), featureLevel: next))
        #expect(try store.raiseFeatureLevel(to: next))
    }

    /// What auto_explain has written: statements with the steps of their plans.
    private static func plans(in log: String) -> [String] {
        var plans: [String] = []
        var isInside = false
        for line in log.split(separator: "\n") {
            if line.hasSuffix("plan:") {
                plans.append("")
                isInside = true
            } else if isInside, line.hasPrefix("\t") {
                plans[plans.count - 1] += line + "\n"
            } else {
                isInside = false
            }
        }
        return plans
    }
}
