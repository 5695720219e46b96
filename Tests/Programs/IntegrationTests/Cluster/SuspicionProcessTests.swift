import AppStoreSimulator
import Foundation
import NIOCore
import PerennialTestSupport
import PostgresHarness
import Testing

/// Two `perennial serve` processes with the longest lease that there is, of which one is lost.
@Suite(.enabled(if: TestBinary.path != nil, "build the perennial product to run these"))
struct SuspicionProcessTests {
    private static let hint = "A node that refuses connections is taken for dead"
    private let cluster: ClusterFixture
    private var notifications: [SignedNotification] { self.cluster.corpus.notifications }

    init() async throws {
        self.cluster = try await ClusterFixture(nodes: 2, corpus: SignedCorpus(count: 300, seed: 71))
    }

    private func start(_ number: Int) async throws -> NodeProcess {
        try await self.cluster.start(number, cluster: "lease: 1m")
    }

    /// Two that have divided the shards, so that each has some of the subscriptions, and have half of the notifications.
    private func startBoth() async throws -> [NodeProcess] {
        let nodes = [try await self.start(0), try await self.start(1)]
        try await NodeProcess.untilEvenlyDivided(among: nodes)
        try await self.notify(self.notifications.prefix(150), nodes[0])
        try await self.cluster.database.untilInboxIsApplied()
        // The other one has said what it has: there is a connection.
        try await self.untilOwnersAnswer(nodes[0])
        return nodes
    }

    private func notify(_ notifications: some Sequence<SignedNotification>, _ node: NodeProcess) async throws {
        for notification in notifications {
            while try await node.notify(notification.signedPayload) != 200 {
                try await Task.sleep(for: .milliseconds(50))
            }
        }
    }

    private var subscriptions: Set<String> {
        Set(self.notifications.prefix(150).filter { $0.status != nil }.compactMap(\.originalTransactionID))
    }

    private struct Answer {
        var status: UInt
        var object: [String: Any]
    }

    private func ask(
        _ node: NodeProcess, for subscription: String, _ consistency: String, atLeast token: String? = nil
    ) async throws -> Answer {
        let (status, body) = try await node.get(
            "/v1/subscriptions/\(subscription)?consistency=\(consistency)", atLeast: token, patience: .minutes(2))
        let object = try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any]
        return Answer(status: status, object: object ?? [:])
    }

    private func untilOwnersAnswer(_ node: NodeProcess) async throws {
        for subscription in self.subscriptions {
            while try await self.ask(node, for: subscription, "owner").status != 200 {
                try await Task.sleep(for: .milliseconds(50))
            }
        }
    }

    private func lives(_ number: Int) async throws -> Bool {
        let question = "SELECT state FROM node WHERE node_id = 'node-\(number)'"
        return try await onOwnThread { [database = self.cluster.database] in try database.query(question) } == ["live"]
    }

    @Test(
        "the shards of a node that is killed have another owner while its lease runs, who answers when nobody else can",
        .timeLimit(.minutes(10)))
    func othersTakeOverAtOnce() async throws {
        // given
        let nodes = try await self.startBoth()
        // when
        let killed = ContinuousClock.now
        nodes[1].process.send(SIGKILL)
        // then: the lease had no need to end
        try await self.cluster.untilDivided(among: [nodes[0]])
        #expect(nodes[0].process.errorOutput.contains(Self.hint))
        // and notifications are recorded, not kept for later
        try await self.notify(self.notifications.dropFirst(150), nodes[0])
        try await self.cluster.expectOnce(self.notifications, on: [nodes[0]])

        // then: whoever wants what the owner says has to wait for that end
        var refused = 0
        for subscription in self.subscriptions {
            let answer = try await self.ask(nodes[0], for: subscription, "owner")
            if answer.status != 200 {
                #expect(answer.status == 503 && answer.object["code"] as? String == "frozen")
                refused += 1
            }
            // and who takes what is durable does not, nor who has seen it already
            let local = try await self.ask(nodes[0], for: subscription, "local")
            #expect(local.status == 200)
            let token = local.object["token"] as? String
            let again = try await self.ask(nodes[0], for: subscription, "local", atLeast: token)
            #expect(again.status == 200)
        }
        // On a machine that has stood still the lease may be over by now.
        #expect(refused > 0 || .now - killed > .seconds(55))

        // when: it comes back, as another run
        let back = try await self.start(1)
        // then: the one before is known to be gone
        try await self.untilOwnersAnswer(nodes[0])
        for node in [nodes[0], back] {
            node.process.send(SIGTERM)
            #expect(await node.process.waitForExit() == 0, "\(node.process.errorOutput)")
        }
    }

    @Test("a node that is stopped refuses nothing, and goes on with what it owns", .timeLimit(.minutes(10)))
    func nobodyIsTakenForDeadForBeingStopped() async throws {
        // given
        let nodes = try await self.startBoth()
        // when: for several times as long as it takes to notice that a process is gone
        nodes[1].process.send(SIGSTOP)
        try await Task.sleep(for: .seconds(12))
        let isAlive = try await self.lives(1)
        nodes[1].process.send(SIGCONT)
        // then
        #expect(isAlive)
        #expect(!nodes[0].process.errorOutput.contains("taken for dead"))
        try await self.notify(self.notifications.dropFirst(150), nodes[0])
        try await self.cluster.expectOnce(self.notifications, on: nodes)
        try await self.cluster.untilDivided(among: nodes)
        for node in nodes {
            node.process.send(SIGTERM)
            #expect(await node.process.waitForExit() == 0, "\(node.process.errorOutput)")
        }
    }
}
