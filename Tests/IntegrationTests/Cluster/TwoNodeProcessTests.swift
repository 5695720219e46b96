import AppStoreSimulator
import Foundation
import PostgresHarness
import Testing

/// Two `perennial serve` processes that divide the shards of one database.
@Suite(.enabled(if: TestBinary.path != nil, "build the perennial product to run these"))
struct TwoNodeProcessTests {
    private let corpus: SignedCorpus
    private let database: PostgresDatabase
    private let directories: [TemporaryDirectory]

    init() async throws {
        self.corpus = try SignedCorpus(count: 300, seed: 11)
        self.database = try PostgresServer.shared().makeDatabase()
        self.directories = try [TemporaryDirectory(), TemporaryDirectory()]
        for directory in self.directories {
            let made = try await PerennialProcess.run("keys", "new", "--out", directory.file("curve.key"))
            try #require(made.status == 0, "\(made.errors)")
        }
    }

    private func start(_ number: Int) async throws -> NodeProcess {
        try await NodeProcess.start(
            in: self.directories[number], root: self.corpus.root,
            sections: """
                node: { id: node-\(number) }
                store: { url: "\(self.database.url)" }
                cluster:
                  bind: "127.0.0.1:0"
                  curveKeyFile: curve.key
                  shards: \(number == 0 ? "0-127" : "128-255")
                """)
    }

    @Test(.timeLimit(.minutes(5)))
    func eitherServesEveryShardAndOneGoesOnWithoutTheOther() async throws {
        // given
        let first = try await self.start(0)
        var second = try await self.start(1)
        let half = self.corpus.notifications.prefix(200)
        // when: notifications come in at both, many at a time
        await withTaskGroup(of: Void.self) { group in
            for (index, notification) in half.enumerated() {
                let node = index.isMultiple(of: 2) ? first : second
                group.addTask { #expect(await (try? node.notify(notification.signedPayload)) == 200) }
            }
        }
        // then: both know all of them, each once
        let sent = Set(half.map(\.uuid))
        for node in [first, second] {
            let uuids = try await node.allEvents().compactMap { $0["notificationUUID"] as? String }
            #expect(Set(uuids) == sent)
            #expect(uuids.count == sent.count)
        }

        // when: one is killed
        second.process.send(SIGKILL)
        _ = await second.process.waitForExit()
        // then: the other serves its own shards, and says so of the rest
        var statuses: [UInt] = []
        for notification in self.corpus.notifications[200..<210] {
            statuses.append(try await first.notify(notification.signedPayload))
        }
        #expect(Set(statuses).isSubset(of: [200, 503]))
        #expect(try await first.get("/readyz").status == 200)

        // when: it comes back as another run of the same node
        second = try await self.start(1)
        for notification in self.corpus.notifications.dropFirst(200) {
            #expect(try await first.notify(notification.signedPayload) == 200)
        }
        // then
        let all = Set(self.corpus.notifications.map(\.uuid))
        for node in [first, second] {
            let uuids = try await node.allEvents().compactMap { $0["notificationUUID"] as? String }
            #expect(Set(uuids) == all)
            #expect(uuids.count == all.count)
        }
        for node in [first, second] {
            node.process.send(SIGTERM)
            #expect(await node.process.waitForExit() == 0, "\(node.process.errorOutput)")
        }
    }
}
