import AppStoreSimulator
import Foundation
import Testing

/// Three `perennial serve` processes that mirror each other's shards, of which two are lost one after the other while
/// `local` checks go on.
@Suite(.enabled(if: TestBinary.path != nil, "build the perennial product to run these"))
struct MirrorTests {
    private let cluster: ClusterFixture
    private let question: CheckQuestion

    init() async throws {
        self.cluster = try await ClusterFixture(nodes: 3, corpus: SignedCorpus(count: 600, seed: 29))
        let ids = Set(self.cluster.corpus.notifications.compactMap(\.originalTransactionID)).sorted()
        self.question = CheckQuestion(ids)
    }

    private func start(_ number: Int) async throws -> NodeProcess {
        // The lease is so long that what a lost node owned is nobody's for a while.
        try await self.cluster.start(number, cluster: "lease: 15s", publishes: true)
    }

    /// Asks again and again, until `isOver` of all answers so far: each of them has to be one.
    private func watch(
        _ node: NodeProcess, expecting results: [NSDictionary],
        until isOver: (CheckQuestion.Answer) async throws -> Bool
    )
        async throws
    {
        while true {
            let answer = try await self.question.ask(node, "local")
            #expect(answer.results == results)
            if try await isOver(answer) { return }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// Asks until there is an answer: a busy machine may need longer for the copy than a question waits.
    private func untilAnswered(by node: NodeProcess, atLeast token: String) async throws -> CheckQuestion.Answer {
        while true {
            if let answer = try? await self.question.ask(node, "local", atLeast: token) { return answer }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    @Test(
        "local checks are answered by every node, without an error, while the others are lost", .timeLimit(.minutes(10))
    )
    func answersGoOn() async throws {
        // given: three nodes that hold the same, each of them the owner of a part
        let nodes = [try await self.start(0), try await self.start(1), try await self.start(2)]
        try await self.cluster.untilDivided(among: nodes)
        for notification in self.cluster.corpus.notifications {
            while try await nodes[0].notify(notification.signedPayload) != 200 {}
        }
        try await self.cluster.database.untilInboxIsApplied()
        for node in nodes { try await self.question.untilMirrored(node) }
        let results = try await self.question.ask(nodes[0], "owner").results
        #expect(results.contains { ($0["version"] as? Int ?? 0) > 1 })

        // when: one stands still, so that only the end of its lease tells of it
        nodes[2].process.send(SIGSTOP)
        // then: the others go on with what they have, say that it may be old, and once somebody owns it that it is not
        var wasStale = false
        var last = ContinuousClock.now
        var longestPause = Duration.zero
        try await self.watch(nodes[0], expecting: results) { answer in
            wasStale = wasStale || answer.stale
            longestPause = max(longestPause, .now - last)
            last = .now
            guard !wasStale else { return true }
            let owned = [try await nodes[0].ownedShards(), try await nodes[1].ownedShards()]
            return owned.reduce(0, +) == NodeProcess.shardCount
        }
        // A machine may be too busy to ask while nobody owns it; it is stale from 2 s to 15 s after the last beat.
        #expect(wasStale || longestPause > .seconds(3))
        try await self.watch(nodes[0], expecting: results) { !$0.stale }
        try await self.watch(nodes[1], expecting: results) { !$0.stale }

        // when: another is stopped
        nodes[1].process.send(SIGTERM)
        // then
        var isGone = false
        try await self.watch(nodes[0], expecting: results) { answer in
            isGone = isGone || !nodes[1].process.isRunning
            return isGone && !answer.stale
        }
        // and a token is honoured by whoever comes back
        let token = try await self.question.ask(nodes[0], "owner").token
        let back = try await self.start(1)
        #expect(try await self.untilAnswered(by: back, atLeast: token).results == results)

        nodes[0].process.send(SIGTERM)
        #expect(await nodes[0].process.waitForExit() == 0, "\(nodes[0].process.errorOutput)")
    }
}
