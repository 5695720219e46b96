import Foundation
import Mirroring
import Ownership
import SubscriptionService

/// A mirror that follows a node as another node's does: encrypted, over TCP on this machine.
struct FollowBenchmark: Benchmark {
    static let name = "follow"
    static let abstract =
        "a mirror that follows a node of 1,000,000 subscriptions: when it is ready, how far it is behind"

    private static let subscriptions = 1_000_000
    private static let changesPerSecond = 1_000
    private static let seconds = 10
    /// Changes that are made at once.
    private static let burst = 10

    func run(in workspace: Workspace) async throws -> [Figure] {
        let seeded = try await workspace.store(seeded: Self.subscriptions)
        let traffic = try await VerifiedTraffic(
            count: Self.changesPerSecond * Self.seconds, authority: workspace.supplies.authority)
        return try await FollowedNode.run(on: seeded.path) { node in
            // It counts its subscriptions by itself, which is no part of this.
            try await ProcessUse.untilIdle(getpid())
            workspace.say("  the node serves")
            return try await node.follow { mirror in
                let start = ContinuousClock.now
                let shards = mirror.map.shards
                try await Patience.until("a mirror has all") { shards.allSatisfy(mirror.hasAll) }
                let ready = ContinuousClock.now - start
                guard mirror.count >= Self.subscriptions else { throw BenchmarkError("the mirror lacks some") }
                workspace.say("  the mirror is ready, and things begin to change")
                try await Self.change(traffic, on: node)
                let delays = try await node.delays()
                return [
                    Figure("a mirror of 1,000,000 is ready", ready.seconds, "s", goal: .valueAtMost(5)),
                    Figure("a commit is visible on a mirror, median", delays.median() / .milliseconds(1), "ms"),
                    Figure(
                        "a commit is visible on a mirror, p99",
                        delays.sorted()[delays.count * 99 / 100] / .milliseconds(1),
                        "ms", goal: .valueAtMost(10)),
                ]
            }
        }
    }

    /// At an even pace, whatever the answers take.
    private static func change(_ traffic: VerifiedTraffic, on node: FollowedNode) async throws {
        let start = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, submission) in traffic.submissions.enumerated() {
                if number.isMultiple(of: Self.burst) {
                    try await Task.sleep(until: start + .seconds(1) / Self.changesPerSecond * number)
                }
                group.addTask { _ = try await node.service.record(submission) }
            }
            try await group.waitForAll()
        }
    }
}
