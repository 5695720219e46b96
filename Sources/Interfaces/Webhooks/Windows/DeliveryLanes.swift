package import EventLog

/// The windows of one endpoint in the shards of this node: one for each shard, and one more for each replay. Pure.
package struct DeliveryLanes {
    private struct State {
        var window: DeliveryWindow
        /// The number of the first change that has not been saved; nil when all have been.
        var changed: Int?
    }

    /// An event on its way. Once its shard has changed hands, nothing that becomes of it counts.
    package struct Ticket: Hashable, Sendable {
        package let lane: DeliveryLane
        let epoch: Epoch
        package let sequence: LogSequence
    }

    /// Of the shards, as they were taken up.
    private(set) var epochs: [ShardID: Epoch] = [:]
    private var lanes: [DeliveryLane: State] = [:]
    private(set) var order: [DeliveryLane] = []
    private var changes = 0

    package init() {}

    /// Of the commit of the oldest event that waits, in milliseconds since 1970.
    var oldest: Int64? { self.lanes.values.compactMap(\.window.oldest).min() }

    package func window(_ id: DeliveryLane) -> DeliveryWindow? { self.lanes[id]?.window }

    // MARK: Shards

    package mutating func takeUp(_ shard: ShardID, _ epoch: Epoch, _ window: DeliveryWindow) {
        self.epochs[shard] = epoch
        self.add(DeliveryLane(shard), window)
    }

    /// Of a shard that has been taken up; one that is there already stays as it is.
    package mutating func add(_ id: DeliveryLane, _ window: DeliveryWindow) {
        guard self.epochs[id.shard] != nil, self.lanes[id] == nil else { return }
        self.lanes[id] = State(window: window)
        self.order.append(id)
    }

    package mutating func drop(_ shard: ShardID) {
        self.epochs[shard] = nil
        for id in self.order where id.shard == shard { self.lanes[id] = nil }
        self.order.removeAll { $0.shard == shard }
    }

    // MARK: Events

    package mutating func read(
        _ events: some Collection<StoredEvent>, _ id: DeliveryLane, isWanted: (StoredEvent) -> Bool
    ) {
        for event in events { self.lanes[id]?.window.add(event, isWanted: isWanted(event)) }
        self.noteChange(of: id)
    }

    private mutating func noteChange(of id: DeliveryLane) {
        guard let lane = self.lanes[id], lane.changed == nil else { return }
        self.changes += 1
        self.lanes[id]?.changed = self.changes
    }

    /// What can go out now. Another lane comes first each time: a busy one must not keep the others out.
    /// - Parameter seconds: since 1970.
    package mutating func next(at seconds: Int64) -> Ticket? {
        for (index, id) in self.order.enumerated() {
            guard let epoch = self.epochs[id.shard], let sequence = self.lanes[id]?.window.next(at: seconds) else {
                continue
            }
            self.order.append(self.order.remove(at: index))
            return Ticket(lane: id, epoch: epoch, sequence: sequence)
        }
        return nil
    }

    /// - Returns: nil when it does not count any more.
    @discardableResult
    package mutating func change<Result>(_ ticket: Ticket, _ body: (inout DeliveryWindow) -> Result) -> Result? {
        guard self.epochs[ticket.lane.shard] == ticket.epoch, var lane = self.lanes[ticket.lane] else { return nil }
        let result = body(&lane.window)
        self.lanes[ticket.lane] = lane
        self.noteChange(of: ticket.lane)
        return result
    }

    mutating func hasten(at seconds: Int64) {
        for id in self.order { self.lanes[id]?.window.hasten(at: seconds) }
    }

    package mutating func startAfresh() {
        for id in self.order {
            guard var window = self.lanes[id]?.window else { continue }
            window.startAfresh()
            guard self.lanes[id]?.window != window else { continue }
            self.lanes[id]?.window = window
            self.noteChange(of: id)
        }
    }

    // MARK: What survives

    /// Those that changed first, first.
    package func unsaved(limit: Int) -> [(id: DeliveryLane, window: DeliveryWindow)] {
        let changed = self.lanes.compactMap { id, lane in lane.changed.map { ($0, id, lane.window) } }
        return changed.sorted { $0.0 < $1.0 }.prefix(limit).map { ($1, $2) }
    }

    /// A replay that has come to its end is over then.
    package mutating func markSaved(_ id: DeliveryLane, _ window: DeliveryWindow) {
        self.lanes[id]?.changed = nil
        // Behind those that have waited longer.
        guard self.lanes[id]?.window == window else { return self.noteChange(of: id) }
        guard window.isFinished else { return }
        self.lanes[id] = nil
        self.order.removeAll { $0 == id }
    }
}
