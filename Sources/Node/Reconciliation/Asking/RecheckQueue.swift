package import ServiceContract
package import Shards
package import Subscriptions
import Synchronization
import Waiting

/// The node's questions to Apple about single subscriptions: shards put them in, one worker takes them out.
package final class RecheckQueue: DoubtListener {
    private let schedule: Mutex<AskSchedule>
    private let wake = AsyncEvent()
    private let clock: any WallClock

    /// Subscriptions that a node remembers; one takes about 300 bytes.
    private static let limit = 100_000

    package init(clock: any WallClock) {
        self.clock = clock
        self.schedule = Mutex(AskSchedule(limit: Self.limit))
    }

    package var count: Int { self.schedule.withLock { $0.count } }

    /// Whoever waits for Apple's word of a renewal or an end is asked about as `AskTimes` has it: mostly it is on its way.
    /// The rest soon, and not all at once.
    package func raise(_ key: StreamKey, _ reason: AskReason) {
        let now = self.clock.now
        switch reason {
        case .awaitingRenewal, .unheard, .endedByTime:
            self.raise(key, reason, since: now, due: AskTimes.next(since: now, after: now, chance: .chance))
        case .anomaly, .incomplete, .sweep:
            self.raise(key, reason, since: now, due: now + Milliseconds.seconds(1).part)
        case .firstSeen, .request: self.raise(key, reason, since: now, due: now)
        }
    }

    /// A look at the store has come across it: asked about within `time`, unless that is planned already.
    func find(_ key: StreamKey, _ reason: AskReason, within time: Milliseconds) {
        let now = self.clock.now
        let due = now + time.part
        self.schedule.withLock { $0.find(key, reason, since: now, due: due) }
        self.wake.signal()
    }

    private func raise(_ key: StreamKey, _ reason: AskReason, since: Moment, due: Moment) {
        let isNext = self.schedule.withLock { schedule in
            let before = schedule.nextDue
            schedule.raise(key, reason, since: since, due: due)
            return schedule.nextDue != before
        }
        if isNext { self.wake.signal() }
    }

    /// Waits until a question is due. One task at a time.
    /// - Returns: nil when the task is cancelled.
    func next() async -> AskSchedule.Question? {
        while !Task.isCancelled {
            let now = self.clock.now
            let (question, due) = self.schedule.withLock { ($0.next(at: now), $0.nextDue) }
            if let question { return question }
            await self.wait(until: due)
        }
        return nil
    }

    func settle(_ question: AskSchedule.Question) {
        self.schedule.withLock { $0.settle(question) }
        self.wake.signal()
    }

    func postpone(_ question: AskSchedule.Question, to due: Moment) {
        self.schedule.withLock { $0.postpone(question, to: due) }
        self.wake.signal()
    }

    private func wait(until due: Moment?) async {
        guard let due else { return await self.wake.waitUnlessCancelled() }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.wake.waitUnlessCancelled() }
            group.addTask { try? await self.clock.sleep(until: due) }
            await group.next()
            group.cancelAll()
        }
    }
}

extension Milliseconds {
    /// Some of it, by chance.
    fileprivate var part: Milliseconds { Milliseconds(rawValue: Int64(Double(self.rawValue) * .chance)) }
}

extension Double {
    /// 0..<1.
    static var chance: Double { .random(in: 0..<1) }
}
