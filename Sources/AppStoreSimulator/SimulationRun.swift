import ServiceLifecycle
import Subscriptions

/// One run of a simulation: customers take their turns when the clock has reached them, and what the store says about
/// it is signed and delivered. A turn is taken only when there is room to deliver, so a slow receiver slows the
/// customers down and nothing piles up.
struct SimulationRun: ~Copyable {
    private enum Wake: Sendable {
        case tick(ContinuousClock.Instant)
        case sent(DeliveryMachine.Delivery, SendAttempt.Result)
    }

    private let origin: SimulationCheckpoint.Origin
    private let time: SimulatedTime
    private let truths: TruthBoard
    private let signer: NotificationSigner
    private let sender: NotificationSender?
    private let maximumInFlight: Int

    private var population: Population
    private var machine: DeliveryMachine
    private var reachability = Reachability()
    private var inFlight = 0
    /// Every turn before this moment has been taken, and `turns` in all.
    private var reached: Moment
    private var turns = 0
    private var nextSave = ContinuousClock.now + Self.saveInterval

    /// Ends a pause early: there are shutdowns to notice.
    private static let longestPause = Duration.milliseconds(250)
    private static let saveInterval = Duration.seconds(5)
    /// Turns between two looks at what else there is.
    private static let turnsAtOnce = 1_000

    init(
        configuration: SimulatorConfiguration, origin: SimulationCheckpoint.Origin, time: SimulatedTime,
        truths: TruthBoard, deliveries: DeliveryLog, signer: NotificationSigner, sender: NotificationSender?
    ) {
        self.origin = origin
        self.time = time
        self.truths = truths
        self.signer = signer
        self.sender = sender
        self.maximumInFlight = configuration.maximumInFlight
        self.reached = Moment(milliseconds: origin.start)
        self.population = Population(
            size: configuration.subscribers, scenario: configuration.scenario,
            environment: configuration.store.environment, seed: configuration.seed,
            start: Moment(milliseconds: origin.start), past: configuration.past)
        self.machine = DeliveryMachine(
            environment: configuration.store.environment, disturbances: configuration.disturbances,
            seed: configuration.seed, log: deliveries)
    }

    /// Lives through everything up to the checkpoint again, in silence but for what was still to be delivered.
    mutating func resume(from checkpoint: SimulationCheckpoint?) throws {
        guard let checkpoint else { return }
        self.reached = Moment(milliseconds: checkpoint.reached)
        while self.turns < checkpoint.turns, self.population.nextDue != nil {
            for notification in self.takeTurn() {
                if let unfinished = checkpoint.unfinished[notification.uuid] {
                    self.machine.reenter(try self.signer.sign(notification), as: unfinished)
                } else if let telling = notification.telling, let id = notification.originalTransactionID {
                    self.machine.recall(telling, about: id, givenUp: checkpoint.givenUp[notification.uuid])
                }
            }
        }
        self.truths.settle(self.reached)
    }

    /// Until a graceful shutdown; then what is under way is awaited. However it ends, the place is marked.
    mutating func run(
        report: (SimulatorStatistics) -> Void, save: (SimulationCheckpoint) -> Void
    ) async throws {
        save(self.checkpoint)
        defer { save(self.checkpoint) }
        try await withThrowingTaskGroup(of: Wake.self) { group in
            var nextTick: ContinuousClock.Instant?
            while !Task.isShuttingDownGracefully || self.inFlight > 0 {
                var pause = Self.longestPause
                if !Task.isShuttingDownGracefully { pause = try self.startWhatIsDue(in: &group) }
                self.publish(report: report, save: save)
                let tick = ContinuousClock.now + pause
                if nextTick.map({ tick < $0 }) ?? true {
                    nextTick = tick
                    group.addTask {
                        try await Task.sleep(until: tick, clock: .continuous)
                        return .tick(tick)
                    }
                }
                switch try await group.next() {
                case .tick(let tick): if tick == nextTick { nextTick = nil }
                case nil: nextTick = nil
                case .sent(let delivery, let result): self.settle(delivery, result)
                }
            }
            group.cancelAll()
        }
    }

    /// - Returns: how long there is nothing more to do.
    private mutating func startWhatIsDue(in group: inout ThrowingTaskGroup<Wake, any Error>) throws -> Duration {
        let now = self.time.now
        let allowance = self.reachability.allowance(of: self.maximumInFlight, at: .now)
        var turns = 0
        while let sender = self.sender, self.inFlight < allowance, let delivery = try self.nextDelivery(at: now, &turns)
        {
            self.inFlight += 1
            group.addTask { .sent(delivery, await sender.send(delivery.notification)) }
        }
        if self.sender == nil { try self.takeTurns(until: now, &turns) }
        if turns >= Self.turnsAtOnce { return .zero }
        guard self.sender == nil || self.inFlight < allowance else { return Self.longestPause }
        let nextDue = [self.population.nextDue, self.machine.nextDue].compactMap { $0 }.min() ?? .distantFuture
        return min(Self.longestPause, self.time.realDuration(until: nextDue))
    }

    private mutating func nextDelivery(at now: Moment, _ turns: inout Int) throws -> DeliveryMachine.Delivery? {
        while true {
            if let delivery = self.machine.next(at: now) { return delivery }
            guard turns < Self.turnsAtOnce, let due = self.population.nextDue, due <= now else {
                if turns < Self.turnsAtOnce { self.reached = max(self.reached, now) }
                return nil
            }
            turns += 1
            self.reached = max(self.reached, due)
            for notification in self.takeTurn() { self.machine.enter(try self.signer.sign(notification)) }
        }
    }

    private mutating func takeTurns(until now: Moment, _ turns: inout Int) throws {
        while turns < Self.turnsAtOnce, let due = self.population.nextDue, due <= now {
            turns += 1
            self.reached = max(self.reached, due)
            _ = self.takeTurn()
        }
        if turns < Self.turnsAtOnce { self.reached = max(self.reached, now) }
    }

    private mutating func takeTurn() -> [StoreNotification] {
        self.turns += 1
        let (notifications, truths) = self.population.next()
        self.truths.update(truths)
        return notifications
    }

    private mutating func settle(_ delivery: DeliveryMachine.Delivery, _ result: SendAttempt.Result) {
        self.inFlight -= 1
        self.reachability.note(result, at: .now)
        self.machine.settle(delivery, result, at: self.time.now)
    }

    private mutating func publish(report: (SimulatorStatistics) -> Void, save: (SimulationCheckpoint) -> Void) {
        var statistics = self.machine.counts
        statistics.customers = self.population.count
        statistics.isReachable = self.reachability.isReachable
        report(statistics)
        self.truths.settle(self.reached)
        let start = ContinuousClock.now
        guard start >= self.nextSave else { return }
        save(self.checkpoint)
        // However much there is to write, most of the time is for living.
        self.nextSave = .now + max(Self.saveInterval, start.duration(to: .now) * 20)
    }

    private var checkpoint: SimulationCheckpoint {
        SimulationCheckpoint(
            origin: self.origin, reached: self.reached.milliseconds, turns: self.turns,
            unfinished: self.machine.unfinished, givenUp: self.machine.givenUp)
    }
}
