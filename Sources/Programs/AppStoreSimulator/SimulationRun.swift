import ServiceLifecycle
import Subscriptions

/// One run of a simulation: customers take their turns when the clock has reached them, and what the store says about
/// it is signed and delivered. A turn is taken only when there is room to deliver, so a slow receiver slows the
/// customers down and nothing piles up. One that is silent does not: then customers live on, and attempts fail.
struct SimulationRun: ~Copyable {
    private enum Wake: Sendable {
        case tick(ContinuousClock.Instant)
        case sent(DeliveryMachine<Dispatch>.Delivery, SendAttempt.Result)
        case asked
    }

    private let origin: SimulationCheckpoint.Origin
    private let time: SimulatedTime
    private let truths: TruthBoard
    private let signer: NotificationSigner
    private let sender: NotificationSender?
    private let ledger: Ledger
    private let history: NotificationHistory
    private let desk: OrderQueue
    private let maximumInFlight: Int
    private let outages: SimulatorConfiguration.Outages

    private let requests: BackendLog
    private let hasBackend: Bool

    private var population: Population
    private var backend: PublisherBackend
    private var machine: DeliveryMachine<Dispatch>
    private var reachability = Reachability()
    private var inFlight = 0
    /// Every turn before this moment has been taken, and `turns` in all.
    private var reached: Moment
    private var turns = 0
    private var orders: [StoreOrder.Entry] = []
    private var isAwaitingOrders = false
    private var lastAnswer = ContinuousClock.now
    private var nextSave = ContinuousClock.now + Self.saveInterval

    /// Ends a pause early: there are shutdowns to notice.
    private static let longestPause = Duration.milliseconds(250)
    /// While the backend waits for an answer.
    private static let shortestPause = Duration.milliseconds(2)
    private static let saveInterval = Duration.seconds(5)
    /// With every attempt that may be under way: so long without an answer, the receiver is silent.
    private static let silence = Duration.seconds(1)
    /// Turns between two looks at what else there is.
    private static let turnsAtOnce = 1_000

    init(
        configuration: SimulatorConfiguration, origin: SimulationCheckpoint.Origin, time: SimulatedTime,
        records: SimulationRecords, backend: (customers: CustomerBoard, requests: BackendLog),
        signer: NotificationSigner, sender: NotificationSender?
    ) {
        self.origin = origin
        self.time = time
        self.truths = records.truths
        self.ledger = records.ledger
        self.history = records.history
        self.desk = records.desk
        self.requests = backend.requests
        self.backend = PublisherBackend(
            ids: CustomerIDs(people: configuration.scenario.people, seed: configuration.seed), board: backend.customers,
            start: Moment(milliseconds: origin.start))
        self.hasBackend = configuration.backend != nil
        self.signer = signer
        self.sender = sender
        self.maximumInFlight = configuration.maximumInFlight
        self.outages = configuration.outages
        self.reached = Moment(milliseconds: origin.start)
        self.population = Population(
            size: configuration.subscribers, scenario: configuration.scenario,
            environment: configuration.store.environment, seed: configuration.seed,
            start: Moment(milliseconds: origin.start), past: configuration.past)
        self.machine = DeliveryMachine(
            environment: configuration.store.environment, disturbances: configuration.disturbances,
            seed: configuration.seed, log: records.deliveries)
    }

    /// Lives through everything up to the checkpoint again, in silence but for what was still to be delivered.
    mutating func resume(from checkpoint: SimulationCheckpoint?) {
        guard let checkpoint else { return }
        self.reached = Moment(milliseconds: checkpoint.reached)
        self.orders = checkpoint.orders ?? []
        self.requests.recall(checkpoint.backendRequests ?? 0)
        var orders = self.orders[...]
        var sent: [NotificationHistory.Record] = []
        while true {
            while let entry = orders.first, entry.turns <= self.turns {
                orders.removeFirst()
                let (development, _) = self.population.carryOut(
                    entry.order, at: Moment(milliseconds: entry.moment))
                self.remember(development, by: checkpoint, &sent)
            }
            guard self.turns < checkpoint.turns, self.population.nextDue != nil else { break }
            self.turns += 1
            self.remember(self.population.next(), by: checkpoint, &sent)
        }
        self.askBackend(until: self.reached)
        self.history.restore(sent.filter { $0.dispatch.notification.environment == nil }, at: self.reached)
        self.truths.settle(self.reached)
    }

    private mutating func remember(
        _ development: Development, by checkpoint: SimulationCheckpoint, _ sent: inout [NotificationHistory.Record]
    ) {
        self.note(development)
        for dispatch in development.notifications.map(Dispatch.init) {
            if let unfinished = checkpoint.unfinished[dispatch.uuid] {
                self.machine.reenter(dispatch, as: unfinished)
                if !unfinished.attempts.isEmpty { sent.append(.init(dispatch, unfinished.attempts)) }
            } else {
                let attempts = checkpoint.givenUp[dispatch.uuid] ?? checkpoint.recovered?[dispatch.uuid]
                self.machine.recall(dispatch, attempts)
                guard self.origin.delivers else { continue }
                let first = SendAttempt(date: self.machine.firstDue(of: dispatch), result: .success)
                sent.append(.init(dispatch, attempts ?? [first]))
            }
        }
    }

    /// Until a graceful shutdown; then what is under way is awaited. However it ends, the place is marked.
    mutating func run(
        report: (SimulatorStatistics) -> Void, save: (SimulationCheckpoint) -> Void
    ) async throws {
        save(self.checkpoint)
        defer {
            save(self.checkpoint)
            self.desk.close()
        }
        try await withThrowingTaskGroup(of: Wake.self) { group in
            var nextTick: ContinuousClock.Instant?
            while !Task.isShuttingDownGracefully || self.inFlight > 0 {
                self.carryOutOrders(save: save)
                self.awaitOrders(in: &group)
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
                case .asked: self.isAwaitingOrders = false
                }
            }
            group.cancelAll()
        }
    }

    /// The place once more, with what the backend was still waiting for.
    func mark(_ save: (SimulationCheckpoint) -> Void) { save(self.checkpoint) }

    /// - Returns: how long there is nothing more to do.
    private mutating func startWhatIsDue(in group: inout ThrowingTaskGroup<Wake, any Error>) throws -> Duration {
        let now = self.time.now
        let allowance =
            self.livesOn
            ? self.maximumInFlight : self.reachability.allowance(of: self.maximumInFlight, at: .now)
        var turns = 0
        while let sender = self.sender, self.inFlight < allowance, let delivery = self.nextDelivery(at: now, &turns) {
            if self.inFlight == 0 { self.lastAnswer = .now }
            self.inFlight += 1
            group.addTask { [signer = self.signer] in
                .sent(delivery, await sender.send(try delivery.notification.signed(by: signer)))
            }
        }
        if self.sender == nil || self.isSilent { self.takeTurns(until: now, &turns) }
        self.noteAttempts()
        if turns >= Self.turnsAtOnce { return .zero }
        guard self.sender == nil || self.inFlight < allowance else { return Self.longestPause }
        guard !self.isHeldUp else { return Self.shortestPause }
        let nextDue = [self.population.nextDue, self.machine.nextDue].compactMap { $0 }.min() ?? .distantFuture
        return min(Self.longestPause, self.time.realDuration(until: nextDue))
    }

    /// Whether an outage is lived through now.
    private var livesOn: Bool {
        switch self.outages {
        case .livedThrough: true
        // Whoever waited while the clock ran fast goes on waiting.
        case .livedThroughInRealTime: self.time.isReal && self.reached > self.time.now - .minutes(1)
        }
    }

    /// Somebody may listen, but does not answer.
    private var isSilent: Bool {
        self.livesOn && self.inFlight >= self.maximumInFlight
            && self.lastAnswer.duration(to: .now) > Self.silence
    }

    private mutating func nextDelivery(at now: Moment, _ turns: inout Int) -> DeliveryMachine<Dispatch>.Delivery? {
        while true {
            if let delivery = self.machine.next(at: now) { return delivery }
            guard turns < Self.turnsAtOnce, let due = self.population.nextDue, due <= now else {
                if turns < Self.turnsAtOnce { self.reach(now) }
                return nil
            }
            guard self.reach(due) else { return nil }
            turns += 1
            self.takeTurn(due: due)
        }
    }

    private mutating func takeTurns(until now: Moment, _ turns: inout Int) {
        while turns < Self.turnsAtOnce, let due = self.population.nextDue, due <= now {
            guard self.reach(due) else { return }
            turns += 1
            self.takeTurn(due: due)
        }
        if turns < Self.turnsAtOnce { self.reach(now) }
    }

    /// Nothing is left to do before a moment, unless the backend has asked a node for something and is not answered: in the
    /// world nobody buys before what was asked for earlier.
    @discardableResult
    private mutating func reach(_ moment: Moment) -> Bool {
        self.askBackend(until: moment)
        guard !self.isHeldUp else { return false }
        self.reached = max(self.reached, moment)
        return true
    }

    private var isHeldUp: Bool { self.hasBackend && self.requests.isHoldingUp }

    private mutating func takeTurn(due: Moment) {
        self.reached = max(self.reached, due)
        self.turns += 1
        self.enter(self.population.next())
    }

    private mutating func enter(_ development: Development) {
        self.note(development)
        guard self.sender != nil else { return }
        for notification in development.notifications { self.machine.enter(Dispatch(notification)) }
    }

    private mutating func note(_ development: Development) {
        self.askBackend(until: development.moment)
        self.truths.update(development.books.map(\.truth))
        self.ledger.update(development)
        self.backend.notice(development)
    }

    /// Before anything happens that is later.
    private mutating func askBackend(until moment: Moment) {
        while let request = self.backend.next(dueBy: moment) { self.requests.enter(request) }
    }

    private mutating func settle(_ delivery: DeliveryMachine<Dispatch>.Delivery, _ result: SendAttempt.Result) {
        self.inFlight -= 1
        self.lastAnswer = .now
        self.reachability.note(result, at: .now)
        self.machine.settle(delivery, result, at: self.date(of: delivery))
        self.noteAttempts()
    }

    /// Where outages are lived through attempts are made when they are due, however much time they take here. Otherwise a
    /// node looks at the history while it becomes: what it has read to its end must not grow.
    private func date(of delivery: DeliveryMachine<Dispatch>.Delivery) -> Moment {
        self.outages == .livedThrough ? delivery.due : self.time.now
    }

    private mutating func noteAttempts() {
        // The history of another environment is another one.
        for (dispatch, attempt) in self.machine.takeAttempts() where dispatch.notification.environment == nil {
            self.history.note(attempt, of: dispatch)
        }
    }

    // MARK: Orders

    private mutating func awaitOrders(in group: inout ThrowingTaskGroup<Wake, any Error>) {
        guard !self.isAwaitingOrders else { return }
        self.isAwaitingOrders = true
        group.addTask { [desk = self.desk] in
            await desk.arrival()
            return .asked
        }
    }

    /// Nobody is told of success before it is marked: what was promised holds after a restart.
    private mutating func carryOutOrders(save: (SimulationCheckpoint) -> Void) {
        let pending = self.desk.take()
        guard !pending.isEmpty else { return }
        let outcomes = pending.map { self.carryOut($0.order) }
        save(self.checkpoint)
        for (pending, outcome) in zip(pending, outcomes) { pending.settle(outcome) }
    }

    /// At the moment that customers have reached: nothing that happened earlier is still to come.
    private mutating func carryOut(_ order: StoreOrder) -> StoreOrder.Outcome {
        let (development, outcome) = self.population.carryOut(order, at: self.reached)
        if case .refused = outcome { return outcome }
        self.orders.append(StoreOrder.Entry(order: order, turns: self.turns, moment: self.reached.milliseconds))
        self.enter(development)
        return outcome
    }

    private mutating func publish(report: (SimulatorStatistics) -> Void, save: (SimulationCheckpoint) -> Void) {
        var statistics = self.machine.counts
        statistics.customers = self.population.count
        statistics.isBehind = self.inFlight > 0 || self.machine.nextDue.map { $0 <= self.time.now } ?? false
        statistics.isReachable = self.reachability.isReachable
        report(statistics)
        self.askBackend(until: self.reached)
        self.truths.settle(self.reached)
        let start = ContinuousClock.now
        guard start >= self.nextSave else { return }
        save(self.checkpoint)
        // However much there is to write, most of the time is for living.
        self.nextSave = .now + max(Self.saveInterval, start.duration(to: .now) * 20)
    }

    private var checkpoint: SimulationCheckpoint {
        SimulationCheckpoint(
            origin: self.origin, reached: self.reached.milliseconds, now: self.time.now.milliseconds, turns: self.turns,
            unfinished: self.machine.unfinished, givenUp: self.machine.givenUp, recovered: self.machine.recovered,
            orders: self.orders, backendRequests: self.requests.made)
    }
}
