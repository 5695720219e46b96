import AppStore
import Logging
import ServiceContract
import Shards
import Subscriptions
import Waiting

/// Asks Apple about what is doubtful, a few subscriptions at a time.
struct AskWorker: Sendable {
    /// Requests under way at a time; the budget bounds their number a second.
    private static let width = 8
    /// After an answer that did not come.
    private static let shortestRetry = Milliseconds.seconds(30)
    /// Of real time: the clock may run fast.
    private static let pauseWhileRecovering = Duration.milliseconds(100)

    let queue: RecheckQueue
    let accounts: AccountDirectory
    let router: ShardRouter
    let inspector: StreamInspector
    let comparison: StatusComparison
    let past: PastReader
    let tally: ReconciliationTally
    let troubles: AccountTroubles
    let rules: DerivationRules
    let clock: any WallClock

    /// Until it is cancelled.
    func run() async {
        await withTaskGroup(of: Void.self) { group in
            var underWay = 0
            while let question = await self.queue.next() {
                if underWay == Self.width {
                    await group.next()
                    underWay -= 1
                }
                group.addTask { await self.work(on: question) }
                underWay += 1
            }
        }
    }

    private func work(on question: AskSchedule.Question) async {
        guard self.router.parts(of: question.key).isOurs, let client = self.accounts.client(of: question.key) else {
            return self.queue.settle(question)
        }
        // Most of what is missing comes with the history, twenty at a time.
        if self.tally.state(of: client.account) == .recovering {
            try? await Task.sleep(for: Self.pauseWhileRecovering)
            return self.queue.postpone(question, to: self.clock.now + Self.shortestRetry)
        }
        do {
            let reasons = try await self.openReasons(of: question)
            guard let first = reasons.first else { return self.queue.settle(question) }
            // A purchase has no past, and its customer may have made thousands of others.
            if reasons.contains(.firstSeen), question.key.kind == .subscription {
                try await self.past.read(question.key, from: client)
            }
            let result = try await self.comparison.compare(
                question.key, with: client, for: first, urgency: .urgent)
            self.troubles.end(of: client.account)
            guard result.doubt != nil else { return self.queue.settle(question) }
            self.again(question, notBefore: self.clock.now)
        } catch {
            self.troubles.note(error, of: client.account)
            self.again(question, notBefore: self.clock.now + Self.shortestRetry)
        }
    }

    /// Why there is still something to ask: a notification may have answered the rest.
    private func openReasons(of question: AskSchedule.Question) async throws -> [AskReason] {
        let outlook = try await self.inspector.state(of: question.key).flatMap { Outlook($0, rules: self.rules) }
        let now = self.clock.now
        return question.reasons.filter { reason in
            switch reason {
            case .awaitingRenewal, .unheard, .incomplete: outlook?.doubt(at: now) != nil
            case .endedByTime: outlook?.hasEndedByTimeAlone(at: now) == true
            case .anomaly, .firstSeen, .sweep, .request: true
            }
        }
    }

    private func again(_ question: AskSchedule.Question, notBefore earliest: Moment) {
        let due = AskTimes.next(since: question.since, after: self.clock.now, chance: .chance)
        self.queue.postpone(question, to: max(due, earliest))
    }
}
