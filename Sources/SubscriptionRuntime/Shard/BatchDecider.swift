import Entitlements
import EventSourcing
import Subscriptions
import WireProtocol

/// Decides a batch of commands one after the other, each on top of the one before, and gathers what has to be stored.
/// It does no I/O and reads no clock.
struct BatchDecider {
    private let rules: DerivationRules
    private let at: Moment
    private var head: EventSourcing.Sequence
    /// The newest decided state of every stream that a command names.
    private var entries: [[UInt8]: StreamEntry]
    /// What is stored, or in flight, under the dedup keys that commands name.
    private let known: [[UInt8]: Delivery]

    private var events: [NewEvent] = []
    private var lookups: [Lookup] = []
    private var changes: [[UInt8]: Commit.Change] = [:]
    private var deliveries: [[UInt8]: Delivery] = [:]
    private var decided: [Commit.Decided] = []
    /// Commands whose answer does not wait for a commit.
    private(set) var answered: [Commit.Decided] = []

    init(
        rules: DerivationRules, at: Moment, head: EventSourcing.Sequence, entries: [[UInt8]: StreamEntry],
        known: [[UInt8]: Delivery]
    ) {
        self.rules = rules
        self.at = at
        self.head = head
        self.entries = entries
        self.known = known
    }

    // MARK: Deciding

    mutating func decide(_ command: Command) {
        do {
            switch command.content {
            case .submission(let submission): try self.decide(submission, of: command)
            case .timer: try self.decideTimer(of: command)
            }
        } catch {
            // Nothing of this command has been kept: its neighbours go on.
            self.answer(command, .refused(.parked, message: "the command cannot be written: \(type(of: error))"))
        }
    }

    private mutating func decide(_ submission: Submission, of command: Command) throws {
        let bundle = submission.bundle
        var dedupKey = bundle.dedupKey
        var isVariant = false
        if let earlier = self.delivery(of: dedupKey) {
            guard earlier.contentDigest != bundle.contentDigest else {
                return self.repeated(earlier, command, dedupKey)
            }
            // The same UUID with other content: merged too, and kept under a key of its own.
            dedupKey = bundle.variantKey
            isVariant = true
            if let variant = self.delivery(of: dedupKey) { return self.repeated(variant, command, dedupKey) }
        }

        let before = self.entry(of: command)
        var events = before.state.decide(bundle, rules: self.rules)
        if isVariant {
            events.append(
                SubscriptionEvent(
                    source: bundle.source, changes: [.anomaly], signedDate: bundle.signedDate,
                    detail: "this notificationUUID had come before with other content"))
        }
        guard !events.isEmpty else { return try self.decideWithoutNews(submission, before, command) }

        let place = try self.append(
            events, to: before, command, dedupKey: dedupKey, evidence: submission.evidence,
            announcedUntil: self.announcedUntil(before))
        self.deliveries[dedupKey] = Delivery(contentDigest: bundle.contentDigest, place: place)
        self.decided.append(Commit.Decided(command: command, outcome: .recorded(place)))
    }

    /// An API answer or a client's post that says nothing new may have been signed later.
    private mutating func decideWithoutNews(
        _ submission: Submission, _ before: StreamEntry, _ command: Command
    ) throws {
        var after = before
        after.state = before.state.merging(submission.bundle.facts, source: submission.bundle.source)
        let outcome = SubmissionOutcome.duplicate(before.place)
        guard after.state != before.state else { return self.answer(command, outcome) }
        after.nextDue = self.nextDue(of: after.state, after: self.announcedUntil(before))
        try self.keep(after, before, command, entitlement: self.entitlement(after))
        self.decided.append(Commit.Decided(command: command, outcome: outcome))
    }

    private mutating func decideTimer(of command: Command) throws {
        let before = self.entry(of: command)
        let outcome = SubmissionOutcome.duplicate(before.place)
        guard let due = before.nextDue, due <= self.at else { return self.answer(command, outcome) }
        let justBefore = due - Milliseconds(rawValue: 1)
        let next = before.state.nextTransition(after: justBefore, rules: self.rules)
        if let transition = next, transition.due <= self.at {
            let place = try self.append(
                [before.state.announce(transition)], to: before, command,
                dedupKey: transition.dedupKey(of: command.keyBytes), announcedUntil: transition.due)
            self.decided.append(Commit.Decided(command: command, outcome: .recorded(place)))
        } else {
            var after = before
            after.nextDue = next?.due
            try self.keep(after, before, command, entitlement: self.entitlement(after))
            self.decided.append(Commit.Decided(command: command, outcome: outcome))
        }
    }

    private mutating func repeated(_ earlier: Delivery, _ command: Command, _ dedupKey: [UInt8]) {
        let outcome = SubmissionOutcome.duplicate(earlier.place)
        if self.deliveries[dedupKey] != nil {
            self.decided.append(Commit.Decided(command: command, outcome: outcome))
        } else {
            self.answer(command, outcome)
        }
    }

    private mutating func answer(_ command: Command, _ outcome: SubmissionOutcome) {
        self.answered.append(Commit.Decided(command: command, outcome: outcome))
    }

    private func delivery(of dedupKey: [UInt8]) -> Delivery? { self.deliveries[dedupKey] ?? self.known[dedupKey] }

    private func entry(of command: Command) -> StreamEntry {
        self.entries[command.keyBytes] ?? StreamEntry(key: command.key)
    }

    // MARK: Gathering

    /// All of it, or nothing when it throws.
    /// - Returns: where the first event stands, which holds the facts and carries the dedup key.
    private mutating func append(
        _ events: [SubscriptionEvent], to before: StreamEntry, _ command: Command, dedupKey: [UInt8],
        evidence: [EvidencePart] = [], announcedUntil: Moment
    ) throws -> SubmissionOutcome.Place {
        var after = before
        after.sequence = self.head
        var written: [NewEvent] = []
        for (index, event) in events.enumerated() {
            after.state.apply(event)
            after.version = StreamVersion(rawValue: after.version.rawValue + 1)
            after.sequence = after.sequence.next
            written.append(
                NewEvent(
                    key: command.keyBytes, version: after.version, kind: event.kind.rawValue,
                    dedupKey: index == 0 ? dedupKey : dedupKey + [UInt8(index)], at: self.at.milliseconds,
                    body: try event.protoBytes(key: command.key), entitlement: self.entitlement(after),
                    evidence: index == 0 ? evidence : []))
        }
        after.nextDue = self.nextDue(of: after.state, after: announcedUntil)
        let roads = events.reduce(into: Set<Lookup>()) { $0.formUnion($1.lookups(to: command.keyBytes)) }
        try self.keep(after, before, command, entitlement: written[written.count - 1].entitlement)
        self.lookups.append(contentsOf: roads.subtracting(before.state.lookups(to: command.keyBytes)))
        self.events.append(contentsOf: written)
        let first = SubmissionOutcome.Place(version: written[0].version, sequence: self.head.next)
        self.head = after.sequence
        return first
    }

    private mutating func keep(
        _ after: StreamEntry, _ before: StreamEntry, _ command: Command, entitlement: [UInt8]
    ) throws {
        let row = StreamRow(
            key: command.keyBytes, version: after.version, sequence: after.sequence,
            state: try StoredState(after.state).protoBytes(), entitlement: entitlement,
            nextDue: after.nextDue?.milliseconds)
        let first = self.changes[command.keyBytes]?.before ?? before
        self.changes[command.keyBytes] = Commit.Change(key: command.key, before: first, after: after, row: row)
        self.entries[command.keyBytes] = after
    }

    private func entitlement(_ entry: StreamEntry) -> [UInt8] {
        switch entry.state.key.kind {
        case .subscription, .purchase:
            EntitlementRow(
                state: entry.state, version: entry.version.rawValue, from: self.at, rules: self.rules
            ).encoded()
        case .massExtension, .externalPurchase, .appTransaction, .test: []
        }
    }

    /// Transitions up to here need no announcement any more: they are past. One that is due and not announced yet stays
    /// due, if it still comes at all.
    private func announcedUntil(_ entry: StreamEntry) -> Moment {
        min(self.at, (entry.nextDue ?? .distantFuture) - Milliseconds(rawValue: 1))
    }

    private func nextDue(of state: StreamState, after moment: Moment) -> Moment? {
        state.nextTransition(after: moment, rules: self.rules)?.due
    }

    // MARK: The result

    /// nil when no command needs a commit.
    func commit(ownership: ShardOwnership, head: EventSourcing.Sequence) -> (Commit, ShardBatch)? {
        guard !self.decided.isEmpty else { return nil }
        let commit = Commit(
            decided: self.decided, changes: self.changes, deliveries: self.deliveries, head: self.head, at: self.at)
        let batch = ShardBatch(
            shard: ownership.shard, epoch: ownership.epoch, incarnation: ownership.incarnation, head: head,
            events: self.events, streams: self.changes.values.map(\.row), lookups: self.lookups)
        return (commit, batch)
    }
}

extension FactBundle {
    /// The dedup key of what came under a UUID that had been used for something else.
    var variantKey: [UInt8] { self.dedupKey + self.contentDigest.bytes }
}

extension Transition {
    /// A timer's key is its stream, the transition and when it was due.
    func dedupKey(of stream: [UInt8]) -> [UInt8] {
        var bytes = stream
        bytes.append(0)
        bytes.append(contentsOf: self.name.rawValue.utf8)
        withUnsafeBytes(of: self.due.milliseconds.bigEndian) { bytes.append(contentsOf: $0) }
        return Array(ContentHash.sha256(bytes).prefix(20))
    }
}

extension EventSourcing.Sequence {
    fileprivate var next: Self { Self(rawValue: self.rawValue + 1) }
}
