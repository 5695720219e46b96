import AppStoreSimulator
import Foundation
import Logging
import PerennialClient
import PostgresHarness
import Subscriptions
import Synchronization
import Testing
import ZeroMQ

/// A service beside a cluster whose nodes are killed and suspended, against what their owners say in the end.
@Suite(.serialized, .enabled(if: TestBinary.path != nil, "build the perennial product to run these"))
struct OutsideFollowerTests {
    private let cluster: ClusterFixture
    private let addresses = (0..<3).map { _ in LoopbackAddress.unused() }
    private let keys: CurveKeyPair

    init() async throws {
        self.keys = try CurveKeyPair()
        self.cluster = try await ClusterFixture(nodes: 3, corpus: SignedCorpus(count: 900, seed: 37))
    }

    private func start(_ number: Int, lease: String, store: String? = nil) async throws -> NodeProcess {
        let key = try #require(Z85.text(of: self.keys.publicKey))
        return try await self.cluster.start(
            number, cluster: "lease: \(lease)",
            section: """
                stream: { bind: "\(self.addresses[number].text)", subscribers: [ { name: outside, curveKey: "\(key)" } ] }
                """, store: store)
    }

    /// - Parameter addresses: where it finds the nodes.
    private func client(at addresses: [LoopbackAddress]) throws -> PerennialClient {
        var configuration = PerennialClient.Configuration(
            nodes: try addresses.enumerated().map { number, address in
                .init(address: address.text, publicKey: try self.cluster.publicKey(number))
            }, secretKey: try #require(Z85.text(of: self.keys.secretKey)))
        configuration.logger = Logger(label: "outside") { _ in SwiftLogNoOpLogHandler() }
        return try PerennialClient(configuration)
    }

    /// The versions of each subscription, in the order in which they were told.
    private final class Story: Sendable {
        private let told = Mutex<[String: [Int64]]>([:])

        var versions: [String: [Int64]] { self.told.withLock(\.self) }

        func add(_ event: PerennialClient.ChangeEvent) {
            guard case .change(let change) = event else { return }
            let id = change.subject.originalTransactionID
            self.told.withLock { $0[id, default: []].append(change.entitlement.version) }
        }
    }

    private struct Answer: Decodable, Hashable {
        var entitled: Bool
        var state: String?
        var productId: String?
        var validUntil: String?
        var version: Int64
    }

    /// What the owners say, by id.
    private func owned(_ ids: [String], by node: NodeProcess) async throws -> [Answer] {
        struct Page: Decodable { var results: [Answer] }
        let checks = ids.map { "{\"subscription\":\"\($0)\"}" }.joined(separator: ",")
        while true {
            let (status, body) = try await node.post(
                "{\"checks\":[\(checks)],\"consistency\":\"owner\"}", to: "/v1/check")
            // Those whose owner does not answer now have an error in place of a result.
            if status == 200, let page = try? JSONDecoder().decode(Page.self, from: Data(body)) { return page.results }
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    /// What a client says, in the words of the nodes.
    private static func answers(_ ids: [String], by client: PerennialClient) throws -> [Answer] {
        try client.check(ids).map { result in
            let entitlement = try result.get()
            return Answer(
                entitled: entitlement.isEntitled, state: entitlement.state?.rawValue,
                productId: entitlement.productID,
                validUntil: entitlement.validUntil.map {
                    Moment(milliseconds: Int64(($0.timeIntervalSince1970 * 1_000).rounded())).rfc3339
                },
                version: entitlement.version)
        }
    }

    private func untilEqual(_ ids: [String], _ client: PerennialClient, _ node: NodeProcess) async throws {
        while true {
            let owned = try await self.owned(ids, by: node)
            if client.isReady {
                let pairs = zip(try Self.answers(ids, by: client), owned)
                // Some ids are of one-time purchases, which a node is asked for otherwise.
                if pairs.allSatisfy({ $0 == $1 || $1.state == nil }) { return }
            }
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    @Test(
        "whoever follows ends with the owners' answers, and has heard every version in its order",
        .timeLimit(.minutes(10)))
    func endsWithTheOwnersState() async throws {
        // The lease is so long that a node which merely gets no processor for a while does not look dead.
        let lease = "15s"
        var nodes: [NodeProcess] = []
        for number in 0..<3 { nodes.append(try await self.start(number, lease: lease)) }
        try await self.cluster.untilDivided(among: nodes)
        let notifications = self.cluster.corpus.notifications
        let ids = Set(notifications.compactMap(\.originalTransactionID)).sorted()
        try await withThrowingTaskGroup(of: Void.self) { group in
            // given: one who follows from the beginning
            let (client, story) = (try self.client(at: self.addresses), Story())
            try await self.follow(client, story, in: &group)

            // when: nodes are lost and come back while notifications come, and somebody joins late
            let late = try self.client(at: self.addresses)
            for (index, notification) in notifications.enumerated() {
                switch index {
                case 150: nodes[2].process.send(SIGKILL)
                case 300: nodes[2] = try await self.start(2, lease: lease)
                case 450: nodes[1].process.send(SIGSTOP)
                case 500: group.addTask { try await late.run() }
                case 650:
                    nodes[1].process.send(SIGKILL)
                    nodes[1] = try await self.start(1, lease: lease)
                default: break
                }
                while (try? await nodes[0].notify(notification.signedPayload)) != 200 {}
            }
            try await self.cluster.database.untilInboxIsApplied()

            // then
            try await self.untilEqual(ids, client, nodes[0])
            try await self.untilEqual(ids, late, nodes[0])
            try await self.expectAll(story, of: ids, nodes[0])
            group.cancelAll()
        }
    }

    /// Until the copy is there, and changes are told.
    private func follow(
        _ client: PerennialClient, _ story: Story, in group: inout ThrowingTaskGroup<Void, any Error>
    ) async throws {
        let changes = try client.changes()
        group.addTask { try await client.run() }
        group.addTask { for await event in changes { story.add(event) } }
        try await client.untilReady()
        while changes.position == nil { try await Task.sleep(for: .milliseconds(10)) }
    }

    /// In the end every version has been told, in its order.
    private func expectAll(_ story: Story, of ids: [String], _ node: NodeProcess) async throws {
        let versions = Dictionary(
            uniqueKeysWithValues: zip(ids, try await self.owned(ids, by: node).map(\.version)))
        while ids.contains(where: { story.versions[$0]?.max() ?? 0 < versions[$0] ?? 0 }) {
            try await Task.sleep(for: .milliseconds(100))
        }
        for (id, told) in story.versions {
            var last: Int64 = 0
            for version in told where version > last {
                #expect(version == last + 1, "\(id): \(told)")
                last = version
            }
            #expect(versions[id].map { last >= $0 } ?? true)
        }
    }

    /// For how long the cables are cut; a number of seconds makes it longer.
    private static var cutOff: Duration {
        .seconds(ProcessInfo.processInfo.environment["PERENNIAL_TEST_CUT_OFF"].flatMap { Int($0) } ?? 15)
    }

    @Test("whoever is cut off claims nothing meanwhile, and misses nothing in the end", .timeLimit(.minutes(30)))
    func catchesUpAfterBeingCutOff() async throws {
        // given: one who follows through cables
        var nodes: [NodeProcess] = []
        for number in 0..<3 { nodes.append(try await self.start(number, lease: "1m")) }
        try await self.cluster.untilDivided(among: nodes)
        let places = self.addresses.map { _ in LoopbackAddress.unused() }
        let cables = try zip(self.addresses, places).flatMap { address, place in
            try [(address, place), (address.next, place.next)].map { address, place in
                try PartitionProxy(to: address, at: place, knowsProcesses: false)
            }
        }
        let notifications = self.cluster.corpus.notifications
        let ids = Set(notifications.compactMap(\.originalTransactionID)).sorted()
        try await withThrowingTaskGroup(of: Void.self) { group in
            let (client, story) = (try self.client(at: places), Story())
            try await self.follow(client, story, in: &group)
            for notification in notifications[..<300] { _ = try await nodes[0].notify(notification.signedPayload) }
            try await self.cluster.database.untilInboxIsApplied()
            try await self.untilEqual(ids, client, nodes[0])

            // when: they are cut, while most happens
            for cable in cables { cable.cut() }
            let end = ContinuousClock.now + Self.cutOff
            for notification in notifications[300...] { _ = try await nodes[0].notify(notification.signedPayload) }
            try await self.cluster.database.untilInboxIsApplied()
            try await self.until { try Self.areAll(stale: true, ids, client) }
            // then: from the bound on every answer says that it may be old, and nobody has access for longer than was paid
            while ContinuousClock.now < end {
                #expect(try Self.areAll(stale: true, ids, client))
                try Self.expectNobodyOverstays(ids, client)
                try await Task.sleep(for: .milliseconds(500))
            }
            #expect(ids.contains { story.versions[$0] == nil })

            // and when they are healed, it ends as if nothing had been
            for cable in cables { cable.heal() }
            try await self.untilEqual(ids, client, nodes[0])
            try await self.expectAll(story, of: ids, nodes[0])
            group.cancelAll()
        }
    }

    /// Whoever has access has it until an end that is still to come, and not behind it.
    private static func expectNobodyOverstays(_ ids: [String], _ client: PerennialClient) throws {
        let now = Date()
        for (id, result) in zip(ids, client.check(ids, at: now)) {
            let entitlement = try result.get()
            guard entitlement.isEntitled, let end = entitlement.validUntil else { continue }
            #expect(end > now)
            // A date is no whole number of milliseconds.
            #expect(try !client.check(id, at: end + 0.002).isEntitled)
        }
    }

    @Test("a node that its store has not heard from vouches for nothing", .timeLimit(.minutes(10)))
    func nothingIsCurrentWithoutALease() async throws {
        // given: a node behind a cable, and one who follows it and is current
        let database = self.cluster.database
        let cable = try PartitionProxy(to: LoopbackAddress(port: Int(database.server.port)))
        let node = try await self.start(0, lease: "3s", store: database.url(port: UInt16(cable.port)))
        try await self.cluster.untilDivided(among: [node])
        let notifications = self.cluster.corpus.notifications[..<100]
        let ids = Set(notifications.compactMap(\.originalTransactionID)).sorted()
        try await withThrowingTaskGroup(of: Void.self) { group in
            let client = try self.client(at: [self.addresses[0]])
            try await self.follow(client, Story(), in: &group)
            for notification in notifications { while try await node.notify(notification.signedPayload) != 200 {} }
            try await self.untilEqual(ids, client, node)
            try await self.until { try Self.areAll(stale: false, ids, client) }
            // when: the node is reached, and does not reach its store
            cable.cut()
            // then: its word is worth nothing after the length of its lease, and stays so
            try await self.until { try Self.areAll(stale: true, ids, client) }
            for _ in 0..<20 {
                #expect(try Self.areAll(stale: true, ids, client))
                try await Task.sleep(for: .milliseconds(200))
            }
            // and when it owns them again, it is worth something again
            cable.heal()
            try await self.until { try Self.areAll(stale: false, ids, client) }
            group.cancelAll()
        }
    }

    private func until(_ condition: () throws -> Bool) async throws {
        while try !condition() { try await Task.sleep(for: .milliseconds(50)) }
    }

    /// Whether every answer says that it may be old, or none.
    private static func areAll(stale: Bool, _ ids: [String], _ client: PerennialClient) throws -> Bool {
        try client.check(ids).allSatisfy { try $0.get().isStale == stale }
    }
}
