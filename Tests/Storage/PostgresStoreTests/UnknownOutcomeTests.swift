import EventLog
import Foundation
import PerennialTestSupport
import PostgresHarness
import PostgresStore
import Testing

/// The way to the database breaks: what an append says then, and what is in the store.
@Suite(.onOwnThreads, .timeLimit(.minutes(10))) struct UnknownOutcomeTests {
    private let way: CuttableDatabase

    init() throws { self.way = try CuttableDatabase() }

    struct Cut: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var fault: CuttingProxy.Fault
        /// Whether the append was stored nevertheless.
        var isStored: Bool
    }

    @Test(arguments: [
        Cut(testDescription: "before the statement", fault: .beforeTheServer, isStored: false),
        Cut(testDescription: "in the statement's head", fault: .within(bytes: 3), isStored: false),
        Cut(testDescription: "in the statement's middle", fault: .within(bytes: 900), isStored: false),
        Cut(testDescription: "before the answer", fault: .beforeTheAnswer, isStored: true),
    ])
    func aCutLeavesItUnknownAndTheNextClaimKnows(_ cut: Cut) async throws {
        // given an owner whose session has appended
        let store = try self.way.store()
        var writer = try StoreWriter(store)
        try writer.append([writer.event([1])])
        let event = writer.event([1])
        let batch = writer.batch(0, [event])

        // when the way breaks
        self.way.proxy.set(cut.fault)
        Self.expect(.outcomeUnknown) { try store.append([batch]) }

        // then nothing is sent before the shards are taken again
        let elsewhere = writer.batch(5, [writer.event([9])])
        Self.expect(.outcomeUnknown) { try store.append([batch]) }
        Self.expect(.outcomeUnknown) { try store.append([elsewhere]) }
        #expect(try await store.log(5).isEmpty)

        // and the claim tells what happened
        var next = try StoreWriter(resuming: writer)
        #expect(next.ownership[0].head.rawValue == (cut.isStored ? 2 : 1))
        #expect(next.ownership[0].epoch.rawValue == 2)
        let known = try await store.events(withDedupKeys: [event.dedupKey], in: ShardID(rawValue: 0))
        #expect(known.count == (cut.isStored ? 1 : 0))

        // so that in the end everything is there once
        if !cut.isStored { try next.append([event]) }
        try next.append([next.event([1])])
        #expect(try await store.log().map(\.version.rawValue) == [1, 2, 3])
        #expect(try await store.log().map(\.sequence.rawValue) == [1, 2, 3])
        #expect(try store.append([batch]) == [.fenced])
        try self.way.finish(store)
    }

    @Test func anAnswerThatDoesNotComeIsNotWaitedForForEver() async throws {
        let store = try self.way.store(answerIn: .seconds(10))
        var writer = try StoreWriter(store)
        try writer.append([writer.event([1])])
        let batch = writer.batch(0, [writer.event([1])])
        self.way.proxy.set(.silence)
        Self.expect(.outcomeUnknown) { try store.append([batch]) }
        self.way.proxy.set(nil)
        #expect(try StoreWriter(resuming: writer).ownership[0].head.rawValue == 2)
        try self.way.finish(store)
    }

    @Test func aServerThatIsAwayIsUnavailableAndItsReturnAsksForAClaim() async throws {
        let store = try self.way.store()
        var writer = try StoreWriter(store)
        try writer.append([writer.event([1])])
        let batch = writer.batch(0, [writer.event([1])])
        let claim = ShardClaim(
            store.identity.shards,
            for: ShardRecord.Owner(node: NodeID(rawValue: "node"), incarnation: Incarnation(rawValue: 7)))

        // Idle sessions end: nothing was sent over them.
        self.way.proxy.set(.down)
        try self.way.database.endSessions()
        while !self.way.proxy.isIdle { try await Task.sleep(for: .milliseconds(5)) }
        Self.expect(.unavailable) { try store.append([batch]) }
        #expect(StoreError.code { _ = try store.claim(claim) } == .unavailable)
        #expect(
            StoreError.code { try store.register(NodeRecord(id: claim.owner.node, incarnation: .init(rawValue: 7))) }
                == .unavailable)
        await #expect { try await store.ping() } throws: { ($0 as? StoreError)?.code == .unavailable }

        self.way.proxy.set(nil)
        try await Task.sleep(for: .milliseconds(300))
        Self.expect(.outcomeUnknown) { try store.append([batch]) }
        #expect(try await store.log().count == 1)
        var next = try StoreWriter(resuming: writer)
        try next.append([next.event([1])])
        #expect(try await store.log().count == 2)
        try self.way.finish(store)
    }

    /// As when it finds the standby that took over, and the other one has gone on with the old server.
    @Test func aSessionThatIsMadeAnewLateAsksForAClaimOnceMore() async throws {
        // given two sessions at work, of which one is lost, and the other is free last
        var configuration = PostgresConfiguration(for: self.way.database)
        configuration.appendConcurrency = 2
        configuration.statementTimeout = .seconds(60)
        let store = try PostgresEventStore(configuration: configuration)
        var writer = try StoreWriter(store)
        try self.holdEvents(of: ["lost", "kept", "busy"])
        let lost = Self.batch(1, of: "lost", &writer)
        let kept = Self.batch(2, of: "kept", &writer)
        async let lostCode = onThread { StoreError.code { _ = try store.append([lost]) } }
        let session = try await self.sessionsAtWork(1)[0]
        async let keptCode = onThread { StoreError.code { _ = try store.append([kept]) } }
        _ = try await self.sessionsAtWork(2)
        try self.way.database.query("SELECT pg_terminate_backend(\(session), 5000)")
        let whenLost = try await lostCode
        #expect(whenLost == .outcomeUnknown)
        try self.way.database.query("DELETE FROM held WHERE kind = 'kept'")
        let whenKept = try await keptCode
        #expect(whenKept == nil)

        // when that one claims and has work, so that the next append makes the lost one anew
        var next = try StoreWriter(resuming: writer)
        let busy = Self.batch(3, of: "busy", &next)
        async let busyCode = onThread { StoreError.code { _ = try store.append([busy]) } }
        _ = try await self.sessionsAtWork(1)
        let batch = next.batch(4, [next.event([4])])
        Self.expect(.outcomeUnknown) { try store.append([batch]) }
        try self.way.database.query("DELETE FROM held")
        let whenBusy = try await busyCode
        #expect(whenBusy == nil)

        // then another claim is all it takes
        var last = try StoreWriter(resuming: next)
        try last.append([last.event([5])], to: 4)
        #expect(try await store.log(4).count == 1)
        try self.way.finish(store)
    }

    private static func batch(_ shard: Int, of kind: String, _ writer: inout StoreWriter) -> ShardBatch {
        var event = writer.event([UInt8(shard)])
        event.kind = kind
        return writer.batch(shard, [event])
    }

    /// Events of these kinds are not written as long as `held` has their kind.
    private func holdEvents(of kinds: [String]) throws {
        try self.way.database.query(
            """
            CREATE TABLE held (kind TEXT);
            INSERT INTO held VALUES \(kinds.map { "('\($0)')" }.joined(separator: ", "));
            CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN
                WHILE EXISTS (SELECT FROM held WHERE held.kind = NEW.kind) LOOP PERFORM pg_sleep(0.01); END LOOP;
                RETURN NEW;
            END$$;
            CREATE TRIGGER hold BEFORE INSERT ON event FOR EACH ROW EXECUTE FUNCTION hold();
            """)
    }

    /// Their processes at the server, once there are so many.
    private func sessionsAtWork(_ count: Int) async throws -> [String] {
        while true {
            let sessions = try self.way.database.query(
                """
                SELECT pid FROM pg_stat_activity
                WHERE datname = current_database() AND application_name = 'perennial' AND state = 'active'
                """)
            if sessions.count == count { return sessions }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    @Test func readsGoOnInANewSession() async throws {
        let store = try self.way.store()
        var writer = try StoreWriter(store)
        try writer.append([writer.event([1])])
        for _ in 0..<4 { #expect(try await store.log().count == 1) }
        try self.way.database.endSessions()
        for _ in 0..<4 { #expect(try await store.log().count == 1) }
        try self.way.finish(store)
    }

    private static func expect(
        _ code: StoreError.Code, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> [AppendOutcome]
    ) {
        #expect(StoreError.code { _ = try body() } == code, sourceLocation: sourceLocation)
    }
}
