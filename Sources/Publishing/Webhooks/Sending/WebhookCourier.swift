import EventSourcing
import Logging
import Metrics
import SubscriptionRuntime
import Subscriptions
import WireProtocol

/// Delivers to one endpoint what happens in the shards of this node: in order for each stream, several streams at a
/// time, and for nobody else to wait.
actor WebhookCourier {
    /// What couriers share.
    struct Context: Sendable {
        let log: ServedLog
        let store: any EventStore
        let transport: any WebhookTransport
        /// The body of a change.
        let render: @Sendable (ChangeView) -> [UInt8]
        /// Of the machine.
        let clock: any WallClock
        let logger: Logger
    }

    private typealias LaneID = WebhookShelf.Lane

    private struct Lane {
        var window: DeliveryWindow
        var isSaved = true
    }

    /// One event on its way.
    private struct Delivery {
        var lane: LaneID
        var epoch: Epoch
        var event: StoredEvent
    }

    private static let width = 16
    private static let page = 64
    private static let interval = Duration.milliseconds(100)
    private static let saveInterval = Duration.seconds(1)
    /// When it was not there so many times in a row, it is asked one thing at a time, ever more rarely.
    private static let patience = 3
    private static let longestRest = 60
    /// And that is worth a word: it has rested for some seconds by then.
    private static let worthTelling = 6

    private let delivered = WebhookCourier.counter("delivered")
    private let failures = WebhookCourier.counter("failed")
    private let givenUp = WebhookCourier.counter("dead")
    private let context: Context
    private let shelf: WebhookShelf
    private var endpoint: WebhookEndpoint
    private var epochs: [ShardID: Epoch] = [:]
    private var lanes: [LaneID: Lane] = [:]
    private var order: [LaneID] = []
    private var settledDead: [String] = []
    private var deadLetters: [String: [UInt8]] = [:]
    /// Why nothing is to be sent any more.
    private var disabled: String?
    private var underWay = 0
    private var absencesInARow = 0
    private var restsUntil = ContinuousClock.now
    private var nextSave = ContinuousClock.now
    private var nextLookForReplays = ContinuousClock.now
    private var isReadable = true
    private let wake: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init(_ endpoint: WebhookEndpoint, _ context: Context) {
        self.endpoint = endpoint
        self.context = context
        self.shelf = WebhookShelf(store: context.store)
        (self.wake, self.continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    private static func counter(_ result: String) -> Counter {
        Counter(label: "perennial_webhook_deliveries_total", dimensions: [("result", result)])
    }

    func update(_ endpoint: WebhookEndpoint) { self.endpoint = endpoint }

    /// Of the commit of the oldest event that waits, in milliseconds since 1970.
    var oldest: Int64? { self.lanes.values.compactMap(\.window.oldest).min() }

    /// Until it is cancelled.
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
                        try await self.disable(reason)
                        break
                    }
                    try await self.refresh()
                    for delivery in try await self.departures() {
                        group.addTask { await self.send(delivery) }
                    }
                    try await self.saveIfDue()
                    self.isReadable = true
                } catch {
                    if self.isReadable, !Task.isCancelled {
                        self.complain("The log cannot be read for webhooks", error)
                    }
                    self.isReadable = false
                }
            }
            group.cancelAll()
        }
        // What is cancelled may not write any more.
        await Task { try? await self.save() }.value
    }

    private func disable(_ reason: String) async throws {
        var endpoint = try await self.shelf.endpoint(self.endpoint.id)
        endpoint.disabled = reason
        try await self.shelf.save(endpoint)
    }

    private func complain(_ message: Logger.Message, _ error: any Error) {
        self.context.logger.warning(
            message, metadata: ["endpoint": "\(self.endpoint.id)", "error": "\(ServiceError(error).message)"])
    }

    // MARK: Shards

    /// Takes up the shards that have come to this node, lets go of those that have left it, and reads on.
    private func refresh() async throws {
        let (heads, unknown) = self.context.log.heads()
        if !unknown.isEmpty { await self.context.log.learn(unknown) }
        let owned = Dictionary(uniqueKeysWithValues: heads.map { ($0.shard, $0.epoch) })
        let known = self.epochs
        for (shard, epoch) in known where owned[shard] != nil && owned[shard] != epoch { self.drop(shard) }
        let lost = known.keys.filter { owned[$0] == nil && !self.context.log.mayAnswer(for: $0) }
        for shard in lost { self.drop(shard) }
        try await self.takeUp(owned.filter { self.epochs[$0.key] == nil })
        try await self.lookForReplays()
        let ends = Dictionary(uniqueKeysWithValues: heads.map { ($0.shard, $0.position.sequence) })
        for id in self.order { if let end = ends[id.shard] { try await self.read(id, upTo: end) } }
    }

    private func drop(_ shard: ShardID) {
        self.epochs[shard] = nil
        for id in self.order where id.shard == shard { self.lanes[id] = nil }
        self.order.removeAll { $0.shard == shard }
    }

    private func takeUp(_ shards: [ShardID: Epoch]) async throws {
        guard !shards.isEmpty else { return }
        let windows = try await self.shelf.cursors(of: self.endpoint.id)
        for (shard, epoch) in shards {
            self.epochs[shard] = epoch
            self.add(LaneID(shard), windows[shard] ?? DeliveryWindow(after: .zero))
        }
        self.nextLookForReplays = .now
    }

    private func add(_ id: LaneID, _ window: DeliveryWindow) {
        if self.lanes.updateValue(Lane(window: window), forKey: id) == nil { self.order.append(id) }
    }

    /// A replay is asked for on any node.
    private func lookForReplays() async throws {
        guard ContinuousClock.now >= self.nextLookForReplays else { return }
        self.nextLookForReplays = .now + Self.saveInterval
        for (id, window) in try await self.shelf.replays(of: self.endpoint.id)
        where self.epochs[id.shard] != nil && self.lanes[id] == nil {
            self.add(id, window)
        }
    }

    private func read(_ id: LaneID, upTo head: EventSourcing.Sequence) async throws {
        guard let window = self.lanes[id]?.window else { return }
        let room = window.room(upTo: head)
        guard room > 0 else { return }
        let events = try await self.context.log.events(
            in: id.shard, after: window.readAfter, limit: min(room, Self.page))
        for event in events {
            self.lanes[id]?.window.add(event, isWanted: self.isWanted(event))
            self.lanes[id]?.isSaved = false
        }
    }

    private func isWanted(_ event: StoredEvent) -> Bool {
        guard let key = StreamKey(bytes: event.key) else { return false }
        return self.endpoint.wish.includes(self.type(of: event, key), of: key)
    }

    private func type(of event: StoredEvent, _ key: StreamKey) -> String {
        ChangeView.type(of: key.kind, Change(rawValue: event.kind))
    }

    // MARK: Deliveries

    private func departures() async throws -> [Delivery] {
        var departures: [Delivery] = []
        let width = self.absencesInARow >= Self.patience ? 1 : Self.width
        guard ContinuousClock.now >= self.restsUntil else { return [] }
        // Another shard begins each time: a busy one must not keep the others out.
        if !self.order.isEmpty { self.order.append(self.order.removeFirst()) }
        var isMore = true
        while isMore {
            isMore = false
            for id in self.order where self.underWay < width {
                guard let epoch = self.epochs[id.shard], let sequence = self.lanes[id]?.window.next(at: self.seconds)
                else { continue }
                self.underWay += 1
                isMore = true
                let before = EventSourcing.Sequence(rawValue: sequence.rawValue - 1)
                do {
                    guard let event = try await self.context.log.events(in: id.shard, after: before, limit: 1).first
                    else { throw ServiceError(.storeUnavailable, "the log does not hold what it held") }
                    departures.append(Delivery(lane: id, epoch: epoch, event: event))
                } catch {
                    self.underWay -= 1
                    self.lanes[id]?.window.release(sequence)
                    // What is on its way already must not be forgotten.
                    if departures.isEmpty { throw error }
                    return departures
                }
            }
        }
        return departures
    }

    private var seconds: Int64 { self.context.clock.now.milliseconds / 1_000 }

    /// What became of an attempt.
    private enum Outcome {
        case delivered
        /// There is nothing to send in the endpoint's format.
        case unsent
        /// Nothing was tried: that says nothing about the endpoint.
        case withheld
        case failed(DeliveryFailure)
    }

    private func send(_ delivery: Delivery) async {
        let outcome = await self.attempt(delivery)
        switch outcome {
        case .delivered: self.succeeded(delivery)
        case .unsent: self.change(delivery) { $0.deliver(delivery.event.sequence) }
        case .withheld:
            self.restsUntil = max(self.restsUntil, .now + Self.interval)
            self.change(delivery) { $0.release(delivery.event.sequence) }
        case .failed(let failure): self.failed(delivery, failure)
        }
        self.underWay -= 1
        self.continuation.yield()
    }

    private func attempt(_ delivery: Delivery) async -> Outcome {
        let message: WebhookMessage
        do {
            guard let body = try await self.body(of: delivery.event) else { return .unsent }
            message = WebhookMessage(delivery.event, of: self.context.store.identity, body: body)
        } catch {
            guard !ServiceError(error).retryable else { return .withheld }
            return .failed(DeliveryFailure("the event cannot be read", isAbsence: false))
        }
        guard let target = WebhookTarget(self.endpoint.wish.url) else {
            return .failed(DeliveryFailure("the url cannot be read", isAbsence: false))
        }
        let keys = self.endpoint.keys(at: self.context.clock.now.milliseconds)
        // Nothing leaves that another node may be sending by now.
        guard self.context.log.mayAnswer(for: delivery.lane.shard) else { return .withheld }
        do throws(DeliveryFailure) {
            let answer = try await self.context.transport.post(
                message.body, message.fields(signedWith: keys, at: self.seconds), to: target)
            return answer.failure.map(Outcome.failed) ?? .delivered
        } catch {
            // Whoever is stopped has not been refused.
            return Task.isCancelled ? .withheld : .failed(error)
        }
    }

    /// nil for what is not to be sent in the endpoint's format.
    private func body(of event: StoredEvent) async throws -> [UInt8]? {
        switch self.endpoint.wish.format {
        case .change: return try await self.context.log.describer.describe([event]).first.map(self.context.render)
        case .original:
            guard case .kept(let parts)? = try await self.context.store.evidence(of: event.sequence, in: event.shard),
                let payload = parts.first(where: { $0.name == .signedPayload })
            else { return nil }
            // A compact JWS has nothing that JSON escapes.
            return Array(#"{"signedPayload":""#.utf8) + payload.jws + Array(#""}"#.utf8)
        }
    }

    /// Of a window that is still the one that the event was taken from.
    private func change(_ delivery: Delivery, _ body: (inout DeliveryWindow) -> Void) {
        guard self.epochs[delivery.lane.shard] == delivery.epoch, var lane = self.lanes[delivery.lane] else { return }
        body(&lane.window)
        lane.isSaved = false
        self.lanes[delivery.lane] = lane
    }

    private func succeeded(_ delivery: Delivery) {
        self.delivered.increment()
        if self.absencesInARow >= Self.worthTelling {
            self.context.logger.info("A webhook endpoint answers again", metadata: ["endpoint": "\(self.endpoint.id)"])
        }
        if self.absencesInARow >= Self.patience {
            let now = self.seconds
            for id in self.order { self.lanes[id]?.window.hasten(at: now) }
        }
        self.absencesInARow = 0
        self.change(delivery) { $0.deliver(delivery.event.sequence) }
        if delivery.lane.replay != nil { self.settledDead.append(self.deadName(of: delivery)) }
    }

    private func failed(_ delivery: Delivery, _ failure: DeliveryFailure) {
        self.failures.increment()
        if failure.isAbsence {
            self.recordAbsence(failure)
        } else {
            // Whoever refuses a message is there for others.
            self.absencesInARow = 0
        }
        if failure.isGone {
            // It wants nothing any more, says the specification.
            self.disabled = "it answered 410 Gone"
            return self.change(delivery) { $0.release(delivery.event.sequence) }
        }
        let now = self.seconds
        var lost: Trial?
        self.change(delivery) {
            lost = $0.fail(delivery.event.sequence, failure, at: now, jitter: .random(in: 0...1))
        }
        guard let lost else { return }
        self.givenUp.increment()
        let key = StreamKey(bytes: delivery.event.key)
        let letter = DeadLetter(
            message: WebhookMessage.id(of: delivery.event, in: self.context.store.identity),
            type: key.map { self.type(of: delivery.event, $0) } ?? "", originalTransactionID: key?.id ?? "",
            version: delivery.event.version.rawValue, attempts: lost.attempts, reason: failure.reason,
            at: self.context.clock.now.milliseconds)
        self.deadLetters[self.deadName(of: delivery)] = try? WebhookShelf.encode(letter)
    }

    private func recordAbsence(_ failure: DeliveryFailure) {
        // What had left before the rest began says nothing new.
        guard ContinuousClock.now >= self.restsUntil else { return }
        self.absencesInARow += 1
        guard self.absencesInARow >= Self.patience else { return }
        let exponent = min(self.absencesInARow - Self.patience, 6)
        self.restsUntil = .now + .seconds(min(1 << exponent, Self.longestRest))
        guard self.absencesInARow == Self.worthTelling else { return }
        self.context.logger.warning(
            "A webhook endpoint does not answer",
            metadata: ["endpoint": "\(self.endpoint.id)", "reason": "\(failure.reason)"])
    }

    private func deadName(of delivery: Delivery) -> String {
        WebhookShelf.name(
            ofDeadLetter: delivery.event.sequence, in: delivery.lane.shard, ofEndpoint: self.endpoint.id)
    }

    // MARK: What survives

    private func saveIfDue() async throws {
        guard ContinuousClock.now >= self.nextSave else { return }
        self.nextSave = .now + Self.saveInterval
        try await self.save()
    }

    /// A dead letter and the window that has passed over it become durable together.
    private func save() async throws {
        var notes: [String: [UInt8]] = [:]
        var saved: [LaneID: Lane] = [:]
        for (id, lane) in self.lanes where !lane.isSaved {
            let name = WebhookShelf.name(of: id, ofEndpoint: self.endpoint.id)
            notes[name] = lane.window.isFinished ? [] : lane.window.bytes
            saved[id] = lane
        }
        for name in self.settledDead { notes[name] = [] }
        notes.merge(self.deadLetters) { $1 }
        guard !notes.isEmpty else { return }
        let (dead, settled) = (self.deadLetters, self.settledDead)
        try await self.shelf.set(notes)
        for name in dead.keys { self.deadLetters[name] = nil }
        self.settledDead.removeFirst(settled.count)
        for (id, lane) in saved where self.lanes[id]?.window == lane.window {
            self.lanes[id]?.isSaved = true
            if lane.window.isFinished {
                self.lanes[id] = nil
                self.order.removeAll { $0 == id }
            }
        }
    }
}
