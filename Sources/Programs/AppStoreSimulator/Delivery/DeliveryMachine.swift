package import Subscriptions

/// What a delivery machine has to know of what it plans.
package protocol Deliverable: Sendable {
    /// `notificationUUID`.
    var uuid: String { get }
    /// nil for what is not about a purchase.
    var originalTransactionID: String? { get }
    var signedDate: Moment { get }
    /// nil for what is not about a purchase.
    var telling: Telling? { get }
}

extension SignedNotification: Deliverable {}

/// What of a notification has been tried, and when the next attempt is due.
package struct UnfinishedDelivery: Hashable, Sendable, Codable {
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

/// What is to be sent when, what became of it, and what follows. It sends nothing itself and reads no clock.
package struct DeliveryMachine<Notification: Deliverable>: Sendable {
    /// A try that is to be made now.
    package struct Delivery: Sendable {
        package let notification: Notification
        /// How many attempts there were before.
        package let attempts: Int
        package let due: Moment
        let isRepetition: Bool

        fileprivate init(
            _ notification: Notification, attempts: Int = 0, due: Moment, isRepetition: Bool = false
        ) {
            self.notification = notification
            self.attempts = attempts
            self.due = due
            self.isRepetition = isRepetition
        }
    }

    /// May hold times that no longer count: those that `unfinished` does not confirm.
    private var agenda = Agenda<Delivery>()
    /// By `originalTransactionId`, in the order of signing: what waits for the next notification to be sent.
    private var held: [String: [Notification]] = [:]
    /// By `notificationUUID`: what is not done.
    package private(set) var unfinished: [String: UnfinishedDelivery] = [:]
    /// By `notificationUUID`: the attempts at what never arrived.
    package private(set) var givenUp: [String: [SendAttempt]] = [:]
    /// By `notificationUUID`: the attempts at what arrived, but not at the first one.
    package private(set) var recovered: [String: [SendAttempt]] = [:]
    private var made: [(notification: Notification, attempt: SendAttempt)] = []
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
    package mutating func enter(_ notification: Notification) {
        var due = notification.signedDate
        // One at a time: what waited for the next one, which itself waits, would come in order after all.
        if !self.isHolding(about: notification), self.isToBeHeldBack(notification) {
            due = due + Disturbances.longestHold
            self.hold(notification)
        } else {
            due = self.firstDue(of: notification)
        }
        self.enter(notification, UnfinishedDelivery(attempts: [], due: due.milliseconds))
    }

    /// One that was not done when the simulation last stopped.
    package mutating func reenter(_ notification: Notification, as unfinished: UnfinishedDelivery) {
        let limit = notification.signedDate + Disturbances.longestHold
        if unfinished.attempts.isEmpty, unfinished.due == limit.milliseconds, self.isToBeHeldBack(notification) {
            self.hold(notification)
        }
        self.enter(notification, unfinished)
    }

    /// One of which nothing more is to be sent: it arrived before the simulation last stopped, or was given up on.
    ///
    /// - Parameter attempts: all that were made; nil where the first one succeeded.
    package mutating func recall(_ notification: Notification, _ attempts: [SendAttempt]?) {
        let hasArrived = attempts.map { $0.last?.result == .success } ?? true
        if hasArrived {
            self.recovered[notification.uuid] = attempts
        } else {
            self.givenUp[notification.uuid] = attempts
        }
        guard let telling = notification.telling, let id = notification.originalTransactionID else { return }
        self.log.enter(
            telling, about: id, hasArrived ? .arrived : .givenUp,
            failures: attempts?.filter { $0.result != .success } ?? [])
    }

    /// Every attempt since this was last asked, lost ones too; what is sent again on purpose is none.
    package mutating func takeAttempts() -> [(notification: Notification, attempt: SendAttempt)] {
        defer { self.made.removeAll(keepingCapacity: true) }
        return self.made
    }

    /// When its first attempt was to be made, as far as that does not depend on other notifications.
    package func firstDue(of notification: Notification) -> Moment {
        var random = self.chance(Draw.lateness, for: notification.uuid)
        return notification.signedDate + self.disturbances.lateness(&random)
    }

    /// The next attempt that is due and not lost; the caller makes it and then calls `settle`.
    package mutating func next(at now: Moment) -> Delivery? {
        while let (_, delivery) = self.agenda.next(dueBy: now) {
            guard delivery.isRepetition || self.isDue(delivery) else { continue }
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
        let attempt = SendAttempt(date: now, result: result)
        self.made.append((delivery.notification, attempt))
        if before.isEmpty { self.counts.attempted += 1 }
        if result == .success {
            self.unfinished[uuid] = nil
            if !before.isEmpty { self.recovered[uuid] = before + [attempt] }
            self.note(.arrived, before, delivery.notification)
            self.counts.delivered += 1
            self.repeatPerhaps(delivery, at: now)
        } else {
            let attempts = before + [attempt]
            self.counts.failedAttempts += 1
            if delivery.attempts < self.pauses.count {
                let due = now + self.pauses[delivery.attempts]
                self.wait(delivery.notification, UnfinishedDelivery(attempts: attempts, due: due.milliseconds))
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

    private mutating func enter(_ notification: Notification, _ unfinished: UnfinishedDelivery) {
        if let telling = notification.telling, let id = notification.originalTransactionID {
            let state = DeliveryLog.State.waiting(until: Moment(milliseconds: unfinished.due))
            self.log.enter(telling, about: id, state, failures: unfinished.attempts)
        }
        self.counts.notifications += 1
        self.schedule(notification, unfinished)
    }

    private mutating func wait(_ notification: Notification, _ unfinished: UnfinishedDelivery) {
        let due = Moment(milliseconds: unfinished.due)
        self.note(.waiting(until: due), unfinished.attempts, notification)
        self.schedule(notification, unfinished)
    }

    private mutating func schedule(_ notification: Notification, _ unfinished: UnfinishedDelivery) {
        self.unfinished[notification.uuid] = unfinished
        self.counts.waiting = self.unfinished.count
        let due = Moment(milliseconds: unfinished.due)
        self.agenda.enter(Delivery(notification, attempts: unfinished.attempts.count, due: due), due: due)
    }

    private func isDue(_ delivery: Delivery) -> Bool {
        let unfinished = self.unfinished[delivery.notification.uuid]
        return unfinished?.due == delivery.due.milliseconds && unfinished?.attempts.count == delivery.attempts
    }

    private func note(_ state: DeliveryLog.State, _ failures: [SendAttempt], _ notification: Notification) {
        guard let id = notification.originalTransactionID else { return }
        self.log.set(state, failures: failures, of: notification.uuid, about: id)
    }

    private mutating func repeatPerhaps(_ delivery: Delivery, at now: Moment) {
        var random = self.chance(Draw.repetition, for: delivery.notification.uuid)
        guard let pause = self.disturbances.repetition(&random) else { return }
        self.counts.repeated += 1
        let due = now + pause
        let repetition = Delivery(
            delivery.notification, attempts: delivery.attempts + 1, due: due, isRepetition: true)
        self.agenda.enter(repetition, due: due)
    }

    private func chance(_ draw: Int, for uuid: String) -> SeededGenerator {
        let name = uuid.utf8.reduce(self.seed) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
        return SeededGenerator(seed: name, stream: UInt64(bitPattern: Int64(draw)))
    }
}

/// What is held back until the next notification about the same subscription has been sent.
extension DeliveryMachine {
    private func isToBeHeldBack(_ notification: Notification) -> Bool {
        guard notification.originalTransactionID != nil else { return false }
        var random = self.chance(Draw.order, for: notification.uuid)
        return self.disturbances.holdsBack(&random)
    }

    private func isHolding(about notification: Notification) -> Bool {
        notification.originalTransactionID.map { self.held[$0] != nil } ?? false
    }

    private mutating func hold(_ notification: Notification) {
        guard let id = notification.originalTransactionID else { return }
        self.held[id, default: []].append(notification)
    }

    private mutating func letGo(_ notification: Notification) {
        guard let id = notification.originalTransactionID, var held = self.held[id] else { return }
        held.removeAll { $0.uuid == notification.uuid }
        self.held[id] = held.isEmpty ? nil : held
    }

    /// The newest of those signed before; what is older waits for that one.
    private mutating func release(after sent: Notification, at now: Moment) {
        guard let id = sent.originalTransactionID,
            let next = self.held[id]?.last(where: { $0.signedDate < sent.signedDate })
        else { return }
        self.letGo(next)
        self.wait(next, UnfinishedDelivery(attempts: [], due: now.milliseconds))
    }
}
