import Entitlements
package import EventLog
package import ServiceContract
import Subscriptions

/// Says of stored events what they changed. The answers come from the rows that the log keeps beside its events: no state
/// is folded.
package struct ChangeDescriber: Sendable {
    let store: any EventStore

    /// - Parameter events: of any shards; those of one stream in their order.
    package func describe(_ events: some Collection<StoredEvent>) async throws(ServiceError) -> [ChangeView] {
        try await ServiceError.translating {
            var answers: [[UInt8]: CheckAnswer] = [:]
            var changes: [ChangeView] = []
            changes.reserveCapacity(events.count)
            for stored in events {
                var change = ChangeView(event: try EventView(stored), current: try stored.answer)
                if change.current != nil {
                    change.previous =
                        if let known = answers[stored.key] { known } else { try await self.answer(before: stored) }
                    answers[stored.key] = change.current
                }
                changes.append(change)
            }
            return changes
        }
    }

    private func answer(before event: StoredEvent) async throws -> CheckAnswer? {
        guard event.version.rawValue > 1 else { return nil }
        let version = StreamVersion(rawValue: event.version.rawValue - 2)
        return try await self.store.events(of: event.key, in: event.shard, after: version, limit: 1).first?.answer
    }
}

extension StoredEvent {
    /// What a check said when the event was committed.
    fileprivate var answer: CheckAnswer? {
        get throws {
            guard !self.entitlement.isEmpty else { return nil }
            return try EntitlementRow(decoding: self.entitlement).answer(at: Moment(milliseconds: self.at))
        }
    }
}
