package import AppStore
package import ServiceContract
import Shards
package import Subscriptions
package import Waiting

/// Asks Apple about a subscription or a purchase, records the answer, and says what it changed.
package struct StatusComparison: Sendable {
    let inspector: StreamInspector
    package let recorder: AnswerRecorder
    let rules: DerivationRules
    let clock: any WallClock
    let tally: ReconciliationTally
    let metrics: ReconciliationMetrics

    package struct Result {
        var progress: ReconciliationProgress
        /// What remains doubtful after the answer.
        var doubt: Doubt?
    }

    /// - Throws: `ServiceError` of Apple or of the store; nothing is lost then, and it may be repeated.
    package func compare(
        _ key: StreamKey, with client: ServerAPIClient, for reason: AskReason, urgency: RequestUrgency
    ) async throws -> Result {
        let before = try await self.inspector.state(of: key)
        let recording = try await self.ask(about: key, before, client, urgency)
        let after = try await self.inspector.state(of: key)
        let now = self.clock.now
        var result = Result(
            progress: recording.progress,
            doubt: after.flatMap { Outlook($0, rules: self.rules) }?.doubt(at: now))
        guard recording.named.contains(key) else { return result }
        let drift = self.drift(key, before, after, for: reason, at: now, isOurs: recording.changed.contains(key))
        self.tally.recordComparison(drift, for: reason)
        if let drift { self.metrics.recordDrift(drift.kind, of: key) }
        result.progress.checked = 1
        result.progress.repaired = drift == nil ? 0 : 1
        return result
    }

    /// Only subscriptions have a status. The state of a purchase is its transaction: the one that the answer rests on,
    /// for a restored purchase has several.
    private func ask(
        about key: StreamKey, _ state: StreamState?, _ client: ServerAPIClient, _ urgency: RequestUrgency
    ) async throws -> AnswerRecorder.Recording {
        guard key.kind == .purchase else {
            let statuses = try await client.subscriptionStatuses(of: key.id, statuses: [], urgency: urgency)
            return try await self.recorder.record(statuses, of: client.account)
        }
        let current = state?.snapshot(at: self.clock.now, rules: self.rules)?.transactionID
        let transaction = try await client.transactionInfo(current?.rawValue ?? key.id, urgency: urgency)
        return try await self.recorder.record([transaction], of: client.account)
    }

    /// - Parameter isOurs: the answer has changed something, not a notification that came meanwhile.
    private func drift(
        _ key: StreamKey, _ before: StreamState?, _ after: StreamState?, for reason: AskReason, at now: Moment,
        isOurs: Bool
    ) -> ReconciliationReport.Example? {
        guard isOurs, let new = after?.snapshot(at: now, rules: self.rules) else { return nil }
        let old = before?.snapshot(at: now, rules: self.rules)
        guard let kind = DriftKind(from: old, to: new, at: now) else { return nil }
        return ReconciliationReport.Example(
            key: key, reason: reason, kind: kind, before: old?.state, after: new.state, at: now)
    }
}
