import Foundation
import PerennialTestSupport
import PostgresHarness
import Testing

extension ChaosCluster {
    /// Disturbs, waits for what follows from it, and mends what was broken.
    func suffer(_ disturbance: Disturbance) async throws {
        let (victim, others) = try await self.chosen()
        switch disturbance {
        case .killedAndRestarted:
            victim.node.kill()
        case .killedAndTakenOver:
            victim.node.keepDown()
            try await self.goOn(with: others)
            victim.node.resume()
        case .paused:
            victim.node.send(SIGSTOP)
            try await self.goOn(with: others)
            victim.node.send(SIGCONT)
        case .stopped:
            #expect(await victim.node.stop() == 0)
            try await self.goOn(with: others)
            victim.node.resume()
        case .cutOffFromPeers:
            try await self.untilConnected(victim, others)
            self.cutOffFromPeers(victim, others)
            try await Task.sleep(for: Self.longerThanSilence)
            try await self.until(503, by: victim)
            self.heal()
        case .cutOffFromDatabase:
            victim.toDatabase.cut()
            try await self.goOn(with: others)
            self.heal()
        case .cutOffFromAll:
            victim.toDatabase.cut()
            self.cutOffFromPeers(victim, others)
            try await self.goOn(with: others)
            self.heal()
        case .databaseRestarted:
            try await self.stopDatabase(.fast, for: .zero)
        case .databaseKilled:
            try await self.stopDatabase(.kill, for: Self.longerThanSilence)
        case .allKilled:
            for member in self.members { member.node.kill() }
        case .allStopped:
            #expect(await self.stopAll() == self.members.map { _ in 0 })
            try await Task.sleep(for: Self.longerThanSilence)
            for member in self.members { member.node.resume() }
        }
    }

    /// Than the lease, and than peers keep a connection that says nothing.
    private static let longerThanSilence = Duration.seconds(5)

    private func chosen() async throws -> (victim: Member, others: [Member]) {
        var owned: [Int] = []
        for member in self.members { owned.append(await member.node.ownedShards()) }
        let index = try #require(owned.indices.max { owned[$0] < owned[$1] })
        return (self.members[index], self.members.indices.filter { $0 != index }.map { self.members[$0] })
    }

    /// Waits until the others own all shards and serve some.
    private func goOn(with others: [Member]) async throws {
        try await self.untilServed(by: others)
        try await self.untilUsed(by: others)
    }

    /// All at once.
    /// - Returns: their exit codes.
    private func stopAll() async -> [Int32] {
        await withTaskGroup { group in
            for member in self.members { group.addTask { await member.node.stop() } }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    /// Waits until there is something to cut in both directions.
    private func untilConnected(_ victim: Member, _ others: [Member]) async throws {
        func isConnected(_ from: Member, _ to: Member) -> Bool {
            from.node.identifier.map { to.fromPeers.connections(from: $0) > 0 } ?? false
        }
        while !(others.contains { isConnected($0, victim) } && others.contains { isConnected(victim, $0) }) {
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    private func cutOffFromPeers(_ victim: Member, _ others: [Member]) {
        victim.fromPeers.cut()
        guard let process = victim.node.identifier else { return }
        for other in others { other.fromPeers.cut(from: process) }
    }

    private func heal() {
        for member in self.members {
            member.toDatabase.heal()
            member.fromPeers.heal()
        }
    }

    private func stopDatabase(_ manner: PostgresServer.Stop, for pause: Duration) async throws {
        let server = self.server
        try await onOwnThread { try server.stop(manner) }
        try await Task.sleep(for: pause)
        try await onOwnThread { try server.start() }
    }
}
