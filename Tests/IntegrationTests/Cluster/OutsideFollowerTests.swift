import AppStoreSimulator
import Foundation
import Logging
import PerennialClient
import Subscriptions
import Synchronization
import Testing
import ZeroMQ

/// A service beside a cluster whose nodes are killed and suspended, against what their owners say in the end.
@Suite(.enabled(if: TestBinary.path != nil, "build the perennial product to run these"))
struct OutsideFollowerTests {
    private let cluster: ClusterFixture
    private let addresses = (0..<3).map { _ in LoopbackAddress.unused() }
    private let keys: CurveKeyPair

    init() async throws {
        self.keys = try CurveKeyPair()
        self.cluster = try await ClusterFixture(nodes: 3, corpus: SignedCorpus(count: 900, seed: 37))
    }

    private func start(_ number: Int) async throws -> NodeProcess {
        let key = try #require(Z85.text(of: self.keys.publicKey))
        return try await self.cluster.start(
            number, cluster: "lease: 3s",
            section: """
                stream: { bind: "\(self.addresses[number].text)", subscribers: [ { name: outside, curveKey: "\(key)" } ] }
                """)
    }

    private func client() throws -> PerennialClient {
        var configuration = PerennialClient.Configuration(
            nodes: try self.addresses.enumerated().map { number, address in
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
            if status == 200 { return try JSONDecoder().decode(Page.self, from: Data(body)).results }
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
        var nodes = [try await self.start(0), try await self.start(1), try await self.start(2)]
        try await self.cluster.untilDivided(among: nodes)
        let notifications = self.cluster.corpus.notifications
        let ids = Set(notifications.compactMap(\.originalTransactionID)).sorted()
        try await withThrowingTaskGroup(of: Void.self) { group in
            // given: one who follows from the beginning
            let (client, story) = (try self.client(), Story())
            let changes = try client.changes()
            group.addTask { try await client.run() }
            group.addTask { for await event in changes { story.add(event) } }
            try await client.untilReady()
            while changes.position == nil { try await Task.sleep(for: .milliseconds(10)) }

            // when: nodes are lost and come back while notifications come, and somebody joins late
            let late = try self.client()
            for (index, notification) in notifications.enumerated() {
                switch index {
                case 150: nodes[2].process.send(SIGKILL)
                case 300: nodes[2] = try await self.start(2)
                case 450: nodes[1].process.send(SIGSTOP)
                case 500: group.addTask { try await late.run() }
                case 650:
                    nodes[1].process.send(SIGKILL)
                    nodes[1] = try await self.start(1)
                default: break
                }
                while (try? await nodes[0].notify(notification.signedPayload)) != 200 {}
            }
            try await self.cluster.database.untilInboxIsApplied()

            // then
            try await self.untilEqual(ids, client, nodes[0])
            try await self.untilEqual(ids, late, nodes[0])
            let versions = Dictionary(
                uniqueKeysWithValues: zip(ids, try await self.owned(ids, by: nodes[0]).map(\.version)))
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
            group.cancelAll()
        }
    }
}
