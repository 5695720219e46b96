import Clustering
import EventSourcing
import Foundation
import Synchronization
import Testing
import WireProtocol
import ZeroMQ

@Suite(.timeLimit(.minutes(10))) struct BackPressureTests {
    /// Its thread stands still, its connections do not break: a socket that accepts and never reads.
    @Test func aPeerThatReadsNothingCostsABoundedAmount() async throws {
        try await TestCluster.run { cluster in
            // given: a listener that is a node by its record, and whose application reads nothing
            let caller = try await cluster.start("caller") { configuration in
                configuration.callBytes = 4 << 20
                configuration.callTimeout = .seconds(2)
            }
            let keys = try CurveKeyPair()
            let stalled = try await StalledPeer(keys: keys)
            let record = NodeRecord(
                id: NodeID(rawValue: "stalled"), incarnation: Incarnation(rawValue: 5), endpoint: stalled.endpoint,
                curveKeys: [keys.publicKey])
            try cluster.store.register(record)
            _ = cluster.store.claim(
                ShardClaim(
                    [ShardID(rawValue: 0)],
                    for: ShardRecord.Owner(node: record.id, incarnation: record.incarnation)))
            await cluster.refresh()
            // when: 100 MB of calls
            let codes = await withTaskGroup(of: ClusterError.Code?.self) { group in
                for _ in 0..<1_600 {
                    group.addTask {
                        do {
                            _ = try await caller.worker(0).echo(Bytes([UInt8](repeating: 1, count: 64 << 10)))
                            return nil
                        } catch {
                            return (error as? ClusterError)?.code
                        }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            // then: 64 of them are 4 MB; those above were told at once, and the others at their deadline
            #expect(codes.count { $0 == .deadlineExceeded } <= 64)
            #expect(codes.count { $0 == .overloaded } >= 1_600 - 64)
            #expect(!codes.contains(nil))
            withExtendedLifetime(stalled) {}
        }
    }

    /// Its answers are not read until there are more than may wait; then they are.
    @Test func aPeerThatReadsLateHearsOfEachCall() async throws {
        try await TestCluster.run { cluster in
            // given
            let owner = try await cluster.start("owner", owning: [0]) { $0.callBytes = 32 << 20 }
            let other = try await cluster.start("other")
            let keys = try CurveKeyPair()
            let record = NodeRecord(
                id: NodeID(rawValue: "slow"), incarnation: Incarnation(rawValue: 77), curveKeys: [keys.publicKey])
            try cluster.store.register(record)
            await cluster.refresh()
            let slow = try await SlowReader(to: owner, keys: keys, record: record)
            // when: answers of 64 KiB, of which 16 MB may wait and about as much is in sockets
            let calls = 1_500
            try slow.call(calls, of: 64 << 10)
            _ = try await other.worker(0).echo(Bytes([1]))
            // then: once all have run, it waits without turning in circles, which would be thousands of turns a second
            var turnsPerSecond = Double.infinity
            while turnsPerSecond > 100 {
                let start = ContinuousClock.now
                let turns = owner.node.reactorTurns
                try await Task.sleep(for: .milliseconds(500))
                turnsPerSecond = Double(owner.node.reactorTurns - turns) / ((.now - start) / .seconds(1))
            }
            let replies = try slow.read(calls)
            #expect(replies.count == calls)
            #expect(Set(replies.map(\.id)).count == calls)
            let answered = replies.count { reply in
                if case .value(let value) = reply.outcome { value.count == 64 << 10 } else { false }
            }
            let told = replies.count { reply in
                guard case .failure(let failure) = reply.outcome else { return false }
                // It was not run, or it was and its answer had no room.
                return failure.code == .overloaded || failure.code == .thrown
            }
            #expect(answered + told == calls)
            #expect(answered >= 16 << 20 / (64 << 10))
        }
    }
}
