import Testing

/// Three `perennial serve` processes and a PostgreSQL server, to which happens what happens to machines and networks.
@Suite(.serialized, .enabled(if: TestBinary.path != nil, "build the perennial product to run these"))
struct ChaosTests {
    private let cluster: ChaosCluster

    init() async throws { self.cluster = try await ChaosCluster() }

    /// One cluster lives through all of them: as one leaves it, the next one finds it.
    private func expectPromisesKept(through disturbances: [Disturbance]) async throws {
        // given
        try await self.cluster.run {
            var earlier: [Int: History.ShardRows] = [:]
            for disturbance in disturbances {
                // when
                try await self.cluster.live(through: disturbance)
                // then
                let history = try await self.cluster.history(after: earlier)
                earlier = history.shards
                #expect(history.logs.count == self.cluster.members.count, "\(disturbance)")
                #expect(history.violations.isEmpty, "\(disturbance)")
                #expect(self.cluster.load.strange.isEmpty, "\(disturbance)")
                #expect(self.cluster.readers.strange.isEmpty, "\(disturbance)")
            }
        }
        #expect(self.cluster.members.flatMap(\.node.ends).isEmpty)
    }

    @Test(.timeLimit(.minutes(10)))
    func nodesThatEndAndComeBackLoseNothing() async throws {
        try await self.expectPromisesKept(through: [
            .killedAndTakenOver, .killedAndRestarted, .paused, .stopped, .allKilled, .allStopped,
        ])
    }

    @Test(.timeLimit(.minutes(10)))
    func cutNetworksLoseNothing() async throws {
        try await self.expectPromisesKept(through: [.cutOffFromDatabase, .cutOffFromPeers, .cutOffFromAll])
    }

    @Test(.timeLimit(.minutes(10)))
    func aDatabaseThatGoesAwayAndComesBackLosesNothing() async throws {
        try await self.expectPromisesKept(through: [.databaseRestarted, .databaseKilled])
    }
}
