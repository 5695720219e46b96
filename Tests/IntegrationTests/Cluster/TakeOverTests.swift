import AppStoreSimulator
import Foundation
import PostgresHarness
import Testing

/// Three `perennial serve` processes that divide the shards of one database by themselves, of which two are lost.
@Suite(.enabled(if: TestBinary.path != nil, "build the perennial product to run these"))
struct TakeOverTests {
    private static let shardCount = 256

    private let corpus: SignedCorpus
    private let database: PostgresDatabase
    private let directories: [TemporaryDirectory]

    init() async throws {
        self.corpus = try SignedCorpus(count: 300, seed: 23)
        self.database = try PostgresServer.shared().makeDatabase()
        self.directories = try (0..<3).map { _ in try TemporaryDirectory() }
        for directory in self.directories {
            let made = try await PerennialProcess.run("keys", "new", "--out", directory.file("curve.key"))
            try #require(made.status == 0, "\(made.errors)")
        }
    }

    /// The lease is so long that a node which merely gets no processor for a while does not look dead.
    private func start(_ number: Int) async throws -> NodeProcess {
        try await NodeProcess.start(
            in: self.directories[number], root: self.corpus.root,
            sections: """
                node: { id: node-\(number) }
                store: { url: "\(self.database.url)" }
                cluster: { bind: "127.0.0.1:0", curveKeyFile: curve.key, lease: 15s }
                """)
    }

    /// Waits until each of `nodes` owns some of the shards, and together they own all.
    private func untilDivided(among nodes: [NodeProcess]) async throws {
        while true {
            var owned: [Int] = []
            for node in nodes { owned.append(try await self.ownedCount(node)) }
            if owned.allSatisfy({ $0 > 0 }), owned.reduce(0, +) == Self.shardCount { return }
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    private func ownedCount(_ node: NodeProcess) async throws -> Int {
        let metrics = String(decoding: try await node.get("/metrics").body, as: UTF8.self)
        let line = metrics.firstMatch(of: /(?m)^perennial_shards_owned ([0-9]+)/)
        return line.flatMap { Int($0.output.1) } ?? 0
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

    private func expectAllOnce(on nodes: [NodeProcess]) async throws {
        let sent = Set(self.corpus.notifications.map(\.uuid))
        for node in nodes {
            let uuids = try await node.allEvents().compactMap { $0["notificationUUID"] as? String }
            #expect(Set(uuids) == sent)
            #expect(uuids.count == sent.count)
        }
    }

    @Test(
        "the shards of a node that is killed, or stopped, are served by the others, and nothing is lost",
        .timeLimit(.minutes(5)))
    func othersTakeOver() async throws {
        // given: three nodes that have divided the shards among them
        let nodes = [try await self.start(0), try await self.start(1), try await self.start(2)]
        try await self.untilDivided(among: nodes)
        await self.notifyAll(self.corpus.notifications.prefix(150), nodes)

        // when: one is killed while notifications come in
        nodes[2].process.send(SIGKILL)
        await self.notifyAll(self.corpus.notifications.dropFirst(150), [nodes[0], nodes[1]])
        // then
        try await self.untilDivided(among: [nodes[0], nodes[1]])
        try await self.expectAllOnce(on: [nodes[0], nodes[1]])

        // when: one of the two is stopped for longer than its lease, and goes on
        nodes[1].process.send(SIGSTOP)
        try await self.untilDivided(among: [nodes[0]])
        nodes[1].process.send(SIGCONT)
        // then: it ends by itself, and the last one answers for all
        #expect(await nodes[1].process.waitForExit() == 1)
        #expect(nodes[1].process.errorOutput.contains("taken this one for dead"))
        try await self.expectAllOnce(on: [nodes[0]])

        nodes[0].process.send(SIGTERM)
        #expect(await nodes[0].process.waitForExit() == 0, "\(nodes[0].process.errorOutput)")
    }
}
