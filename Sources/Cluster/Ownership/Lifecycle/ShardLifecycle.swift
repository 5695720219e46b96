package import EventLog

/// Where a shard stands on this node: what the store has said of it (`stored`), and how far the shard's writer has applied that
/// (`applied`). Everything else that depends on ownership is derived from it: what the queue admits, which epoch is served, when
/// timers run, which answers may leave.
///
///     stored                                        applied, a moment later
///     absent ──owned──▶ serving ◀──kept── draining  absent ──owned──▶ serving ──frozen──▶ frozen
///                       serving ──draining──▶                         frozen ──owned──▶ serving
///     draining ──handedOver──▶ absent               draining ──handedOver──▶ absent, at once
///     serving, draining ──frozen──▶ frozen          serving, frozen ──released──▶ absent
///     frozen ──owned (a later epoch)──▶ serving
///     any ──released──▶ absent                      any ──lost──▶ lost: the end of the run, at once
///
/// Events about another epoch than the present one are not taken: the shard has been released or owned again since.
package struct ShardLifecycle: Hashable, Sendable {
    package enum Phase: Hashable, Sendable {
        /// Another run owns the shard, as far as is known, or no run does.
        case absent
        case serving
        /// The shard is being handed off: it is answered for, and takes no more commands. Only ever `stored`.
        case draining
        /// The end of the log, or the owner, is unknown. Nothing is answered until the store has said which, under a later epoch,
        /// which fences off every write still on its way.
        case frozen
    }

    /// One side's knowledge.
    package struct View: Hashable, Sendable {
        package fileprivate(set) var phase = Phase.absent
        /// The last confirmed standing, also of a shard that is absent by now; nil before it was ever owned.
        package fileprivate(set) var standing: ShardStanding?

        /// The epoch under which the shard is owned; nil when it is not.
        package var epoch: Epoch? { self.phase == .absent ? nil : self.standing?.epoch }
    }

    /// What a row of the store, read after everything else was heard, means for the shard.
    package enum Finding: Hashable, Sendable {
        case asKnown
        /// Another run is the owner.
        case lost
        /// This run is the owner, and has not heard it: the shard was given to it, or taken by a statement whose outcome it did
        /// not hear.
        case gained
        /// The store has forgotten some of what it had confirmed.
        case rewound
    }

    package private(set) var stored = View()
    package private(set) var applied = View()
    /// The store has to be opened again: nothing of this run can be believed any more.
    package private(set) var isLost = false
    /// The node stops: commands that are waiting are still worked off.
    package private(set) var isClosing = false
    /// From this moment of the node's clock on no earlier owner answers any more; nil once that has passed.
    private var exclusiveFrom: Duration?

    package init() {}

    // MARK: Asking

    /// This run's log is known, and no other run writes to it.
    package var isServing: Bool { self.applied.phase == .serving && !self.isLost }

    /// The epoch under which other nodes' calls are served; nil when they are not.
    package var servedEpoch: Epoch? { self.isLost ? nil : self.applied.epoch }

    /// How long an earlier owner may still answer. Until then nothing is answered, and no write acknowledged that answers must
    /// show.
    package func wait(at now: Duration) -> Duration { max(.zero, (self.exclusiveFrom ?? now) - now) }

    package func mayAnswer(at now: Duration) -> Bool { self.isServing && self.wait(at: now) == .zero }

    /// No earlier owner answers any more: there is no need to read the clock.
    package var isExclusive: Bool { self.exclusiveFrom == nil }

    /// Whether a batch decided under `epoch` may still be committed.
    package func mayCommit(under epoch: Epoch) -> Bool { self.stored.epoch.map { epoch >= $0 } ?? false }

    /// Compares a row with what the store has said before.
    package func finding(_ row: ShardRecord, by run: ShardRecord.Owner) -> Finding {
        if let standing = self.stored.standing, self.stored.phase != .absent, !standing.isConsistent(with: row) {
            return .rewound
        }
        let isLater = self.stored.epoch.map { $0 < row.epoch }
        if row.owner == run { return isLater ?? true ? .gained : .asKnown }
        return isLater ?? false ? .lost : .asKnown
    }

    // MARK: Telling

    /// Takes one event.
    /// - Returns: what has to be done about it, in one step with it; nil when the event is not taken and nothing has changed: it
    ///   is about another epoch, has been taken already, or tells of a store that has forgotten what it had confirmed to this run,
    ///   which cannot go on then (`owned`).
    package mutating func handle(_ event: ShardEvent) -> ShardActions? {
        let before = self
        var news: ShardNews?
        switch event {
        case .stored(let word):
            guard self.store(word) else { return nil }
            news = word
        case .applied(let word): guard self.apply(word) else { return nil }
        case .draining:
            guard self.stored.phase == .serving, self.isServing else { return nil }
            self.stored.phase = .draining
        case .handedOver(let epoch):
            guard self.stored.phase == .draining, self.stored.epoch == epoch, self.applied.epoch == epoch else {
                return nil
            }
            self.stored.phase = .absent
            self.applied.phase = .absent
            news = .released(under: epoch)
        case .kept(let epoch):
            guard self.stored.phase == .draining, self.stored.epoch == epoch else { return nil }
            self.stored.phase = .serving
        case .waitShortened(let exclusiveFrom):
            guard let known = self.exclusiveFrom, exclusiveFrom < known else { return nil }
            self.exclusiveFrom = exclusiveFrom
        case .waited(let now):
            guard self.exclusiveFrom != nil, self.wait(at: now) == .zero else { return nil }
            self.exclusiveFrom = nil
        case .closing:
            guard !self.isClosing else { return nil }
            self.isClosing = true
        }
        return ShardActions(from: before, to: self, writer: news)
    }

    private mutating func store(_ news: ShardNews) -> Bool {
        switch news {
        case .owned(let ownership, let exclusiveFrom):
            guard self.stored.standing?.mayPrecede(ownership) ?? true else { return false }
            self.stored.own(ownership)
            if let exclusiveFrom { self.exclusiveFrom = exclusiveFrom }
            return true
        case .appended(let head, let epoch): return self.stored.advance(to: head, under: epoch)
        case .frozen(let epoch): return self.stored.freeze(under: epoch)
        case .released(let epoch): return self.stored.release(under: epoch)
        case .lost:
            defer { self.isLost = true }
            return !self.isLost
        }
    }

    private mutating func apply(_ news: ShardNews) -> Bool {
        switch news {
        case .owned(let ownership, _):
            self.applied.own(ownership)
            return true
        case .appended(let head, let epoch): return self.applied.advance(to: head, under: epoch)
        case .frozen(let epoch): return self.applied.freeze(under: epoch)
        case .released(let epoch): return self.applied.release(under: epoch)
        // Applied when it was stored.
        case .lost: return false
        }
    }
}

extension ShardLifecycle.View {
    fileprivate mutating func own(_ ownership: ShardOwnership) {
        self.phase = .serving
        self.standing = ShardStanding(ownership)
    }

    fileprivate mutating func advance(to head: LogSequence, under epoch: Epoch) -> Bool {
        guard self.standing?.epoch == epoch else { return false }
        self.standing?.head = head
        return true
    }

    fileprivate mutating func freeze(under epoch: Epoch) -> Bool {
        guard self.epoch == epoch, self.phase != .frozen else { return false }
        self.phase = .frozen
        return true
    }

    fileprivate mutating func release(under epoch: Epoch) -> Bool {
        guard self.epoch == epoch else { return false }
        self.phase = .absent
        return true
    }
}
