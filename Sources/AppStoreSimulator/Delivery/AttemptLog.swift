import Subscriptions

/// The attempts of each notification, for as long as Apple's history remembers them: 180 days.
package struct AttemptLog: Sendable {
    private var attempts: [String: [SendAttempt]] = [:]
    private var expiries = Agenda<String>()

    mutating func record(_ attempt: SendAttempt, of uuid: String) {
        while let (_, old) = self.expiries.next(dueBy: attempt.date) { self.attempts[old] = nil }
        if self.attempts[uuid] == nil { self.expiries.enter(uuid, due: attempt.date + .days(180)) }
        self.attempts[uuid, default: []].append(attempt)
    }

    /// Oldest first; empty for an unknown notification.
    package subscript(uuid: String) -> [SendAttempt] { self.attempts[uuid] ?? [] }
}
