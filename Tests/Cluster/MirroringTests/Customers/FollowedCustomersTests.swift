import Customers
import EventLog
import Mirroring
import Subscriptions
import Synchronization
import Testing
import WireProtocol

/// Who follows with customers asks for what their answers need, and knows of which shards it does not have it.
@Suite struct FollowedCustomersTests {
    private static let origin = StreamOrigin(storeID: 7, restoreGeneration: 0)
    private static let shard = ShardID(rawValue: 0)
    private static let node = SourceID(rawValue: 1)
    private static let key = StreamKey(
        kind: .subscription, id: "1", environment: .production, bundleID: BundleID(rawValue: "com.example.app"))

    private final class Sink: StreamSink {
        private struct State {
            var rules: [StreamRules] = []
            var tells: [Bool] = []
            var refusesRules = false
        }

        private let state = Mutex(State())
        var rules: [StreamRules] { self.state.withLock(\.rules) }
        var tells: [Bool] { self.state.withLock(\.tells) }

        func refuseRules(_ refuses: Bool) { self.state.withLock { $0.refusesRules = refuses } }

        func setRules(_ rules: StreamRules) throws(MirrorError) {
            let isRefused = self.state.withLock { state in
                if !state.refusesRules { state.rules.append(rules) }
                return state.refusesRules
            }
            if isRefused { throw MirrorError(.malformed, "no key") }
        }

        func setTellsOfCustomers(_ tells: Bool, in shard: ShardID) { self.state.withLock { $0.tells.append(tells) } }

        func take(_ image: SubscriptionImage, in shard: ShardID) throws(MirrorError) {}
        func setPosition(_ position: Position) {}
        func setCurrent(_ shard: ShardID, asOf moment: ContinuousClock.Instant) {}
        func beginRestart(of shard: ShardID) {}
        func endRestart(of shard: ShardID) {}
    }

    private let sink = Sink()
    private var now = ContinuousClock.now
    private lazy var follower = StreamFollower(
        Self.origin, shardCount: 1, withCustomers: true, sink: self.sink
    ) {}

    private func head(_ customerRules: UInt32) -> ServedHead {
        ServedHead(
            shard: Self.shard, epoch: Epoch(rawValue: 1),
            position: StreamPosition(sequence: LogSequence(rawValue: 1), tag: 4), rules: 3,
            customerRules: customerRules)
    }

    private mutating func hear(_ customerRules: UInt32, from source: SourceID = Self.node) {
        self.follower.hear(
            StreamBeat(
                origin: Self.origin, node: "a", servicePort: 1, shardCount: 1, heads: [self.head(customerRules)]),
            from: source, at: self.now)
    }

    private mutating func ask() -> [StreamRequest] { self.follower.ask(at: self.now).map(\.request) }

    private mutating func answerSnapshot(
        _ request: StreamRequest, _ customerRules: UInt32, tells: Bool, isEmpty: Bool = false
    ) throws {
        let customer = CustomerImage(version: StreamVersion(rawValue: 1), .held(LeadImage(), []))
        let image = SubscriptionImage(
            key: Self.key.bytes, version: StreamVersion(rawValue: 1), entitlement: [],
            customer: tells ? customer.encoded() : nil)
        try self.follower.take(
            StreamAnswer(
                id: request.id,
                .snapshot(
                    SnapshotPage(
                        origin: Self.origin, head: self.head(customerRules), images: isEmpty ? [] : [image], next: []))),
            at: self.now)
    }

    private static func rules(_ number: UInt32) -> NumberedRules {
        NumberedRules(number, StreamRules(key: [UInt8](repeating: UInt8(number), count: 32), catalog: []))
    }

    @Test mutating func `a node that tells of customers is asked for its rules, once for each that it names`() throws {
        self.hear(5)
        let requests = self.ask()
        #expect(requests.allSatisfy { $0.withCustomers })
        let asked = try #require(requests.first { $0.content == .rules })
        try self.answerSnapshot(try #require(requests.first { $0.content != .rules }), 5, tells: true)
        #expect(self.sink.tells == [true])
        // One that is under way is not asked again.
        self.hear(5)
        #expect(self.ask().isEmpty)
        try self.follower.take(StreamAnswer(id: asked.id, .rules(Self.rules(5))), at: self.now)
        #expect(self.sink.rules == [Self.rules(5).rules])
        self.hear(5)
        #expect(self.ask().isEmpty)
        // when: the node has others
        self.hear(6)
        let again = try #require(self.ask().first)
        #expect(again.content == .rules)
        try self.follower.take(StreamAnswer(id: again.id, .rules(Self.rules(6))), at: self.now)
        #expect(self.sink.rules.count == 2)
    }

    @Test mutating func `rules by which no node answers any more give way`() throws {
        let other = SourceID(rawValue: 2)
        for (number, source) in [(UInt32(2), Self.node), (1, other)] {
            self.hear(number, from: source)
            let asked = try #require(self.ask().first { $0.content == .rules })
            try self.follower.take(StreamAnswer(id: asked.id, .rules(Self.rules(number))), at: self.now)
        }
        #expect(self.sink.rules == [Self.rules(2).rules, Self.rules(1).rules])
        // when: the node that had the older ones is gone, or has others
        self.follower.lose(other, at: self.now)
        self.hear(2)
        // then
        #expect(self.sink.rules.last == Self.rules(2).rules)
        #expect(!self.ask().contains { $0.content == .rules })
    }

    @Test mutating func `a question for rules that is refused, lost or of no use is asked again after a pause`() throws
    {
        self.hear(5)
        let first = try #require(self.ask().first { $0.content == .rules })
        try self.follower.take(
            StreamAnswer(id: first.id, .failure(StreamFailure(.busy, retryAfter: 50))), at: self.now)
        #expect(!self.ask().contains { $0.content == .rules })
        self.now += .milliseconds(51)
        _ = try #require(self.ask().first { $0.content == .rules })
        // An answer that does not come.
        self.now += .seconds(4)
        let third = try #require(self.ask().first { $0.content == .rules })
        self.sink.refuseRules(true)
        #expect(throws: MirrorError.self) {
            try self.follower.take(StreamAnswer(id: third.id, .rules(Self.rules(5))), at: self.now)
        }
        #expect(!self.ask().contains { $0.content == .rules })
        self.sink.refuseRules(false)
        self.now += .seconds(6)
        let last = try #require(self.ask().first { $0.content == .rules })
        try self.follower.take(StreamAnswer(id: last.id, .rules(Self.rules(5))), at: self.now)
        #expect(self.sink.rules.count == 1)
    }

    /// What an older node leaves out of a page is not missed in it.
    @Test(arguments: [false, true])
    mutating func `what an older node has told is copied again once an owner tells of customers`(
        _ isEmpty: Bool
    ) throws {
        self.hear(0)
        let requests = self.ask()
        #expect(requests.count == 1, "no rules")
        try self.answerSnapshot(requests[0], 0, tells: false, isEmpty: isEmpty)
        #expect(self.sink.tells == [false])
        self.hear(0)
        #expect(self.ask().isEmpty)
        // when
        self.hear(5)
        let renewal = try #require(self.ask().first { $0.content != .rules })
        try self.answerSnapshot(renewal, 5, tells: true)
        // then
        #expect(self.sink.tells == [false, true])
        self.hear(5)
        #expect(!self.ask().contains { $0.content != .rules })
    }
}
