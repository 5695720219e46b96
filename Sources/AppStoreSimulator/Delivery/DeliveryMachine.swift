package import Subscriptions

/// What is to be sent when, what became of it, and what follows. It sends nothing itself and reads no clock.
package struct DeliveryMachine: Sendable {
    /// A try that is to be made now.
    package struct Delivery: Hashable, Sendable {
        package let notification: SignedNotification
        /// How many attempts there were before.
        package let attempts: Int
        let isRepetition: Bool

        package init(_ notification: SignedNotification, attempts: Int = 0) {
            self.init(notification, attempts: attempts, isRepetition: false)
        }

        fileprivate init(_ notification: SignedNotification, attempts: Int, isRepetition: Bool) {
            self.notification = notification
            self.attempts = attempts
            self.isRepetition = isRepetition
        }
    }

    private var agenda = Agenda<Delivery>()
    /// When each notification that is not done is due next.
    package private(set) var unfinished: [String: Unfinished] = [:]
    package private(set) var attempts = AttemptLog()
    package private(set) var counts: SimulatorStatistics
    private let pauses: [Milliseconds]
    private let disturbances: Disturbances
    private let seed: UInt64

    package struct Unfinished: Hashable, Sendable, Codable {
        package let attempts: Int
        /// Milliseconds since 1970.
        package let due: Int64

        package init(attempts: Int, due: Int64) {
            self.attempts = attempts
            self.due = due
        }
    }

    package init(environment: AppStoreEnvironment, disturbances: Disturbances = Disturbances(), seed: UInt64 = 1) {
        self.pauses = environment == .production ? [1, 12, 24, 48, 72].map { .hours($0) } : []
        self.disturbances = disturbances
        self.seed = seed
        self.counts = SimulatorStatistics(now: .distantPast)
    }

    /// When the next attempt is due.
    package var nextDue: Moment? { self.agenda.nextDue }

    /// A new notification; it is due when it is signed, unless it is to be late.
    package mutating func enter(_ notification: SignedNotification) {
        self.counts.notifications += 1
        var random = self.chance(for: notification, attempt: 0)
        let due = notification.signedDate + self.disturbances.lateness(&random)
        self.wait(Delivery(notification), until: due)
    }

    /// One that was not done when the simulation last stopped.
    package mutating func reenter(_ notification: SignedNotification, as unfinished: Unfinished) {
        self.counts.notifications += 1
        self.wait(
            Delivery(notification, attempts: unfinished.attempts), until: Moment(milliseconds: unfinished.due))
    }

    /// The next attempt that is due and not lost; the caller makes it and then calls `settle`.
    package mutating func next(at now: Moment) -> Delivery? {
        while let (_, delivery) = self.agenda.next(dueBy: now) {
            var random = self.chance(for: delivery.notification, attempt: delivery.attempts + 1)
            guard !delivery.isRepetition, self.disturbances.loses(&random) else { return delivery }
            self.counts.lost += 1
            self.settle(delivery, .timedOut, at: now)
        }
        return nil
    }

    /// What became of an attempt: done, due again, or given up.
    package mutating func settle(_ delivery: Delivery, _ result: SendAttempt.Result, at now: Moment) {
        let uuid = delivery.notification.uuid
        self.attempts.record(SendAttempt(date: now, result: result), of: uuid)
        guard !delivery.isRepetition else { return }
        if result == .success {
            self.finish(uuid)
            self.counts.delivered += 1
            self.repeatPerhaps(delivery, at: now)
        } else if delivery.attempts < self.pauses.count {
            self.counts.failedAttempts += 1
            let again = Delivery(delivery.notification, attempts: delivery.attempts + 1)
            self.wait(again, until: now + self.pauses[delivery.attempts])
        } else {
            self.counts.failedAttempts += 1
            self.counts.givenUp += 1
            self.finish(uuid)
        }
    }

    private mutating func wait(_ delivery: Delivery, until due: Moment) {
        self.unfinished[delivery.notification.uuid] = Unfinished(attempts: delivery.attempts, due: due.milliseconds)
        self.counts.waiting = self.unfinished.count
        self.agenda.enter(delivery, due: due)
    }

    private mutating func finish(_ uuid: String) {
        self.unfinished[uuid] = nil
        self.counts.waiting = self.unfinished.count
    }

    private mutating func repeatPerhaps(_ delivery: Delivery, at now: Moment) {
        var random = self.chance(for: delivery.notification, attempt: -1)
        guard let pause = self.disturbances.repetition(&random) else { return }
        self.counts.repeated += 1
        self.agenda.enter(
            Delivery(delivery.notification, attempts: delivery.attempts + 1, isRepetition: true), due: now + pause)
    }

    private func chance(for notification: SignedNotification, attempt: Int) -> SeededGenerator {
        let name = notification.uuid.utf8.reduce(self.seed) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
        return SeededGenerator(seed: name, stream: UInt64(bitPattern: Int64(attempt)))
    }
}
