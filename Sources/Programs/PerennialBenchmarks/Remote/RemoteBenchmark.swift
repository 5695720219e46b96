import Foundation

/// Commands that run on another node, against messages of the same size through bare libzmq with the same encryption.
struct RemoteBenchmark: Benchmark {
    static let name = "remote"
    static let abstract = "commands run on another node, of messages that bare ZeroMQ sends there and back"

    private static let callers = 1_024
    private static let rounds = 7
    private static let roundLength = Duration.milliseconds(500)

    func run(in workspace: Workspace) async throws -> [Figure] {
        try await RemotePair.run { pair in
            var figures: [Figure] = []
            for (size, name, goal) in [(200, "200 B", 1.0), (2_048, "2 KB", 0.7)] {
                let one = try await self.measure(pair, size: size, shards: 1)
                let few = try await self.measure(pair, size: size, shards: 16)
                let all = try await self.measure(pair, size: size, shards: RemotePair.shardCount)
                figures += [
                    Figure(
                        "remote commands of \(name) to a shard (baseline: bare libzmq)", one.subject, "1/s",
                        baseline: one.baseline, ratio: one.ratio, goal: .ratioAtLeast(goal)),
                    Figure(
                        "the same, to 16 shards", few.subject, "1/s", baseline: few.baseline, ratio: few.ratio),
                    Figure(
                        "the same, to 256 shards", all.subject, "1/s", baseline: all.baseline, ratio: all.ratio),
                ]
                guard size == 200 else { continue }
                for (result, shards) in [(one, 1), (few, 16), (all, RemotePair.shardCount)] {
                    figures.append(
                        Figure(
                            "processor time of such a command, both sides, shards: \(shards)",
                            result.processorTime / .microseconds(1), "µs", goal: .valueAtMost(12)))
                }
            }
            return figures
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
