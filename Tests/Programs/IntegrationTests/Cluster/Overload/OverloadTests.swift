import AppStoreSimulator
import Foundation
import Testing

/// Two `perennial serve` processes, of which one gets more to verify than it can.
@Suite(.enabled(if: TestBinary.path != nil, "build the perennial product to run these"))
struct OverloadTests {
    private static let lease = Duration.seconds(5)
    private let cluster: ClusterFixture

    init() async throws {
        self.cluster = try await ClusterFixture(nodes: 2, corpus: SignedCorpus(count: 300, seed: 41))
    }

    @Test(
        "verifying as much as the machine can costs no lease, whoever sends it",
        .timeLimit(.minutes(10)))
    func overloadIsNotDeath() async throws {
        // given: two nodes that have divided the shards among them, and subscriptions in all of them
        let terms = "lease: \(Self.lease.components.seconds)s"
        let nodes = [
            try await self.cluster.start(0, cluster: terms), try await self.cluster.start(1, cluster: terms),
        ]
        try await NodeProcess.untilEvenlyDivided(among: nodes)
        let known = self.cluster.corpus.notifications.filter { $0.status != nil }.prefix(40)
        for notification in known { #expect(try await nodes[1].notify(notification.signedPayload) == 200) }
        let before = try await Ownership(self.cluster.database)

        // when: one is flooded for several leases, while owners are asked
        let overload = try await Overload(self.cluster.corpus.notifications.map(\.signedPayload), for: nodes[0])
        let answers = try await overload.last(connections: 32) {
            let end = ContinuousClock.now + Self.lease * 3
            var answers: [UInt: Int] = [:]
            while .now < end {
                for id in known.compactMap(\.originalTransactionID) {
                    let (status, _) = try await nodes[1].get("/v1/subscriptions/\(id)?consistency=owner")
                    answers[status, default: 0] += 1
                }
            }
            return answers
        }

        // then: it has refused what is forged, and everybody owns what he owned
        #expect(answers.keys.sorted() == [200], "\(answers)")
        let (genuine, forged) = (overload.genuine.statuses, overload.forged.statuses)
        #expect(Set(genuine.keys).subtracting([200, 503]).isEmpty, "\(genuine)")
        #expect(Set(forged.keys).subtracting([422, 503]).isEmpty, "\(forged)")
        #expect(overload.wasHandled, "\(genuine) \(forged)")
        #expect(try await Ownership(self.cluster.database) == before)
        for node in nodes {
            #expect(!node.process.errorOutput.contains("taken for dead"), "\(node.process.errorOutput)")
            node.process.send(SIGTERM)
            #expect(await node.process.waitForExit() == 0, "\(node.process.errorOutput)")
        }
    }
}
