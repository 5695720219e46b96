import AppStoreSimulator
import Foundation
import Testing

/// Three `perennial serve` processes whose database is lost, and taken over by its standby.
@Suite(.serialized, .enabled(if: TestBinary.path != nil, "build the perennial product to run these"))
struct FailoverTests {
    private let cluster: FailoverCluster
    private var nodes: [SupervisedNode] { self.cluster.nodes }

    init() async throws { self.cluster = try await FailoverCluster() }

    @Test("a standby that has every commit takes over, and nothing is lost, and nobody ends", .timeLimit(.minutes(10)))
    func losesNothing() async throws {
        try await SupervisedNode.run(self.nodes) {
            // given
            try await self.cluster.waitForStandby()
            let kept = try await withThrowingTaskGroup { group in
                group.addTask { try await self.cluster.load.run() }
                group.addTask { try await self.cluster.readers.run() }
                try await self.cluster.untilUsed()
                // when
                let kept = try await self.cluster.losePrimary()
                try await self.cluster.promoteStandby()
                try await SupervisedNode.untilServed(by: self.nodes)
                try await self.cluster.untilUsed()
                self.cluster.load.end()
                self.cluster.readers.end()
                try await group.waitForAll()
                return kept
            }
            // then
            let history = try await self.cluster.history(after: kept)
            #expect(history.logs.count == self.nodes.count)
            #expect(history.violations.isEmpty)
            #expect(self.cluster.load.strange.isEmpty)
            #expect(self.cluster.readers.strange.isEmpty)
        }
        #expect(self.nodes.flatMap(\.ends).isEmpty)
    }

    @Test(
        "a standby that lacks commits takes over: who knows more ends, and what was told of it is not taken for something else",
        .timeLimit(.minutes(10)))
    func goesBackWithTheLog() async throws {
        try await SupervisedNode.run(self.nodes) {
            // given
            let told = try await self.tellWhatWillBeLost()
            // when
            let owners = try await self.cluster.first.shardOwners()
            let known = try await self.cluster.rowsOfPrimary()
            let kept = try await self.cluster.losePrimary()
            let rewound = known.filter { $0.value.head > kept[$0.key]?.head ?? 0 }.keys
            // Who was given a shard in what is lost lets go of it, and goes on.
            let remaining = try await self.cluster.second.shardOwners()
            let losers = Set(rewound.filter { owners[$0] == remaining[$0] }.compactMap { owners[$0]?.node })
            try #require(!losers.isEmpty)
            try await self.cluster.promoteStandby()
            // then: whoever knows what is lost says so and ends, and comes back
            while self.nodes.contains(where: { losers.contains($0.name) && $0.ends.isEmpty }) {
                try await Task.sleep(for: .milliseconds(50))
            }
            try await SupervisedNode.untilServed(by: self.nodes)
            for end in self.nodes.flatMap(\.ends) {
                #expect(end.status != 0)
                #expect(end.errors.contains("the store has lost what it had confirmed"), "\(end.errors)")
            }
            // and: what it told is refused by all
            for node in self.nodes {
                let node = try #require(node.node)
                // A store that has just been promoted may take longer than a question waits.
                while try await told.refusals(of: node).contains(503) { try Task.checkCancellation() }
                #expect(try await told.refusals(of: node) == [409, 409, 409])
            }
            // when: what is lost comes once more
            let log = try await self.cluster.history(after: kept).logs.values.first ?? []
            let lost = self.cluster.load.acknowledged.subtracting(log.compactMap(\.notification))
            #expect(!lost.isEmpty)
            for notification in self.cluster.notifications where lost.contains(notification.uuid) {
                try await self.deliver(notification)
            }
            // then: it is taken, and everything is there once
            let history = try await self.cluster.history(after: kept)
            #expect(history.logs.count == self.nodes.count)
            #expect(history.violations.isEmpty)
            #expect(self.cluster.load.strange.isEmpty)
        }
    }

    /// Has notifications acknowledged that the standby does not hear of.
    private func tellWhatWillBeLost() async throws -> Told {
        try await self.cluster.untilDivided()
        try await withThrowingTaskGroup { group in
            group.addTask { try await self.cluster.load.run() }
            try await self.cluster.load.untilAcknowledged(50)
            self.cluster.replication.cut()
            try await self.cluster.load.untilAcknowledged(50)
            self.cluster.load.end()
            try await group.waitForAll()
        }
        try await self.cluster.first.untilInboxIsApplied()
        let subscriptions = Set(
            self.cluster.notifications.filter { self.cluster.load.sent.contains($0.uuid) }
                .compactMap(\.originalTransactionID))
        let node = try #require(self.nodes[0].node)
        while true {
            if let told = try? await Told(by: node, of: subscriptions.sorted()) { return told }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    private func deliver(_ notification: SignedNotification) async throws {
        while true {
            for node in self.nodes where (try? await node.node?.notify(notification.signedPayload)) == 200 { return }
            try await Task.sleep(for: .milliseconds(50))
        }
    }
}
