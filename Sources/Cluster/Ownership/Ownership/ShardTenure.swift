package import EventLog

/// What a run may do with one shard: answer for it, write to it, give it away. It hears of what the store did in the order in
/// which the store did it; what it is told of another epoch than the present one has nothing to do with it any more.
package struct ShardTenure: Hashable, Sendable {
    package enum Phase: Hashable, Sendable {
        /// Another run's, as far as is known, or nobody's.
        case absent
        case serving
        /// It will be given away: it is answered for, and nothing more is taken for it.
        case draining
        /// Nobody knows how its log ends, or whose it is: nothing is answered before the store has said so, under a later
        /// epoch, which keeps out whatever is still on its way there.
        case frozen
    }

    /// What a row, read after everything else was heard, means for the shard.
    package enum Finding: Hashable, Sendable {
        case asKnown
        /// Another run is the owner.
        case lost
        /// This run is the owner, and has not heard it: it was given the shard, or took it by a statement whose outcome it
        /// did not hear.
        case gained
        /// The store has forgotten some of what it had confirmed.
        case rewound
    }

    package private(set) var phase = Phase.absent
    /// What the store has confirmed, also of a shard that is absent by now; nil before it was ever owned.
    package private(set) var standing: ShardStanding?
    /// By the clock of who owns it; nil once it is known to be past.
    private var soleFrom: Duration?

    package init() {}

    // MARK: Asking

    /// Under which the shard is owned, as far as is known; nil when it is not.
    package var epoch: Epoch? { self.phase == .absent ? nil : self.standing?.epoch }

    /// What the store has is known here, and nobody else writes.
    package var isServing: Bool { self.phase == .serving || self.phase == .draining }

    /// For so long somebody who owned the shard before may still answer for it: until then nothing is answered, and no write
    /// acknowledged that answers must show.
    package func wait(at now: Duration) -> Duration { max(.zero, (self.soleFrom ?? now) - now) }

    package func mayAnswer(at now: Duration) -> Bool { self.isServing && self.wait(at: now) == .zero }

    /// There is no need to look at the clock any more.
    package var isSole: Bool { self.soleFrom == nil }

    package func finding(_ row: ShardRecord, by run: ShardRecord.Owner) -> Finding {
        if let standing, self.phase != .absent, !standing.isBorneOut(by: row) { return .rewound }
        let isLater = self.epoch.map { $0 < row.epoch }
        if row.owner == run { return isLater ?? true ? .gained : .asKnown }
        return isLater ?? false ? .lost : .asKnown
    }

    // MARK: Told of what the store did

    /// The store has made this run the owner: for the first time, or anew.
    /// - Parameter soleFrom: from then on nobody who owned the shard before answers any more; nil where it is as it was.
    /// - Returns: false when it has forgotten some of what it had confirmed to this run, which then cannot go on.
    package mutating func own(_ ownership: ShardOwnership, soleFrom: Duration?) -> Bool {
        guard self.standing?.mayPrecede(ownership) ?? true else { return false }
        self.phase = .serving
        self.standing = ShardStanding(ownership)
        if let soleFrom { self.soleFrom = soleFrom }
        return true
    }

    /// Events up to `head` are durable.
    package mutating func advance(to head: LogSequence, under epoch: Epoch) {
        if self.standing?.epoch == epoch { self.standing?.head = head }
    }

    /// The outcome of a statement is unknown, or the store does not have what this run knows.
    /// - Returns: false when there is nothing to be found out, or that has begun already.
    package mutating func freeze(under epoch: Epoch) -> Bool {
        guard self.epoch == epoch, self.phase != .frozen else { return false }
        self.phase = .frozen
        return true
    }

    /// Another run owns the shard.
    /// - Returns: false when that was known, or it has come back since.
    package mutating func letGo(under epoch: Epoch) -> Bool {
        guard self.epoch == epoch else { return false }
        self.phase = .absent
        return true
    }

    /// Some of those who might still answer have turned out not to.
    package mutating func shortenWait(until soleFrom: Duration) {
        self.soleFrom = self.soleFrom.map { min($0, soleFrom) }
    }

    /// - Returns: whether the wait is over.
    package mutating func endWait(at now: Duration) -> Bool {
        guard self.wait(at: now) == .zero else { return false }
        self.soleFrom = nil
        return true
    }

    // MARK: Hand-off

    /// Begins to give the shard away.
    /// - Returns: the epoch under which that is; nil when it is not served here.
    package mutating func drain() -> Epoch? {
        guard self.phase == .serving else { return nil }
        self.phase = .draining
        return self.epoch
    }

    /// Nothing is in flight any more: the shard is let go, so that its row may name another run. If that does not happen, or is
    /// not heard of, a reading tells (`Finding.gained`).
    /// - Returns: false when something has come between, and it must not be given away.
    package mutating func handOver(under epoch: Epoch) -> Bool {
        guard self.phase == .draining else { return false }
        return self.letGo(under: epoch)
    }

    /// It is not given away after all.
    package mutating func keep(under epoch: Epoch) {
        if self.phase == .draining, self.epoch == epoch { self.phase = .serving }
    }
}
