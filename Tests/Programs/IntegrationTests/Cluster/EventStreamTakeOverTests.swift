import AppStoreSimulator
import Foundation
import Testing

/// Server-sent events of three `perennial serve` processes, of which one is killed while somebody listens to it.
@Suite(.enabled(if: TestBinary.path != nil, "build the perennial product to run these"))
struct EventStreamTakeOverTests {
    private let cluster: ClusterFixture

    init() async throws {
        self.cluster = try await ClusterFixture(nodes: 3, corpus: SignedCorpus(count: 600, seed: 37))
    }

    /// The lease is so long that a node which merely gets no processor for a while does not look dead.
    private func start(_ number: Int) async throws -> NodeProcess {
        try await self.cluster.start(number, cluster: "lease: 15s")
    }

    @Test(
        "every version is heard in its order by a listener whose node is killed and who comes back to another one",
        .timeLimit(.minutes(10)))
    func everyVersionIsHeard() async throws {
        // given: a listener at one of three nodes
        let nodes = [try await self.start(0), try await self.start(1), try await self.start(2)]
        try await self.cluster.untilDivided(among: nodes)
        let listener = EventListener()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await listener.follow(nodes[1], then: nodes[0]) }
            defer { group.cancelAll() }
            while !listener.isCaughtUp { try await Task.sleep(for: .milliseconds(20)) }

            // when: that node is killed while notifications come and he hears of them
            for (index, notification) in self.cluster.corpus.notifications.enumerated() {
                if index == 200 {
                    while listener.versions.count == 0 { try await Task.sleep(for: .milliseconds(20)) }
                    #expect(listener.places.count == 1)
                    nodes[1].process.send(SIGKILL)
                }
                while try await nodes[0].notify(notification.signedPayload) != 200 {}
            }
            try await self.cluster.database.untilInboxIsApplied()

            // then: he comes back to where he was, and nothing is missing, nor comes before what was before it
            let lengths = try await nodes[0].streamLengths()
            #expect(lengths.values.contains { $0 > 2 })
            while !listener.versions.areAll(of: lengths) { try await Task.sleep(for: .milliseconds(100)) }
            listener.versions.expectOrder()
            #expect(listener.places.count > 1)
            #expect(listener.places.dropFirst().allSatisfy { $0 != nil })
            #expect(listener.troubles == [])
        }
        for node in [nodes[0], nodes[2]] {
            node.process.send(SIGTERM)
            #expect(await node.process.waitForExit() == 0, "\(node.process.errorOutput)")
        }
    }
}
