import AppStoreSimulator
import Foundation
import Testing

/// Two `perennial serve` processes that divide the shards of one database.
@Suite(.enabled(if: TestBinary.path != nil, "build the perennial product to run these"))
struct TwoNodeProcessTests {
    private let cluster: ClusterFixture
    private var notifications: [SignedNotification] { self.cluster.corpus.notifications }

    init() async throws {
        self.cluster = try await ClusterFixture(nodes: 2, corpus: SignedCorpus(count: 300, seed: 11))
    }

    private func start(_ number: Int) async throws -> NodeProcess {
        try await self.cluster.start(number, cluster: "shards: \(number == 0 ? "0-127" : "128-255")")
    }

    @Test(.timeLimit(.minutes(5)))
    func eitherServesEveryShardAndOneGoesOnWithoutTheOther() async throws {
        // given
        let first = try await self.start(0)
        var second = try await self.start(1)
        let half = self.notifications.prefix(200)
        // when: notifications come in at both, many at a time
        await withTaskGroup(of: Void.self) { group in
            for (index, notification) in half.enumerated() {
                let node = index.isMultiple(of: 2) ? first : second
                group.addTask { #expect(await (try? node.notify(notification.signedPayload)) == 200) }
            }
        }
        // then: both know all of them, each once
        try await self.cluster.expectOnce(half, on: [first, second])

        // when: one is killed
        second.process.send(SIGKILL)
        _ = await second.process.waitForExit()
        // then: the other serves its own shards, and says so of the rest
        var statuses: [UInt] = []
        for notification in self.notifications[200..<210] {
            statuses.append(try await first.notify(notification.signedPayload))
        }
        #expect(Set(statuses).isSubset(of: [200, 503]))
        #expect(try await first.get("/readyz").status == 200)

        // when: it comes back as another run of the same node
        second = try await self.start(1)
        for notification in self.notifications.dropFirst(200) {
            #expect(try await first.notify(notification.signedPayload) == 200)
        }
        // then
        try await self.cluster.expectOnce(self.notifications, on: [first, second])
        for node in [first, second] {
            node.process.send(SIGTERM)
            #expect(await node.process.waitForExit() == 0, "\(node.process.errorOutput)")
        }
    }
}
