import AppStoreSimulator
import Foundation
import Testing

/// Three `perennial serve` processes that divide the shards of one database by themselves, of which two are lost.
@Suite(.enabled(if: TestBinary.path != nil, "build the perennial product to run these"))
struct TakeOverTests {
    private let cluster: ClusterFixture
    private var notifications: [SignedNotification] { self.cluster.corpus.notifications }

    init() async throws {
        self.cluster = try await ClusterFixture(nodes: 3, corpus: SignedCorpus(count: 300, seed: 23))
    }

    /// The lease is so long that a node which merely gets no processor for a while does not look dead.
    private func start(_ number: Int) async throws -> NodeProcess {
        try await self.cluster.start(number, cluster: "lease: 15s")
    }

    /// As the App Store does, only sooner: what is not acknowledged is sent again.
    private func notify(_ payload: [UInt8], _ nodes: [NodeProcess]) async {
        for attempt in 0..<200 {
            if (try? await nodes[attempt % nodes.count].notify(payload)) == 200 { return }
            try? await Task.sleep(for: .milliseconds(200))
        }
        Issue.record("a notification was refused for too long")
    }

    private func notifyAll(_ notifications: some Sequence<SignedNotification>, _ nodes: [NodeProcess]) async {
        await withTaskGroup(of: Void.self) { group in
            for (index, notification) in notifications.enumerated() {
                let order = nodes.indices.map { nodes[(index + $0) % nodes.count] }
                group.addTask { await self.notify(notification.signedPayload, order) }
            }
        }
    }

    @Test(
        "the shards of a node that is killed, or stopped, are served by the others, and nothing is lost",
        .timeLimit(.minutes(10)))
    func othersTakeOver() async throws {
        // given: three nodes that have divided the shards among them
        let nodes = [try await self.start(0), try await self.start(1), try await self.start(2)]
        try await self.cluster.untilDivided(among: nodes)
        await self.notifyAll(self.notifications.prefix(150), nodes)

        // when: one is killed while notifications come in
        nodes[2].process.send(SIGKILL)
        await self.notifyAll(self.notifications.dropFirst(150), [nodes[0], nodes[1]])
        // then
        try await self.cluster.untilDivided(among: [nodes[0], nodes[1]])
        try await self.cluster.expectOnce(self.notifications, on: [nodes[0], nodes[1]])

        // when: one of the two is stopped for longer than its lease, and goes on
        nodes[1].process.send(SIGSTOP)
        try await self.cluster.untilDivided(among: [nodes[0]])
        nodes[1].process.send(SIGCONT)
        // then: it ends by itself, and the last one answers for all
        #expect(await nodes[1].process.waitForExit() == 1)
        #expect(nodes[1].process.errorOutput.contains("taken this one for dead"))
        try await self.cluster.expectOnce(self.notifications, on: [nodes[0]])

        nodes[0].process.send(SIGTERM)
        #expect(await nodes[0].process.waitForExit() == 0, "\(nodes[0].process.errorOutput)")
    }
}
