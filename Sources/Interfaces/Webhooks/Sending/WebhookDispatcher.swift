import EventLog
import Logging
import Metrics
import Queries
import ServiceContract
import Shards
import Subscriptions
import WireProtocol

/// Delivers to one endpoint what happens in the shards of this node: in order for each stream, several streams at a
/// time, and for nobody else to wait.
actor WebhookDispatcher {
    /// What couriers share.
    struct Context: Sendable {
        let log: ServedLog
        let store: any EventStore
        let transport: any WebhookTransport
        /// The body of a change that is told as this type.
        let render: @Sendable (ChangeView, _ type: String) -> [UInt8]
        /// Of the machine.
        let clock: any WallClock
        let logger: Logger
    }

    /// How many events are read at a time.
    private static let page = 64
    private static let interval = Duration.milliseconds(100)
    private static let saveInterval = Duration.seconds(1)
    /// Windows that are saved at a time: a hundred busy endpoints must not keep the store from its work.
    private static let savedWindows = 64

    private let delivered = WebhookDispatcher.counter("delivered")
    private let failures = WebhookDispatcher.counter("failed")
    private let givenUp = WebhookDispatcher.counter("dead")
    private let context: Context
    private let shelf: WebhookStore
    private var endpoint: WebhookEndpoint
    private var lanes = DeliveryLanes()
    private var rest = AbsenceBackoff(at: .now)
    private var underWay = 0
    /// Notes that become durable with the windows.
    private var notes: [String: [UInt8]] = [:]
    private var nextSave = ContinuousClock.now
    private var nextLookForReplays = ContinuousClock.now
    private var isReadable = true
    /// It will not be asked again, whatever becomes of its endpoint.
    private(set) var hasEnded = false
    /// Why nothing is to be sent any more.
    private var disabled: String?
    private let wake: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init(_ endpoint: WebhookEndpoint, _ context: Context) {
        self.endpoint = endpoint
        self.context = context
        self.shelf = WebhookStore(store: context.store)
        (self.wake, self.continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    private static func counter(_ result: String) -> Counter {
        Counter(label: "perennial_webhook_deliveries_total", dimensions: [("result", result)])
    }

    func update(_ endpoint: WebhookEndpoint) {
        let hasMoved = endpoint.wish.url != self.endpoint.wish.url
        self.endpoint = endpoint
        guard hasMoved else { return }
        // What the old address said, or did not, says nothing about the new one.
        self.rest = AbsenceBackoff(at: .now)
        self.lanes.startAfresh()
        self.disabled = nil
        self.continuation.yield()
    }

    /// Of the commit of the oldest event that waits, in milliseconds since 1970.
    var oldest: Int64? { self.lanes.oldest }

    /// Until it is cancelled, or the endpoint wants nothing any more.
    func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask {
                while !Task.isCancelled {
                    self.continuation.yield()
                    try? await Task.sleep(for: Self.interval)
                }
                self.continuation.finish()
            }
            for await _ in self.wake {
                guard !Task.isCancelled else { break }
                do {
                    if let reason = self.disabled {
                        let (id, url) = (self.endpoint.id, self.endpoint.wish.url)
                        if try await self.shelf.disable(id, at: url, because: reason) { break }
                        // It has moved, as `update` is about to say.
                        continue
                    }
                    try await self.refresh()
                    while self.underWay < self.rest.width(at: .now), let ticket = self.lanes.next(at: self.seconds) {
                        let event = try await self.event(of: ticket)
                        self.underWay += 1
                        group.addTask { await self.send(event, ticket) }
                    }
                    try await self.saveIfDue()
                    self.isReadable = true
                } catch let error as ServiceError where error.code == .unknownWebhook {
                    break
                } catch {
                    if self.isReadable, !Task.isCancelled { self.complain(ServiceError(error)) }
                    self.isReadable = false
                }
            }
            group.cancelAll()
        }
        // What is cancelled may not write any more.
        await Task { try? await self.leave() }.value
        self.hasEnded = true
    }

    /// What was written after its endpoint was removed is removed again.
    private func leave() async throws(ServiceError) {
        do {
            _ = try await self.shelf.note(of: self.endpoint.id)
        } catch {
            guard error.code == .unknownWebhook else { throw error }
            return try await self.shelf.remove(self.endpoint.id)
        }
        try await self.save(.max)
    }

    private func complain(_ error: ServiceError) {
        self.context.logger.warning(
            "The log cannot be read for webhooks",
            metadata: ["endpoint": "\(self.endpoint.id)", "error": "\(error.message)"])
    }

    private var seconds: Int64 { self.context.clock.now.milliseconds / 1_000 }

    // MARK: Shards

    /// Takes up the shards that have come to this node, lets go of those that have left it, and reads on.
    private func refresh() async throws {
        let (heads, unknown) = self.context.log.heads()
        if !unknown.isEmpty { await self.context.log.learn(unknown) }
        let owned = Dictionary(uniqueKeysWithValues: heads.map { ($0.shard, $0) })
        for (shard, epoch) in self.lanes.epochs {
            let isOurs = owned[shard].map { $0.epoch == epoch } ?? self.context.log.mayAnswer(for: shard)
            if !isOurs { self.lanes.drop(shard) }
        }
        try await self.takeUp(heads.filter { self.lanes.epochs[$0.shard] == nil })
        try await self.lookForReplays()
        for id in self.lanes.order { if let head = owned[id.shard] { try await self.read(id, upTo: head) } }
    }

    private func takeUp(_ heads: [ServedHead]) async throws {
        guard !heads.isEmpty else { return }
        let windows = try await self.shelf.cursors(of: self.endpoint.id)
        for head in heads {
            self.lanes.takeUp(head.shard, head.epoch, windows[head.shard] ?? DeliveryWindow(after: .zero))
        }
        self.nextLookForReplays = .now
    }

    /// A replay is asked for on any node.
    private func lookForReplays() async throws {
        guard ContinuousClock.now >= self.nextLookForReplays else { return }
        self.nextLookForReplays = .now + Self.saveInterval
        for (id, window) in try await self.shelf.replays(of: self.endpoint.id) { self.lanes.add(id, window) }
    }

    private func read(_ id: DeliveryLane, upTo head: ServedHead) async throws {
        guard let window = self.lanes.window(id) else { return }
        let room = window.room(upTo: head.position.sequence)
        guard room > 0 else { return }
        let events = try await self.context.log.events(
            in: id.shard, after: window.readAfter, limit: min(room, Self.page))
        self.lanes.read(events, id) { $0.type(for: self.endpoint.wish) != nil }
    }

    // MARK: Deliveries

    private func event(of ticket: DeliveryLanes.Ticket) async throws -> StoredEvent {
        let before = LogSequence(rawValue: ticket.sequence.rawValue - 1)
        do {
            let event = try await self.context.log.events(in: ticket.lane.shard, after: before, limit: 1).first
            if let event { return event }
            throw ServiceError(.storeUnavailable, "the log does not hold what it held")
        } catch {
            self.lanes.change(ticket) { $0.release(ticket.sequence) }
            throw error
        }
    }

    private func send(_ event: StoredEvent, _ ticket: DeliveryLanes.Ticket) async {
        let endpoint = self.endpoint
        let outcome = await WebhookAttempt(context: self.context, endpoint: endpoint).deliver(event)
        let hasMoved = endpoint.wish.url != self.endpoint.wish.url
        switch outcome {
        case .delivered: self.succeeded(ticket, hasMoved: hasMoved)
        case .unsent: self.lanes.change(ticket) { $0.deliver(ticket.sequence) }
        case .withheld:
            self.rest.rest(Self.interval, at: .now)
            self.lanes.change(ticket) { $0.release(ticket.sequence) }
        case .failed(let failure): self.failed(event, ticket, failure, hasMoved: hasMoved)
        }
        self.underWay -= 1
        self.continuation.yield()
    }

    private func succeeded(_ ticket: DeliveryLanes.Ticket, hasMoved: Bool) {
        self.delivered.increment()
        if !hasMoved { self.recordPresence() }
        self.lanes.change(ticket) { $0.deliver(ticket.sequence) }
        // It may have been given up on before.
        if ticket.lane.replay != nil { self.notes[self.deadName(of: ticket)] = [] }
    }

    private func recordPresence() {
        if self.rest.isWorthTelling {
            self.context.logger.info("A webhook endpoint answers again", metadata: ["endpoint": "\(self.endpoint.id)"])
        }
        if self.rest.hasBegun { self.lanes.hasten(at: self.seconds) }
        self.rest.recordPresence()
    }

    private func failed(
        _ event: StoredEvent, _ ticket: DeliveryLanes.Ticket, _ failure: DeliveryFailure, hasMoved: Bool
    ) {
        self.failures.increment()
        guard !hasMoved else {
            // The old address has nothing to say about the new one.
            self.lanes.change(ticket) { $0.release(ticket.sequence) }
            return
        }
        if failure.isGone {
            // It wants nothing any more, says the specification.
            self.disabled = "it answered \(failure.reason)"
            self.lanes.change(ticket) { $0.release(ticket.sequence) }
            return
        }
        if !failure.isAbsence {
            self.recordPresence()
        } else if self.rest.recordAbsence(at: .now) {
            self.context.logger.warning(
                "A webhook endpoint does not answer",
                metadata: ["endpoint": "\(self.endpoint.id)", "reason": "\(failure.reason)"])
        }
        let now = self.seconds
        let lost = self.lanes.change(ticket) {
            $0.fail(ticket.sequence, failure, at: now, jitter: .random(in: 0...1))
        }
        guard let trial = lost ?? nil else { return }
        self.givenUp.increment()
        let letter = DeadLetter(
            event, told: event.type(for: self.endpoint.wish) ?? event.type, in: self.context.store.identity,
            attempts: trial.attempts, reason: failure.reason, at: self.context.clock.now.milliseconds)
        self.notes[self.deadName(of: ticket)] = try? WebhookStore.encode(letter)
    }

    private func deadName(of ticket: DeliveryLanes.Ticket) -> String {
        WebhookStore.name(ofDeadLetter: ticket.sequence, in: ticket.lane.shard, ofEndpoint: self.endpoint.id)
    }

    // MARK: What survives

    private func saveIfDue() async throws {
        guard ContinuousClock.now >= self.nextSave else { return }
        self.nextSave = .now + Self.saveInterval
        try await self.save(Self.savedWindows)
    }

    /// A dead letter is durable no later than the window that has passed over it.
    private func save(_ limit: Int) async throws(ServiceError) {
        let (windows, notes) = (self.lanes.unsaved(limit: limit), self.notes)
        var values = notes
        for (id, window) in windows {
            values[WebhookStore.name(of: id, ofEndpoint: self.endpoint.id)] = window.isFinished ? [] : window.bytes
        }
        try await self.shelf.set(values)
        for (name, value) in notes where self.notes[name] == value { self.notes[name] = nil }
        for (id, window) in windows { self.lanes.markSaved(id, window) }
    }
}
