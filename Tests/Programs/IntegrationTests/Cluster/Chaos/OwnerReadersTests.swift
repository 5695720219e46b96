import PerennialTestSupport
import PostgresHarness
import Testing

/// What is asked while a cluster suffers, asked of nodes that lack what the answers rest on.
@Suite(.enabled(if: TestBinary.benchmarks != nil, "build with PERENNIAL_BENCHMARKS=1 to run these"))
struct OwnerReadersTests {
    private static func hasOlderAnswers(_ readers: OwnerReaders) -> Bool {
        History(answers: readers.answers).violations.contains(where: Guard.lease.explains)
    }

    @Test(.timeLimit(.minutes(10)))
    func anOwnerThatAnswersBeyondItsLeaseIsNoticed() async throws {
        // given: two nodes under load, of which the one behind a cable owns all, and keeps it
        let corpus = try await onOwnThread { try SignedCorpus(count: 3_000, seed: 31) }
        let cluster = try await BenchmarkNodes(root: corpus.root, without: .lease, settling: 3_600)
        let cable = try PartitionProxy(to: LoopbackAddress(port: Int(cluster.database.server.port)))
        let owner = SupervisedNode("owner") { try cluster.launch("owner", port: cable.port) }
        let successor = SupervisedNode("successor") { try cluster.launch("successor") }
        let load = ClusterLoad(corpus.notifications, to: [owner, successor])
        let readers = OwnerReaders(corpus.notifications, of: [owner, successor])
        try await withThrowingTaskGroup { group in
            group.addTask { try await owner.supervise() }
            try await SupervisedNode.untilServed(by: [owner])
            group.addTask { try await successor.supervise() }
            group.addTask { try await load.run() }
            group.addTask { try await readers.run() }
            // Also so often that the owner has all of it in memory.
            try await readers.untilAnswered(30, by: [owner, successor])
            #expect(!Self.hasOlderAnswers(readers))
            // when
            cable.cut()
            // then
            while !Self.hasOlderAnswers(readers) { try await Task.sleep(for: .milliseconds(100)) }
            group.cancelAll()
        }
    }
}
