package import Subscriptions

/// What is to be sent when, what became of it, and what follows. It sends nothing itself and reads no clock.
package struct DeliveryMachine: Sendable {
    /// A try that is to be made now.
    package struct Delivery: Hashable, Sendable {
        package let notification: SignedNotification
        /// How many attempts there were before.
        package let attempts: Int
        let isRepetition: Bool

        fileprivate init(_ notification: SignedNotification, attempts: Int = 0, isRepetition: Bool = false) {
            self.notification = notification
            self.attempts = attempts
            self.isRepetition = isRepetition
        }
    }

    /// What of a notification has been tried, and when the next attempt is due.
    package struct Unfinished: Hashable, Sendable, Codable {
        package let attempts: [SendAttempt]
        /// Milliseconds since 1970.
        package let due: Int64

        package init(attempts: [SendAttempt], due: Int64) {
            self.attempts = attempts
            self.due = due
        }
    }

    /// Names the draws about one notification; attempts are 1, 2, …
    private enum Draw {
        static let lateness = 0
        static let repetition = -1
        static let order = -2
    }

    /// May hold times that no longer count: those that `unfinished` does not confirm.
    private var agenda = Agenda<Delivery>()
    /// By `originalTransactionId`, in the order of signing: what waits for the next notification to be sent.
    private var held: [String: [SignedNotification]] = [:]
    /// By `notificationUUID`: what is not done.
    package private(set) var unfinished: [String: Unfinished] = [:]
    /// By `notificationUUID`: the attempts at what never arrived.
    package private(set) var givenUp: [String: [SendAttempt]] = [:]
    package private(set) var counts: SimulatorStatistics
    package let log: DeliveryLog
    private let pauses: [Milliseconds]
    private let disturbances: Disturbances
    private let seed: UInt64

    package init(
        environment: AppStoreEnvironment, disturbances: Disturbances = Disturbances(), seed: UInt64 = 1,
        log: DeliveryLog = DeliveryLog()
    ) {
        self.pauses = environment == .production ? [1, 12, 24, 48, 72].map { .hours($0) } : []
        self.disturbances = disturbances
        self.seed = seed
        self.log = log
        self.counts = SimulatorStatistics(now: .distantPast)
    }

    /// Before this moment no attempt is due.
    package var nextDue: Moment? { self.agenda.nextDue }

    /// A new notification; it is due when it is signed, unless it is to be late or to wait for the next one.
    package mutating func enter(_ notification: SignedNotification) {
        var due = notification.signedDate
        if self.isToBeHeldBack(notification) {
            due = due + Disturbances.longestHold
            self.hold(notification)
        } else {
            var random = self.chance(Draw.lateness, for: notification.uuid)
            due = due + self.disturbances.lateness(&random)
        }
        self.enter(notification, Unfinished(attempts: [], due: due.milliseconds))
    }

    /// One that was not done when the simulation last stopped.
    package mutating func reenter(_ notification: SignedNotification, as unfinished: Unfinished) {
        let limit = notification.signedDate + Disturbances.longestHold
        if unfinished.attempts.isEmpty, unfinished.due == limit.milliseconds, self.isToBeHeldBack(notification) {
            self.hold(notification)
        }
        self.enter(notification, unfinished)
    }

    /// One of which nothing more is to be sent: it arrived before the simulation last stopped, or was given up on.
    ///
    /// - Parameter attempts: at one that was given up on; nil for one that arrived.
    package mutating func recall(
        _ telling: Telling, about originalTransactionID: String, givenUp attempts: [SendAttempt]?
    ) {
        if let attempts { self.givenUp[telling.uuid] = attempts }
        self.log.enter(
            telling, about: originalTransactionID, attempts == nil ? .arrived : .givenUp, failures: attempts ?? [])
    }

    /// The next attempt that is due and not lost; the caller makes it and then calls `settle`.
    package mutating func next(at now: Moment) -> Delivery? {
        while let (due, delivery) = self.agenda.next(dueBy: now) {
            guard delivery.isRepetition || self.isDue(delivery, at: due) else { continue }
            self.letGo(delivery.notification)
            var random = self.chance(delivery.attempts + 1, for: delivery.notification.uuid)
            guard !delivery.isRepetition, self.disturbances.loses(&random) else { return delivery }
            self.counts.lost += 1
            self.settle(delivery, .timedOut, at: now)
        }
        return nil
    }

    /// What became of an attempt: done, due again, or given up.
    package mutating func settle(_ delivery: Delivery, _ result: SendAttempt.Result, at now: Moment) {
        guard !delivery.isRepetition else { return }
        let uuid = delivery.notification.uuid
        let before = self.unfinished[uuid]?.attempts ?? []
        if result == .success {
            self.unfinished[uuid] = nil
            self.note(.arrived, before, delivery.notification)
            self.counts.delivered += 1
            self.repeatPerhaps(delivery, at: now)
        } else {
            let attempts = before + [SendAttempt(date: now, result: result)]
            self.counts.failedAttempts += 1
            if delivery.attempts < self.pauses.count {
                let due = now + self.pauses[delivery.attempts]
                self.wait(delivery.notification, Unfinished(attempts: attempts, due: due.milliseconds))
            } else {
                self.counts.givenUp += 1
                self.unfinished[uuid] = nil
                self.givenUp[uuid] = attempts
                self.note(.givenUp, attempts, delivery.notification)
            }
        }
        self.counts.waiting = self.unfinished.count
        if delivery.attempts == 0 { self.release(after: delivery.notification, at: now) }
    }

    private mutating func enter(_ notification: SignedNotification, _ unfinished: Unfinished) {
        if let telling = notification.telling, let id = notification.originalTransactionID {
            let state = DeliveryLog.State.waiting(until: Moment(milliseconds: unfinished.due))
            self.log.enter(telling, about: id, state, failures: unfinished.attempts)
        }
        self.counts.notifications += 1
        self.schedule(notification, unfinished)
    }

    private mutating func wait(_ notification: SignedNotification, _ unfinished: Unfinished) {
        let due = Moment(milliseconds: unfinished.due)
        self.note(.waiting(until: due), unfinished.attempts, notification)
        self.schedule(notification, unfinished)
    }

    private mutating func schedule(_ notification: SignedNotification, _ unfinished: Unfinished) {
        self.unfinished[notification.uuid] = unfinished
        self.counts.waiting = self.unfinished.count
        let delivery = Delivery(notification, attempts: unfinished.attempts.count)
        self.agenda.enter(delivery, due: Moment(milliseconds: unfinished.due))
    }

    private func isDue(_ delivery: Delivery, at due: Moment) -> Bool {
        let unfinished = self.unfinished[delivery.notification.uuid]
        return unfinished?.due == due.milliseconds && unfinished?.attempts.count == delivery.attempts
    }

    private func note(_ state: DeliveryLog.State, _ failures: [SendAttempt], _ notification: SignedNotification) {
        guard let id = notification.originalTransactionID else { return }
        self.log.set(state, failures: failures, of: notification.uuid, about: id)
    }

    private mutating func repeatPerhaps(_ delivery: Delivery, at now: Moment) {
        var random = self.chance(Draw.repetition, for: delivery.notification.uuid)
        guard let pause = self.disturbances.repetition(&random) else { return }
        self.counts.repeated += 1
        self.agenda.enter(
            Delivery(delivery.notification, attempts: delivery.attempts + 1, isRepetition: true), due: now + pause)
    }

    private func chance(_ draw: Int, for uuid: String) -> SeededGenerator {
        let name = uuid.utf8.reduce(self.seed) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
        return SeededGenerator(seed: name, stream: UInt64(bitPattern: Int64(draw)))
    }
}

/// What is held back until the next notification about the same subscription has been sent.
extension DeliveryMachine {
    private func isToBeHeldBack(_ notification: SignedNotification) -> Bool {
        guard notification.originalTransactionID != nil else { return false }
        var random = self.chance(Draw.order, for: notification.uuid)
        return self.disturbances.holdsBack(&random)
    }

    private mutating func hold(_ notification: SignedNotification) {
        guard let id = notification.originalTransactionID else { return }
        self.held[id, default: []].append(notification)
    }

    private mutating func letGo(_ notification: SignedNotification) {
        guard let id = notification.originalTransactionID, var held = self.held[id] else { return }
        held.removeAll { $0.uuid == notification.uuid }
        self.held[id] = held.isEmpty ? nil : held
    }

    /// The newest of those signed before; what is older waits for that one.
    private mutating func release(after sent: SignedNotification, at now: Moment) {
        guard let id = sent.originalTransactionID,
            let next = self.held[id]?.last(where: { $0.signedDate < sent.signedDate })
        else { return }
        self.letGo(next)
        self.wait(next, Unfinished(attempts: [], due: now.milliseconds))
    }
}
