import Customers
import Entitlements
import EventLog
import Mirroring
import Ownership
import Queries
import ServiceContract
import Shards
import Subscriptions
import Testing
import WireProtocol

/// What a node forgets of customers when it hears of the commits of others.
@Suite struct FollowingSinkTests {
    private static let shard = ShardID(rawValue: 3)
    private static let customers = ["a", "b"].map { CustomerID($0)! }

    private let table = CustomerTable(limit: 10, isFollowed: false)
    private let sink: FollowingSink

    init() {
        self.sink = FollowingSink(EntitlementMirror(map: ShardHash(shardCount: 16)!), self.table)
        self.sink.begin()
    }

    private static func key(_ number: Int) -> [UInt8] {
        StreamKey(
            kind: .subscription, id: "\(number)", environment: .production, bundleID: BundleID(rawValue: "app")
        ).bytes
    }

    private static func hash(_ number: Int) -> IdentifierHash { IdentifierHash(high: 0, low: UInt64(number)) }

    /// Each rests on a stream and on an identifier of its own.
    private func fill() {
        let loaded = Self.customers.enumerated().map { number, customer in
            let content = CheckableCustomer(.known, from: .distantPast, shards: [Self.shard]) {
                CustomerHoldings(streams: [], grants: [], in: $0, catalog: Catalog(), rules: DerivationRules())
            }
            return CheckableCustomer.Loaded(
                customer, content, [.stream(Self.key(number)), .identifier(.customer, Self.hash(number))])
        }
        self.table.endLoading(self.table.beginLoading(), loaded)
    }

    private var kept: [Bool] { self.table.read(Self.customers).found.map { $0 != nil } }

    private func hear(_ number: Int, leads: [Int]?) throws {
        let key = Self.key(number)
        let row = EntitlementRow(version: 1, phases: []).encoded(under: RulesFingerprint(DerivationRules()))
        let lookups = leads?.map { Lookup(kind: .customer, hash: Self.hash($0), key: key) }
        try self.sink.advance(
            SubscriptionImage(key: key, version: StreamVersion(rawValue: 1), entitlement: row, lookups: lookups),
            to: Position(shard: Self.shard, sequence: LogSequence(rawValue: 1), incarnationTag: 7))
    }

    @Test func `it is told from when on it counts`() {
        #expect(self.table.isFollowed)
        #expect(!CustomerTable(limit: 1, isFollowed: false).isFollowed)
    }

    @Test func `a change of a stream is forgotten by those who rest on it, or on what leads to it since`() throws {
        self.fill()
        try self.hear(5, leads: [])
        #expect(self.kept == [true, true])
        try self.hear(0, leads: [])
        #expect(self.kept == [false, true])
        self.fill()
        try self.hear(5, leads: [9, 1])
        #expect(self.kept == [true, false])
    }

    @Test func `where nobody says what leads to it, nothing is kept`() throws {
        self.fill()
        try self.hear(5, leads: nil)
        #expect(self.kept == [false, false])
    }

    @Test func `nothing is kept of before a shard is followed, or of a log that was rewound`() {
        self.fill()
        self.sink.setPosition(Position(shard: Self.shard, sequence: LogSequence(rawValue: 9), incarnationTag: 7))
        #expect(self.kept == [false, false])
        self.fill()
        self.sink.beginRestart(of: Self.shard)
        #expect(self.kept == [false, false])
    }
}
