import Clustering
import EventLog
import Synchronization
import Testing
import WireProtocol

@Suite(.timeLimit(.minutes(10))) struct PacingTests {
    private static let forever = Duration.seconds(3_600)

    /// Serves shards with an inbox that keeps what it gets.
    private static func keep(_ shards: Range<UInt16>, of owner: TestNode) {
        for shard in shards {
            owner.system.serve(ShardID(rawValue: shard), under: Epoch(rawValue: 1)) { [journal = owner.journal] batch in
                let outcomes = EventualOutcomes(count: batch.items.count)
                journal.keep(outcomes)
                return outcomes
            }
        }
    }

    private static func submit(
        _ shards: Range<UInt16>, by caller: TestNode, in group: inout ThrowingTaskGroup<Void, any Error>
    ) throws {
        for shard in shards {
            let worker = try caller.worker(shard)
            group.addImmediateTask {
                let outcomes = try await worker.submit(CommandBatch([[1]])).all()
                #expect(outcomes == [[2]])
            }
        }
    }

    @Test func commandsGatherWhileSeveralAreUnanswered() async throws {
        try await TestCluster.run { cluster in
            // given
            let caller = try await cluster.start("caller") { $0.commandPatience = Self.forever }
            let owner = try await cluster.start("owner", owning: Array(0..<16))
            Self.keep(0..<16, of: owner)
            try await withThrowingTaskGroup(of: Void.self) { group in
                // when
                try Self.submit(0..<4, by: caller, in: &group)
                try await owner.journal.reach(4)
                try Self.submit(4..<16, by: caller, in: &group)
                try await Task.sleep(for: .milliseconds(100))
                // then
                #expect(owner.journal.kept.count == 4)
                // when: one too few is unanswered
                owner.journal.kept[0].put([2], at: 0)
                // then
                try await owner.journal.reach(16)
                for outcomes in owner.journal.kept.dropFirst() { outcomes.put([2], at: 0) }
                try await group.waitForAll()
            }
        }
    }

    @Test func aQuestionTakesThemAlong() async throws {
        try await TestCluster.run { cluster in
            // given
            let caller = try await cluster.start("caller") { $0.commandPatience = Self.forever }
            let owner = try await cluster.start("owner", owning: Array(0..<16))
            Self.keep(0..<8, of: owner)
            try await withThrowingTaskGroup(of: Void.self) { group in
                try Self.submit(0..<4, by: caller, in: &group)
                try await owner.journal.reach(4)
                try Self.submit(4..<8, by: caller, in: &group)
                // when: again and again, since a command may be made after it
                group.addTask {
                    while !Task.isCancelled, owner.journal.kept.count < 8 {
                        _ = try await caller.worker(15).trace()
                    }
                }
                // then
                try await owner.journal.reach(8)
                for outcomes in owner.journal.kept { outcomes.put([2], at: 0) }
                try await group.waitForAll()
            }
        }
    }

    @Test func aShardThatDoesNotAnswerHoldsNobodyUp() async throws {
        try await TestCluster.run { cluster in
            // given
            let caller = try await cluster.start("caller")
            let owner = try await cluster.start("owner", owning: Array(0..<16))
            Self.keep(0..<8, of: owner)
            try await withThrowingTaskGroup(of: Void.self) { group in
                try Self.submit(0..<8, by: caller, in: &group)
                // when, then: all that are to be kept arrive, and others are answered, though nothing is answered before
                try await owner.journal.reach(8)
                for shard in 8..<16 as Range<UInt16> {
                    #expect(try await caller.worker(shard).submit(CommandBatch([[3]])).all() == [[3]])
                }
                for outcomes in owner.journal.kept { outcomes.put([2], at: 0) }
                try await group.waitForAll()
            }
        }
    }

    private static let commands: ClosedRange<UInt64> = 1...5

    /// One message with five commands.
    private static func message(from caller: TestNode, to owner: TestNode) async throws -> [[UInt8]] {
        let record = try #require(await caller.node.registration())
        var writer = FrameWriter(
            FrameHeader(
                node: record.id.rawValue, incarnation: record.incarnation.rawValue,
                addressee: owner.configuration.incarnation.rawValue))
        for id in Self.commands {
            writer.add(
                RemoteCall(
                    id: id, shard: UInt16(id), target: Contract.Number.submit, remaining: 60_000, epoch: 1,
                    arguments: [CommandBatch([[1]]).wireBytes()]))
        }
        return [writer.bytes]
    }

    /// What the sender of that message gets back.
    /// - Parameters:
    ///   - count: replies to wait for.
    ///   - answer: gives outcomes to the commands, all of which have arrived.
    private static func replies(
        heldFor patience: Duration, expecting count: Int, _ answer: ([EventualOutcomes]) async throws -> Void
    ) async throws -> [Frame] {
        try await TestCluster.run { cluster in
            let caller = try await cluster.start("caller")
            let owner = try await cluster.start("owner", owning: Array(0..<16)) { $0.replyPatience = patience }
            Self.keep(0..<16, of: owner)
            let raw = try await RawPeer(to: owner, keys: caller.configuration.keys)
            async let frames = raw.send([try await Self.message(from: caller, to: owner)], expecting: count)
            try await owner.journal.reach(Self.commands.count)
            // Its answer comes after the turn in which they came.
            _ = try await caller.worker(15).trace()
            try await answer(owner.journal.kept)
            return try await frames
        }
    }

    @Test func repliesToOneMessageLeaveTogether() async throws {
        let frames = try await Self.replies(heldFor: Self.forever, expecting: 5) { commands in
            for outcomes in commands {
                // So that each could leave before the next is there.
                try await Task.sleep(for: .milliseconds(5))
                outcomes.put([2], at: 0)
            }
        }
        #expect(frames.map(\.replies.count) == [5])
    }

    @Test func repliesDoNotWaitLongForOneThatIsMissing() async throws {
        let frames = try await Self.replies(heldFor: .milliseconds(200), expecting: 4) { commands in
            for outcomes in commands.prefix(4) { outcomes.put([2], at: 0) }
        }
        #expect(frames.flatMap(\.replies).count == 4)
    }

    /// How many leave together is what `HeldRepliesTests` looks at, by a clock of its own.
    @Test func `replies that come late leave without the one that is missing`() async throws {
        let frames = try await Self.replies(heldFor: .milliseconds(200), expecting: 4) { commands in
            commands[0].put([2], at: 0)
            // By then it has left without the others, or leaves with them: both are right.
            try await Task.sleep(for: .milliseconds(500))
            for outcomes in commands[1..<4] { outcomes.put([2], at: 0) }
        }
        #expect(frames.flatMap(\.replies).count == 4)
    }
}
