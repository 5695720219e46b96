import AppStore
import Subscriptions

/// Asks Apple about a subscription, records the answer, and says what it changed.
struct StatusComparison: Sendable {
    let inspector: StreamInspector
    let recorder: AnswerRecorder
    let rules: DerivationRules
    let clock: any WallClock
    let tally: ReconciliationTally
    let metrics: ReconciliationMetrics

    struct Result {
        var progress: ReconciliationProgress
        /// What remains doubtful after the answer.
        var doubt: Doubt?
    }

    /// - Throws: `ServiceError` of Apple or of the store; nothing is lost then, and it may be repeated.
    func compare(
        _ key: StreamKey, with client: ServerAPIClient, for reason: AskReason, urgency: RequestUrgency
    ) async throws -> Result {
        let before = try await self.inspector.state(of: key)
        let statuses = try await client.subscriptionStatuses(of: key.id, statuses: [], urgency: urgency)
        let recording = try await self.recorder.record(statuses, of: client.account)
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
