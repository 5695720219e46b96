import AppStoreSimulator
import Foundation
import PerennialTestSupport
import PostgresHarness
import Testing

/// `perennial serve` processes that divide the shards of one database by themselves, and are lost.
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
        let incarnations = [try await self.incarnation(of: 0), try await self.incarnation(of: 1)]
        nodes[1].process.send(SIGSTOP)
        try await self.cluster.untilDivided(among: [nodes[0]])
        nodes[1].process.send(SIGCONT)
        // then: it comes back by itself, in the same process, as another run, which is given its share again
        let back = try await self.untilBack(nodes[1])
        try await self.cluster.untilDivided(among: [nodes[0], back])
        #expect(try await self.incarnation(of: 1) != incarnations[1])
        #expect(try await self.incarnation(of: 0) == incarnations[0])
        #expect(back.comebacks == 1)
        try await self.cluster.expectOnce(self.notifications, on: [nodes[0], back])

        for node in [nodes[0], back] {
            node.process.send(SIGTERM)
            #expect(await node.process.waitForExit() == 0, "\(node.process.errorOutput)")
        }
    }

    /// The newest run of a node, as the store knows it.
    private func incarnation(of number: Int) async throws -> String {
        let database = self.cluster.database
        let rows = try await onOwnThread {
            try database.query("SELECT incarnation FROM node WHERE node_id = 'node-\(number)'")
        }
        return try #require(rows.first)
    }

    /// Waits until a node that was taken for dead has said that it comes back.
    private func untilItComesBack(_ node: NodeProcess) async throws {
        while node.comebacks == 0 {
            try #require(node.process.isRunning, "\(node.process.errorOutput)")
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    /// Waits until it has come back and is ready.
    private func untilBack(_ node: NodeProcess) async throws -> NodeProcess {
        try await self.untilItComesBack(node)
        while true {
            if let back = NodeProcess(listening: node.process) {
                if let status = try? await back.get("/readyz").status, status == 200 { return back }
            }
            try #require(node.process.isRunning, "\(node.process.errorOutput)")
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    @Test(
        "a node that was taken for dead soon after its start waits before it comes back, and can be stopped meanwhile",
        .timeLimit(.minutes(5)))
    func stopsWhileItWaits() async throws {
        // given
        let node = try await self.start(0)
        let database = self.cluster.database
        // when: it is taken for dead, though it beats
        _ = try await onOwnThread {
            try database.query("UPDATE node SET live_epoch = live_epoch + 1, state = 'deposed'")
        }
        try await self.untilItComesBack(node)
        node.process.send(SIGTERM)
        // then: no other run has begun
        #expect(await node.process.waitForExit() == 0, "\(node.process.errorOutput)")
        #expect(NodeProcess(listening: node.process) == nil)
    }

    @Test(
        "a node that comes back while its database is away waits for it, as long as that takes",
        .timeLimit(.minutes(10)))
    func waitsForTheDatabase() async throws {
        // given: a node that was taken for dead
        let server = try await onOwnThread { try PostgresServer() }
        let cluster = try await ClusterFixture(nodes: 1, corpus: self.cluster.corpus, server: server)
        let node = try await cluster.start(0, cluster: "lease: 3s")
        let database = cluster.database
        _ = try await onOwnThread {
            try database.query("UPDATE node SET live_epoch = live_epoch + 1, state = 'deposed'")
        }
        try await self.untilItComesBack(node)
        // when
        try await onOwnThread { try server.stop(.kill) }
        while !node.process.errorOutput.contains("The store cannot be reached: the node waits for it") {
            try #require(node.process.isRunning, "\(node.process.errorOutput)")
            try await Task.sleep(for: .milliseconds(100))
        }
        try await onOwnThread { try server.start() }
        // then
        let back = try await self.untilBack(node)
        let lines = node.process.errorOutput
        #expect(lines.ranges(of: "The store cannot be reached: the node waits for it").count == 1)
        #expect(lines.contains("The store can be reached again"))
        back.process.send(SIGTERM)
        #expect(await back.process.waitForExit() == 0, "\(back.process.errorOutput)")
    }

    @Test("of two processes that call themselves the same, the one that began first ends", .timeLimit(.minutes(5)))
    func doesNotComeBackWhereAnotherHasBegun() async throws {
        // given
        let first = try await self.start(0)
        // when
        let second = try await self.start(0)
        // then
        #expect(await first.process.waitForExit() == 1)
        #expect(first.process.errorOutput.contains("another process has begun as node node-0"))
        #expect(first.comebacks == 0)
        second.process.send(SIGTERM)
        #expect(await second.process.waitForExit() == 0, "\(second.process.errorOutput)")
        #expect(second.comebacks == 0)
    }
}
