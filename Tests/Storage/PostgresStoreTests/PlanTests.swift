import EventLog
import Foundation
import PerennialTestSupport
import PostgresHarness
import PostgresStore
import Subscriptions
import Testing

/// How the server runs the store's statements, by its own account.
@Suite(.onOwnThreads) struct PlanTests {
    /// On tables that are new and without statistics, where a planner that is left alone reads whole tables.
    @Test func everyStatementFindsItsRowsThroughIndexes() async throws {
        let database = try PostgresServer.shared().makeDatabase()
        for setting in [
            "session_preload_libraries = 'auto_explain'", "auto_explain.log_min_duration = 0",
            "auto_explain.log_nested_statements = off", "log_statement = 'all'", "log_parameter_max_length = 0",
        ] { try database.query("ALTER DATABASE \(database.name) SET \(setting)") }
        let store = try PostgresEventStore(in: database)
        try await Self.useEverything(of: store)
        store.close()
        let plans = Self.plans(in: try database.server.log)
        try database.drop()

        // The account is whole. A copy into the database has statements of its own, and no part in it.
        let (planned, written) = (Set(plans.map(\.statement)), try StatementNames.inSources(without: "Copying"))
        #expect(written.count > 40)
        #expect(written.subtracting(planned).sorted() == [])
        #expect(planned.subtracting(written).sorted() == [])
        for plan in plans {
            for (line, next) in zip(plan.lines, plan.lines.dropFirst() + [""]) where !plan.mayReadAll(line) {
                #expect(!line.contains("Seq Scan on") && !line.contains("Bitmap"), "\(plan)")
                if line.contains("Scan"), line.contains(" using ") {
                    #expect(next.contains("Index Cond:"), "\(plan)")
                }
            }
        }
        // An append joins by hashing only: in loops, a batch would cost the square of its size.
        let loops = plans.filter {
            $0.statement.hasPrefix("append") && $0.lines.contains { $0.contains("Nested Loop") }
        }
        #expect(loops.isEmpty, "\(loops)")
    }

    /// What the server has told of one run of a statement.
    private struct Plan {
        /// The tables whose rows a statement lists or counts, all of them; `place` asks once for a start, of the server's own.
        private static let readInFull: [String: Set<String>] = [
            "shards": ["shard"], "heads": ["shard"], "nodes": ["node"], "statuses": ["node"],
            "feature_seen": ["node"], "feature_raise": ["node"], "statistics": ["stream", "shard"],
            "inbox_depth": ["inbox"], "quarantine_count": ["quarantine"],
            // The newest few of the handful that there are.
            "header_segments_newest": ["jws_header"],
            "place": ["pg_class", "pg_namespace"],
        ]

        let statement: String
        /// The text of the statement, then the steps.
        var lines: [Substring] = []

        /// Whether a step is to meet every row. `store_meta` has one.
        func mayReadAll(_ line: Substring) -> Bool {
            Self.readInFull[self.statement, default: []].union(["store_meta"]).contains { line.contains(" on \($0) ") }
        }
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
            if round > 0 {
                for index in batches.indices {
                    batches[index].outbox = [
                        InboxRow(dedupKey: [7, UInt8(index)], shard: batches[index].shard, receivedAt: 1, raw: [])
                    ]
                }
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
        _ = try await store.headerSegments(limit: 2)
        _ = try await store.evidence(of: LogSequence(rawValue: 1), in: shard)
        try await store.eraseEvidence(of: [1], in: shard)
        try await store.replaceBodies([BodyReplacement(of: LogSequence(rawValue: 1), [], by: [1])], in: shard)
        let gone = Lookup(kind: .customer, value: "d", key: [])
        try await store.removeLookups(of: [
            SoughtIdentifier(kind: .customer, hash: gone.hash, spellings: ["d"])
        ])
        _ = try await store.clearLookups(limit: 2)
        try await store.replace([ClearLookup(kind: 1, value: [1], stream: 1)], by: [gone.hash])
        _ = try await (store.heads(), store.shards(), store.nodes(), store.statistics(), store.quarantineDepth())
        _ = try await store.incarnationTag(of: LogSequence(rawValue: 1), in: shard)
        let run = try store.begin(
            NodeRecord(id: NodeID(rawValue: "a"), incarnation: Incarnation(rawValue: 10)), lease: .seconds(5))
        let taken = try store.take([try store.view().shards[1]], as: run)
        _ = try store.give(shard, under: taken[0].epoch, from: run.owner, to: run.owner)
        _ = try store.beat(run)
        _ = try store.depose(try store.view().nodes[0])
        try store.leave(run)
        try await store.put(InboxRow(dedupKey: [1], shard: shard, receivedAt: 1, raw: [1]))
        _ = try await store.inbox(of: [shard], after: nil, limit: 2)
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
        _ = try await store.bookmarks(startingWith: "a", after: nil, limit: 2)
        _ = try store.keepBookmark("kept", [1])
        _ = try await store.replaceBookmark("a", [1], with: [2])
        try await store.ping()
        let next = FeatureLevel(rawValue: 2)
        try store.register(
            NodeRecord(id: NodeID(rawValue: "node"), incarnation: Incarnation(rawValue: 11), featureLevel: next))
        #expect(try store.raiseFeatureLevel(to: next))
    }

    /// What auto_explain has written, of prepared statements: a session, which its process has a number for, says first
    /// which one it runs.
    private static func plans(in log: String) -> [Plan] {
        var running: [Substring: Substring] = [:]
        var plans: [Plan] = []
        var isInside = false
        for line in log.split(separator: "\n") {
            if line.hasPrefix("\t") {
                if isInside { plans[plans.count - 1].lines.append(line) }
                continue
            }
            isInside = false
            guard let mark = line.firstRange(of: "] LOG:  "),
                let session = line[..<mark.lowerBound].split(separator: "[").last
            else { continue }
            let message = line[mark.upperBound...]
            if message.hasPrefix("execute ") {
                running[session] = message.dropFirst("execute ".count).prefix { $0 != ":" }
            } else if message.hasPrefix("statement: ") {
                running[session] = nil
            } else if message.hasSuffix("plan:"), let statement = running[session] {
                plans.append(Plan(statement: String(statement)))
                isInside = true
            }
        }
        return plans
    }
}
