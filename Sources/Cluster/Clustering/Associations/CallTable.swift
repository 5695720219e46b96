package import EventLog

/// The calls of one association that wait for their answers: numbered, bounded, each with a deadline. What a waiter is,
/// is the caller's business; each is given back exactly once.
package struct CallTable<Waiter>: ~Copyable {
    package struct Limits: Sendable {
        /// How many calls may wait.
        package var calls: Int
        /// How many bytes their arguments may have.
        package var bytes: Int

        package init(calls: Int, bytes: Int) {
            self.calls = calls
            self.bytes = bytes
        }
    }

    private struct Call {
        var waiter: Waiter
        var shard: ShardID
        var bytes: Int
        var begun: ContinuousClock.Instant
        var deadline: ContinuousClock.Instant
        var isCommand: Bool
    }

    private let limits: Limits
    private var calls: [UInt64: Call] = [:]
    private var bytes = 0
    private var lastID: UInt64
    /// Up to this id calls have been handed to the socket.
    private var handedOver: UInt64
    private var deadlines: DeadlineWheel
    /// Commands that have been handed over, and have no answer yet.
    package private(set) var unansweredCommands = 0

    /// - Parameter lastID: calls are numbered from the one after it.
    package init(limits: Limits, after lastID: UInt64 = 0, start: ContinuousClock.Instant = .now) {
        self.limits = limits
        self.lastID = lastID
        self.handedOver = lastID
        self.deadlines = DeadlineWheel(start: start)
    }

    package var count: Int { self.calls.count }
    package var isEmpty: Bool { self.calls.isEmpty }
    /// When a deadline has to be looked at.
    package var nextDeadline: ContinuousClock.Instant? { self.deadlines.next }

    /// - Returns: the call's id; nil when the limits allow no more. One call is allowed however large it is.
    package mutating func admit(
        _ waiter: Waiter, of shard: ShardID, bytes: Int, isCommand: Bool = false, deadline: ContinuousClock.Instant,
        at now: ContinuousClock.Instant = .now
    ) -> UInt64? {
        let hasRoom = self.calls.count < self.limits.calls && self.bytes + bytes <= self.limits.bytes
        guard hasRoom || self.calls.isEmpty else { return nil }
        self.lastID += 1
        self.calls[self.lastID] = Call(
            waiter: waiter, shard: shard, bytes: bytes, begun: now, deadline: deadline, isCommand: isCommand)
        self.bytes += bytes
        self.deadlines.insert(self.lastID, at: deadline)
        return self.lastID
    }

    /// Calls up to this one are on their way, and may run there whatever becomes of the connection.
    package mutating func handOver(through id: UInt64) {
        while self.handedOver < id {
            self.handedOver += 1
            if self.calls[self.handedOver]?.isCommand ?? false { self.unansweredCommands += 1 }
        }
    }

    /// The call has an answer, or its caller wants none any more; nil when it is not waiting.
    package mutating func finish(_ id: UInt64) -> Waiter? {
        guard let call = self.calls.removeValue(forKey: id) else { return nil }
        self.bytes -= call.bytes
        if call.isCommand, id <= self.handedOver { self.unansweredCommands -= 1 }
        self.deadlines.remove(id, at: call.deadline)
        return call.waiter
    }

    /// Those whose time is over.
    package mutating func expire(at now: ContinuousClock.Instant) -> [(id: UInt64, waiter: Waiter)] {
        var expired: [(id: UInt64, waiter: Waiter)] = []
        for id in self.deadlines.advance(to: now) {
            if let waiter = self.finish(id) { expired.append((id, waiter)) }
        }
        return expired
    }

    /// The connection broke: nobody knows what became of those that were on their way.
    package mutating func loseConnection() -> [Waiter] {
        self.calls.keys.filter { $0 <= self.handedOver }.sorted().compactMap { self.finish($0) }
    }

    /// Calls about these shards, be they on their way or not, that have waited since before `moment`.
    package mutating func finish(
        about shards: Set<ShardID>, begunBefore moment: ContinuousClock.Instant
    ) -> [(id: UInt64, waiter: Waiter)] {
        let ids = self.calls.filter { shards.contains($0.value.shard) && $0.value.begun < moment }.keys.sorted()
        return ids.compactMap { id in self.finish(id).map { (id, $0) } }
    }

    package mutating func removeAll() -> [Waiter] { self.calls.keys.sorted().compactMap { self.finish($0) } }
}
