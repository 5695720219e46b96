import Foundation

/// Commands that run on another node, against messages of the same size through bare libzmq with the same encryption.
struct RemoteBenchmark: Benchmark {
    static let name = "remote"
    static let abstract = "commands run on another node, of messages that bare ZeroMQ sends there and back"

    private static let callers = 1_024
    /// Over which the commands are spread evenly. Those of one shard share calls.
    private static let shards = 16
    private static let rounds = 9
    private static let roundLength = Duration.milliseconds(500)

    func run(in workspace: Workspace) async throws -> [Figure] {
        try await RemotePair.run { pair in
            let small = try await self.measure(pair, size: 200, shards: Self.shards)
            let large = try await self.measure(pair, size: 2_048, shards: Self.shards)
            let scattered = try await self.measure(pair, size: 200, shards: RemotePair.shardCount)
            return [
                Figure(
                    "remote commands at 200 B (baseline: bare libzmq)", small.subject, "1/s", baseline: small.baseline,
                    ratio: small.ratio, goal: .ratioAtLeast(1.0)),
                Figure(
                    "remote commands at 2 KB (baseline: bare libzmq)", large.subject, "1/s", baseline: large.baseline,
                    ratio: large.ratio, goal: .ratioAtLeast(0.7)),
                Figure(
                    "processor time of a remote command, both sides", small.processorTime / .microseconds(1), "µs",
                    goal: .valueAtMost(12)),
                Figure(
                    "remote commands at 200 B, spread over all shards", scattered.subject, "1/s",
                    baseline: scattered.baseline, ratio: scattered.ratio),
            ]
        }
    }

    private struct Result {
        var subject: Double
        var baseline: Double
        var ratio: Double
        /// Of one command.
        var processorTime: Duration
    }

    private func measure(_ pair: RemotePair, size: Int, shards: Int) async throws -> Result {
        let bare = try BareExchange(size: size, window: Self.callers)
        // Not counted: connecting, and whatever is made at the first call.
        _ = try await pair.exchange(size: size, shards: shards, callers: Self.callers, for: Self.roundLength)
        _ = try await bare.exchange(for: Self.roundLength)
        var subjects: [Double] = []
        var baselines: [Double] = []
        var times: [Duration] = []
        for _ in 0..<Self.rounds {
            let before = try Self.processorTime
            let start = ContinuousClock.now
            let count = try await pair.exchange(
                size: size, shards: shards, callers: Self.callers, for: Self.roundLength)
            subjects.append(Double(count) / (.now - start).seconds)
            let after = try Self.processorTime
            times.append((after - before) / count)
            baselines.append(try await bare.exchange(for: Self.roundLength))
        }
        return Result(
            subject: subjects.median(), baseline: baselines.median(),
            ratio: zip(subjects, baselines).map { $0 / $1 }.median(), processorTime: times.median())
    }

    /// Of all threads of this process so far.
    private static var processorTime: Duration {
        get throws { try ProcessUse(of: ProcessInfo.processInfo.processIdentifier).processorTime }
    }
}
