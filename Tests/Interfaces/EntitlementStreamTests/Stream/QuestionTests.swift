import EntitlementStream
import EventLog
import PerennialTestSupport
import Shards
import SubscriptionService
import Testing
import WireProtocol
import ZeroMQ

/// What subscribers ask, over real sockets.
@Suite(.timeLimit(.minutes(10))) struct QuestionTests {
    private let node: PublishingNode

    init() throws { self.node = try PublishingNode() }

    private static func failure(_ answer: StreamAnswer?) -> StreamFailure.Code? {
        if case .failure(let failure) = answer?.content { failure.code } else { nil }
    }

    @Test func aSnapshotHasEverySubscriptionOfAShardPageByPage() async throws {
        try await self.node.run { node in
            // given
            for period in 1...2 { try await node.service.renew(0..<80, period: period) }
            let questioner = self.node.questioner(of: node)
            for (shard, head) in try await self.node.heads() {
                // when
                var images: [SubscriptionImage] = []
                var next: [UInt8] = []
                repeat {
                    let answer = try await questioner.ask(.snapshot(shard, after: next, limit: 3))
                    guard case .snapshot(let page) = answer?.content else {
                        Issue.record("no page: \(String(describing: answer))")
                        return
                    }
                    #expect(answer?.id == 77)
                    #expect(page.images.count <= 3)
                    #expect(page.head.position == head)
                    images += page.images
                    next = page.next
                } while !next.isEmpty
                // then
                let rows = try await self.node.store.streams(in: shard, after: nil, limit: 1_000)
                #expect(images.map(\.key) == rows.map(\.key))
                #expect(images.map(\.entitlement) == rows.map(\.entitlement))
                #expect(images.allSatisfy { $0.version.rawValue == 2 })
            }
        }
    }

    @Test func aPositionOfAnotherLogIsRewound() async throws {
        try await self.node.run { node in
            // given
            try await node.service.renew(0..<40, period: 1)
            let questioner = self.node.questioner(of: node)
            let (shard, head) = try #require(try await self.node.heads().first)
            let other = StreamPosition(sequence: head.sequence, tag: head.tag &+ 1)
            let beyond = StreamPosition(sequence: LogSequence(rawValue: head.sequence.rawValue + 1), tag: head.tag)
            // when, then
            #expect(Self.failure(try await questioner.ask(.changes(shard, after: other, limit: 0))) == .rewound)
            #expect(Self.failure(try await questioner.ask(.changes(shard, after: beyond, limit: 0))) == .rewound)
        }
    }

    @Test func onlyTheOwnerAnswersForAShard() async throws {
        // given: a node that owns half of the shards
        var node = self.node
        node.runtime.shards = Set((0..<8).map(ShardID.init(rawValue:)))
        try await node.run { [node] running in
            let questioner = node.questioner(of: running)
            let own = ShardID(rawValue: 7)
            let (foreign, absent) = (ShardID(rawValue: 8), ShardID(rawValue: 16))
            // when, then
            guard case .snapshot = try await questioner.ask(.snapshot(own, after: [], limit: 0))?.content else {
                Issue.record("no page")
                return
            }
            #expect(Self.failure(try await questioner.ask(.snapshot(foreign, after: [], limit: 0))) == .notOwner)
            #expect(Self.failure(try await questioner.ask(.changes(foreign, after: .start, limit: 0))) == .notOwner)
            #expect(Self.failure(try await questioner.ask(.snapshot(absent, after: [], limit: 0))) == .malformed)
            guard case .heads(let beat) = try await questioner.ask(.probe)?.content else {
                Issue.record("no heads")
                return
            }
            #expect(beat.heads.map(\.shard.rawValue) == Array(0..<8))
        }
    }

    @Test func anAddressThatIsTakenIsAnError() async throws {
        try await self.node.run { node in
            // given
            var stream = self.node.stream
            stream.bind = node.endpoints.stream
            let second = try Publisher(stream)
            // when, then
            await #expect(throws: ZeroMQError.self) { try await second.run(serving: node.service.servedLog) }
        }
    }

    @Test func whoAsksTooMuchIsRefusedAndNobodyElse() async throws {
        // given: one page a second for each, two at once
        var node = self.node
        let other = try CurveKeyPair()
        node.stream.subscribers[other.publicKey] = "reports"
        (node.stream.pagesPerSecond, node.stream.pageBurst) = (1, 2)
        try await node.run { [node] running in
            let (greedy, modest) = (node.questioner(of: running), node.questioner(of: running, keys: other))
            // when one asks for many at a time
            let page = StreamRequest.Content.snapshot(ShardID(rawValue: 1), after: [], limit: 0)
            let refusals = try await self.refusals(of: 40, page, by: greedy)
            // then he gets some, and is told for how long to wait for the others
            #expect(!refusals.isEmpty && refusals.count <= 38)
            #expect(refusals.allSatisfy { $0.code == .busy && (1...1_000).contains($0.retryAfter) })
            // and neither others nor what keeps him current wait for that
            guard case .snapshot = try await modest.ask(.snapshot(ShardID(rawValue: 1), after: [], limit: 0))?.content
            else {
                Issue.record("no page")
                return
            }
            guard case .heads = try await greedy.ask(.probe)?.content else {
                Issue.record("no heads")
                return
            }
        }
    }

    /// Asks the same so many times at once.
    private func refusals(
        of count: Int, _ question: StreamRequest.Content, by questioner: Questioner
    ) async throws -> [StreamFailure] {
        try await withThrowingTaskGroup(of: StreamAnswer?.self) { group in
            for _ in 0..<count { group.addTask { try await questioner.ask(question) } }
            return try await group.reduce(into: []) { refusals, answer in
                if case .failure(let failure) = answer?.content { refusals.append(failure) }
            }
        }
    }

    @Test func whoProbesTooMuchIsRefusedAndNobodyElse() async throws {
        // given: one probe a second for each, two at once
        var node = self.node
        let other = try CurveKeyPair()
        node.stream.subscribers[other.publicKey] = "reports"
        (node.stream.probesPerSecond, node.stream.probeBurst) = (1, 2)
        try await node.run { [node] running in
            let (greedy, modest) = (node.questioner(of: running), node.questioner(of: running, keys: other))
            // when one sends many at a time
            let refusals = try await self.refusals(of: 40, .probe, by: greedy)
            // then some are answered, and for the others he is told for how long to wait
            #expect(!refusals.isEmpty && refusals.count <= 38)
            #expect(refusals.allSatisfy { $0.code == .busy && (1...1_000).contains($0.retryAfter) })
            // and neither others nor the pages that he asks for wait for that
            guard case .heads = try await modest.ask(.probe)?.content else {
                Issue.record("no heads")
                return
            }
            guard case .snapshot = try await greedy.ask(.snapshot(ShardID(rawValue: 1), after: [], limit: 0))?.content
            else {
                Issue.record("no page")
                return
            }
        }
    }

    /// One connection, and none of its answers is read before all has been asked.
    @Test(arguments: [40, 256, 4_000]) func whatIsAskedAtOnceIsAnsweredOrRefused(_ count: Int) async throws {
        try await self.node.run { running in
            try await running.service.renew(0..<80, period: 1)
            let questioner = self.node.questioner(of: running)
            for content in [StreamRequest.Content.snapshot(ShardID(rawValue: 1), after: [], limit: 0), .probe] {
                let answers = try await questioner.ask(content, times: count)
                #expect(answers.map(\.id).sorted() == (1...UInt64(count)).map(\.self))
                #expect(answers.allSatisfy { Self.failure($0) == nil || Self.failure($0) == .busy })
                #expect(answers.contains { Self.failure($0) == nil })
            }
        }
    }

    @Test func whoReadsNothingHoldsABoundedAmountAndNobodyUp() async throws {
        var node = self.node
        node.stream.requestsPerConnection = 100
        let other = try CurveKeyPair()
        node.stream.subscribers[other.publicKey] = "reports"
        try await node.run { [node] running in
            // given: one who asks far more than it may, and reads nothing before the end
            let (greedy, modest) = (node.questioner(of: running), node.questioner(of: running, keys: other))
            let isOver = Flag()
            async let answers = greedy.ask(.probe, times: 2_000, readingAfter: isOver)
            defer { isOver.raise() }
            // when, then: others are answered
            for _ in 0..<20 {
                guard case .heads = try await modest.ask(.probe)?.content else {
                    Issue.record("no heads")
                    return
                }
            }
            isOver.raise()
            #expect(try await answers.count <= 2_000)
        }
    }

    @Test func aWholeCopyIsNotTooMuchForAnyStore() {
        let (stream, start) = (self.node.stream, ContinuousClock.now)
        var budget = RequestBudget(
            underWay: stream.pagesUnderWay, rate: stream.pagesPerSecond, burst: stream.pageBurst)
        for _ in 0..<4_096 {
            #expect(budget.begin("paywall", at: start) == nil)
            budget.finish()
        }
    }

    @Test func aHundredFollowersWithOneKeyAreNotRefused() {
        // given: each sends two probes a second, and one more whenever it connects, as all do now
        let (stream, start) = (self.node.stream, ContinuousClock.now)
        var pace = RequestPace(rate: stream.probesPerSecond, burst: stream.probeBurst)
        func areAnswered(at moment: ContinuousClock.Instant) -> Bool {
            (0..<100).allSatisfy { _ in pace.take("paywall", at: moment) == nil }
        }
        #expect(areAnswered(at: start))
        // when, then
        for round in 0..<1_000 { #expect(areAnswered(at: start + .milliseconds(500) * round)) }
        // and beyond that there is a bound
        #expect((0..<10).contains { _ in !areAnswered(at: start + .seconds(500)) })
    }

    @Test func whoAsksTooMuchIsToldWhenToAskAgain() throws {
        // given: two at a time, ten a second, three at once
        let start = ContinuousClock.now
        var budget = RequestBudget(underWay: 2, rate: 10, burst: 3)
        // when, then: no third one at a time
        #expect(budget.begin("a", at: start) == nil)
        #expect(budget.begin("b", at: start) == nil)
        #expect(budget.begin("c", at: start) != nil)
        budget.finish()
        budget.finish()
        // when, then: each has a pace of its own
        #expect(budget.begin("a", at: start) == nil)
        #expect(budget.begin("a", at: start) == nil)
        budget.finish()
        budget.finish()
        #expect(budget.begin("a", at: start) == .milliseconds(100))
        #expect(budget.begin("b", at: start) == nil)
        #expect(budget.begin("a", at: start + .milliseconds(100)) == nil)
    }
}
