import EventLog
import Logging
import Ownership
import ServiceContract
import Subscriptions

/// Records the transitions of a shard's streams when they are due, and late ones when it starts.
struct ShardTimer {
    let shard: ShardID
    let status: ShardStatus
    let watch: ClockWatch
    let queue: ShardQueue
    let store: any EventStore
    let clock: any WallClock
    let batchLimit: Int
    let metrics: RuntimeMetrics
    let logger: Logger

    private var deadline: TimerDeadline { self.status.deadline }

    /// Of real time, whatever `clock` runs on: it spares the store.
    private static let pause = Duration.seconds(1)

    /// Returns when the run ends.
    func run() async {
        var isLate = false
        while true {
            let lifecycle = self.status.lifecycle
            // Another node records what is due, or the next run.
            let isResting = lifecycle.isEnding || lifecycle.applied.epoch == nil
            let reading = isResting ? .nothing : self.deadline.reading
            let isDue = if case .due(let due) = reading { due <= self.clock.now } else { false }
            // What was late need not be so any more: the clock may have been set back.
            if isLate, !isDue { self.metrics.setOverdue(0, of: self.shard) }
            isLate = isDue
            if lifecycle.isEnding { return }
            switch reading {
            case .nothing: await self.deadline.wait()
            case .unknown: await self.attempt { try await self.reload() }
            case .due(let due) where !isDue: await self.deadline.wait(until: due, on: self.clock)
            case .due: await self.attempt { try await self.fire() }
            }
        }
    }

    /// Goes on after a pause when there is something left to do.
    private func attempt(_ work: () async throws -> Bool) async {
        do {
            if try await work() { return }
        } catch {
            self.logger.debug(
                "What is due could not be read",
                metadata: .runtime([.shard: "\(self.shard.rawValue)", .error: "\(error)"]))
        }
        await self.deadline.wait(atMost: Self.pause)
    }

    private func reload() async throws -> Bool {
        try await self.deadline.reload { try await self.store.nextDue(in: self.shard).map(Moment.init(milliseconds:)) }
        return true
    }

    private func fire() async throws -> Bool {
        let due = try await self.store.due(
            in: self.shard, at: self.clock.now.milliseconds, limit: self.batchLimit)
        self.metrics.setOverdue(due.count, of: self.shard)
        guard self.watch.isTrusted else { return false }
        let refused = await self.announce(due.compactMap { StreamKey(bytes: $0.key) })
        self.metrics.setOverdue(refused, of: self.shard)
        guard refused == 0 else { return false }
        return try await self.reload()
    }

    /// - Returns: how many could not be recorded now.
    private func announce(_ keys: [StreamKey]) async -> Int {
        await withTaskGroup(of: SubmissionOutcome.self) { group in
            for key in keys {
                group.addTask {
                    await withCheckedContinuation { waiter in
                        self.queue.enqueue(Command(timerOf: key, waiter: .task(waiter)))
                    }
                }
            }
            return await group.reduce(0) { refused, outcome in
                if case .refused = outcome { refused + 1 } else { refused }
            }
        }
    }
}
