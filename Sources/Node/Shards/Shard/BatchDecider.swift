import Customers
import Entitlements
import EventLog
import Ownership
import ServiceContract
import Subscriptions
import WireProtocol

/// Decides a batch of commands one after the other, each on top of the one before, and gathers what has to be stored.
/// It does no I/O and reads no clock.
struct BatchDecider {
    let shard: ShardID
    let rules: DerivationRules
    /// nil as long as nothing is told of changed rules.
    let reevaluator: Reevaluator?
    /// The store's.
    let level: FeatureLevel
    let links: LinkJudge
    let map: ShardHash
    /// nil where what is stored of a customer or an identifier cannot be read.
    private let directory: CustomerDirectory?
    private let fingerprint: RulesFingerprint
    /// The present: what is true and what is due goes by it.
    let now: Moment
    /// When the events are recorded: never before `now`, and later where recorded time has run ahead of the clock.
    let at: Moment
    private var head: LogSequence
    /// The newest decided state of every stream that a command names.
    private var entries: [[UInt8]: StreamEntry]
    /// What is stored, or in flight, under the dedup keys that commands name.
    private let known: [[UInt8]: Delivery]
    /// Streams of `entries` whose state waits for its commit.
    private let inFlight: Set<[UInt8]>

    private var events: [NewEvent] = []
    var lookups: [Lookup] = []
    var outbox: [InboxRow] = []
    private var changes: [[UInt8]: Commit.Change] = [:]
    var deliveries: [[UInt8]: Delivery] = [:]
    private var decided: [Commit.Decided] = []
    /// Commands whose answer does not wait for a commit.
    private(set) var answered: [Commit.Decided] = []
    /// Commands whose answer waits for the commit in flight that changes their stream.
    private(set) var joining: [Commit.Decided] = []

    init(
        shard: ShardID, rules: DerivationRules, reevaluator: Reevaluator?, level: FeatureLevel, links: LinkJudge,
        map: ShardHash, directory: CustomerDirectory?, now: Moment, at: Moment,
        head: LogSequence, entries: [[UInt8]: StreamEntry], known: [[UInt8]: Delivery], inFlight: Set<[UInt8]>
    ) {
        self.shard = shard
        self.rules = rules
        self.reevaluator = reevaluator
        self.level = level
        self.links = links
        self.map = map
        self.directory = directory
        self.fingerprint = RulesFingerprint(rules)
        self.now = now
        self.at = at
        self.head = head
        self.entries = entries
        self.known = known
        self.inFlight = inFlight
    }

    // MARK: Deciding

    mutating func decide(_ command: Command) {
        do {
            let told = try self.reevaluate(command)
            switch command.content {
            case .submission(let submission): try self.decide(submission, told, of: command)
            case .timer: try self.decideTimer(of: command)
            }
        } catch {
            // What of it has been kept is whole: its neighbours go on.
            self.answer(command, .refused(.parked, message: "the command cannot be written: \(type(of: error))"))
        }
    }

    /// The facts count first, then whose the stream is said to be.
    private mutating func decide(
        _ submission: Submission, _ told: SubmissionOutcome.Place?, of command: Command
    ) throws {
        var outcome = SubmissionOutcome.duplicate(self.entry(of: command).place)
        if !submission.bundle.isEmpty { outcome = try self.decideFacts(submission, of: command) }
        if let link = submission.bundle.link {
            outcome = try self.decideLink(link, submission.bundle, of: command) ?? outcome
        }
        if let request = submission.bundle.customer {
            outcome = try self.decideCustomer(request, submission.bundle, of: command)
        }
        if let successor = submission.bundle.successor {
            outcome = try self.decideSuccession(successor, submission.bundle, of: command)
        }
        if let mark = submission.bundle.reevaluation {
            outcome = try self.decideReevaluation(mark, told, of: command)
        }
        if let request = submission.bundle.erasure {
            outcome = try self.decideErasure(request, submission.bundle, of: command)
        }
        if let request = submission.bundle.registration {
            outcome = try self.decideRegistration(request, submission.bundle.dedupKey, of: command)
        }
        self.settled(command, outcome)
    }

    private mutating func decideFacts(_ submission: Submission, of command: Command) throws -> SubmissionOutcome {
        let bundle = submission.bundle
        let before = self.entry(of: command)
        var dedupKey = bundle.dedupKey
        var isVariant = false
        if let earlier = self.delivery(of: dedupKey) {
            if earlier.contentDigest != bundle.contentDigest {
                // The same UUID with other content: merged too, and kept under a key of its own.
                dedupKey = bundle.variantKey
                isVariant = true
            } else if let signingKey = bundle.signingKey,
                before.state.merging(bundle.facts, source: bundle.source) != before.state
            {
                // The same content signed anew: it counts against what was signed in between.
                dedupKey = signingKey
            } else {
                return .duplicate(earlier.place)
            }
            if let same = self.delivery(of: dedupKey) { return .duplicate(same.place) }
        }

        var events = before.state.decide(bundle, rules: self.rules)
        if isVariant {
            events.append(
                SubscriptionEvent(
                    source: bundle.source, changes: [.anomaly], signedDate: bundle.signedDate,
                    detail: "this notificationUUID had come before with other content"))
        }
        guard !events.isEmpty else { return try self.decideWithoutNews(bundle, before, command) }

        let place = try self.append(
            events, to: before, command, dedupKey: dedupKey, evidence: submission.evidence,
            announcedUntil: self.announcedUntil(before))
        let delivery = Delivery(contentDigest: bundle.contentDigest, place: place)
        self.deliveries[dedupKey] = delivery
        if let signingKey = bundle.signingKey { self.deliveries[signingKey] = delivery }
        return .recorded(place)
    }

    /// An API answer or a client's post that says nothing new may have been signed later.
    private mutating func decideWithoutNews(
        _ bundle: FactBundle, _ before: StreamEntry, _ command: Command
    ) throws -> SubmissionOutcome {
        var after = before
        after.state = before.state.merging(bundle.facts, source: bundle.source)
        if after.state != before.state {
            let outlook = Outlook(after.state, rules: self.rules)
            after.nextDue = outlook?.nextTransition(after: self.announcedUntil(before))?.due
            try self.keep(after, before, command, entitlement: self.entitlement(after, outlook))
        }
        return .duplicate(before.place)
    }

    /// - Returns: nil when nothing has to be said beside the facts.
    private mutating func decideLink(
        _ request: LinkRequest, _ bundle: FactBundle, of command: Command
    ) throws -> SubmissionOutcome? {
        let before = self.entry(of: command)
        guard before.version > .zero, command.key.kind.givesAccess else {
            return .refused(.unknownSubscription, message: "nothing is known under this id yet")
        }
        guard let directory else {
            return .refused(.corrupt, message: "what is stored of a customer or an identifier cannot be read")
        }
        // A request of its own that comes again has been carried out, whatever others have asked for since.
        let earlier = bundle.isEmpty ? self.delivery(of: bundle.dedupKey) : nil
        // What has taken something back would find nothing to take back.
        if case .undo = request.action, let earlier { return .duplicate(earlier.place) }
        let decision = self.links.decide(
            request, before.state, directory, at: self.now, rules: self.rules)
        var outcome = earlier.map { SubmissionOutcome.duplicate($0.place) }
        if outcome == nil, !decision.records.isEmpty {
            let events = decision.records.map { record in
                SubscriptionEvent(
                    source: request.origin == .backend ? .person : bundle.source, changes: [record.change], link: record
                )
            }
            let dedupKey = bundle.isEmpty ? bundle.dedupKey : bundle.linkKey(after: before.version)
            let place = try self.append(
                events, to: before, command, dedupKey: dedupKey, announcedUntil: self.announcedUntil(before))
            self.deliveries[dedupKey] = Delivery(contentDigest: nil, place: place)
            outcome = .recorded(place)
        }
        if let refusal = decision.refusal {
            let error = ServiceError(refusal)
            return .refused(error.code, message: error.message)
        }
        return outcome
    }

    private mutating func decideCustomer(
        _ request: CustomerRequest, _ bundle: FactBundle, of command: Command
    ) throws -> SubmissionOutcome {
        let (before, dedupKey) = (self.entry(of: command), bundle.dedupKey)
        guard let state = before.publisher?.customer else {
            return .refused(.invalidRequest, message: "the stream is not a customer's")
        }
        // A request that comes again has been carried out, whatever others have asked for since.
        if let earlier = self.delivery(of: dedupKey) { return .duplicate(earlier.place) }
        if case .tell(let telling) = request.content {
            return try self.decide(telling, of: request.customer, bundle, of: command)
        }
        let decision = CustomerDecision(request, state, at: before.version.rawValue, self.now)
        if let refusal = decision.refusal {
            let error = ServiceError(refusal)
            return .refused(error.code, message: error.message)
        }
        guard let record = decision.record else { return .duplicate(before.place) }
        return try self.append(
            SubscriptionEvent(source: .person, changes: [record.change], customer: record), to: before, dedupKey,
            command)
    }

    /// What somebody has said, in one event.
    mutating func append(
        _ event: SubscriptionEvent, to before: StreamEntry, _ dedupKey: [UInt8], _ command: Command
    ) throws -> SubmissionOutcome {
        let place = try self.append([event], to: before, command, dedupKey: dedupKey, announcedUntil: self.now)
        self.deliveries[dedupKey] = Delivery(contentDigest: nil, place: place)
        return .recorded(place)
    }

    private mutating func decideTimer(of command: Command) throws {
        let before = self.entry(of: command)
        let outcome = SubmissionOutcome.duplicate(before.place)
        guard let due = before.nextDue, due <= self.now else { return self.settled(command, outcome) }
        guard before.publisher == nil else {
            try self.beginReview(due: due, of: command)
            return self.decided.append(Commit.Decided(command: command, outcome: outcome))
        }
        let next = before.nextTransition(rules: self.rules)
        let isDue = next.map { $0.due <= self.now } ?? false
        let dedupKey = next?.dedupKey(of: command.keyBytes) ?? []
        if let transition = next, isDue, self.delivery(of: dedupKey) == nil {
            let place = try self.append(
                [before.state.announce(transition)], to: before, command, dedupKey: dedupKey,
                announcedUntil: transition.due)
            self.settled(command, .recorded(place))
        } else {
            var after = before
            let outlook = Outlook(after.state, rules: self.rules)
            // A clock that ran ahead and came back brings announced transitions round again.
            after.nextDue = isDue ? next.flatMap { outlook?.nextTransition(after: $0.due)?.due } : next?.due
            try self.keep(after, before, command, entitlement: self.entitlement(after, outlook))
            self.decided.append(Commit.Decided(command: command, outcome: outcome))
        }
    }

    /// What an answer rests on may not be durable yet: then it waits for that, whether `command` has changed anything or not.
    private mutating func settled(_ command: Command, _ outcome: SubmissionOutcome) {
        let decided = Commit.Decided(command: command, outcome: outcome)
        if self.changes[command.keyBytes] != nil {
            self.decided.append(decided)
        } else if self.inFlight.contains(command.keyBytes) {
            self.joining.append(decided)
        } else {
            self.answered.append(decided)
        }
    }

    private mutating func answer(_ command: Command, _ outcome: SubmissionOutcome) {
        self.answered.append(Commit.Decided(command: command, outcome: outcome))
    }

    func delivery(of dedupKey: [UInt8]) -> Delivery? { self.deliveries[dedupKey] ?? self.known[dedupKey] }

    func entry(of command: Command) -> StreamEntry {
        self.entries[command.keyBytes] ?? StreamEntry(key: command.key)
    }

    // MARK: Gathering

    /// All of it, or nothing when it throws.
    /// - Parameter base: what the events are folded onto, where that is not `before`.
    /// - Returns: where the first event stands, which holds the facts and carries the dedup key.
    mutating func append(
        _ events: [SubscriptionEvent], to before: StreamEntry, onto base: StreamEntry? = nil, _ command: Command,
        dedupKey: [UInt8], evidence: EncodedEvidence? = nil, announcedUntil: Moment
    ) throws -> SubmissionOutcome.Place {
        var after = base ?? before
        after.sequence = self.head
        var written: [NewEvent] = []
        var outlook: Outlook?
        var row: EntitlementRow?
        for (index, event) in events.enumerated() {
            after.apply(event, at: self.at)
            outlook = Outlook(after.state, rules: self.rules)
            after.version = StreamVersion(rawValue: after.version.rawValue + 1)
            after.sequence = after.sequence.next
            row = self.entitlementRow(after, outlook)
            written.append(
                NewEvent(
                    key: command.keyBytes, version: after.version, kind: event.kind.rawValue,
                    dedupKey: index == 0 ? dedupKey : dedupKey + [UInt8(index)], at: self.at.milliseconds,
                    body: try event.protoBytes(key: command.key), entitlement: self.encoded(row),
                    evidence: index == 0 ? evidence : nil))
        }
        if before.publisher == nil { after.nextDue = outlook?.nextTransition(after: announcedUntil)?.due }
        let left = try self.leftToDo(after: events, before, after, row)
        try self.keep(
            after, before, command, entitlement: written[written.count - 1].entitlement,
            doubt: self.doubt(events, outlook, isFirst: before.version == .zero))
        self.lookups += CustomerIdentifiers(events).lookups(
            to: command.keyBytes, without: CustomerIdentifiers(before.state), by: self.links.hashing)
        self.lookups += self.lookupsOfSuccessor(after: events, command)
        self.events.append(contentsOf: written)
        self.outbox += left
        let first = SubmissionOutcome.Place(version: written[0].version, sequence: self.head.next)
        self.head = after.sequence
        return first
    }

    mutating func keep(
        _ after: StreamEntry, _ before: StreamEntry, _ command: Command, entitlement: [UInt8],
        doubt: AskReason? = nil
    ) throws {
        let row = StreamRow(
            key: command.keyBytes, version: after.version, sequence: after.sequence,
            state: try after.storedState(), entitlement: entitlement,
            nextDue: after.nextDue?.milliseconds)
        var after = after
        after.told = entitlement
        after.knowsCatalog = self.reevaluator != nil
        let earlier = self.changes[command.keyBytes]
        self.changes[command.keyBytes] = Commit.Change(
            key: command.key, before: earlier?.before ?? before, after: after, row: row,
            doubt: doubt ?? earlier?.doubt)
        self.entries[command.keyBytes] = after
    }

    private func doubt(_ events: [SubscriptionEvent], _ outlook: Outlook?, isFirst: Bool) -> AskReason? {
        guard let outlook else { return nil }
        if events.contains(where: { $0.changes == [.anomaly] }) { return .anomaly }
        if isFirst, events[0].source == .client { return .firstSeen }
        // The end of a purchase is by our configuration: Apple knows nothing of it.
        if outlook.key.kind == .subscription, events[0].source == .timer,
            Change.endingsByTime.contains(events[0].kind)
        {
            return .endedByTime
        }
        return outlook.doubt(at: self.now).map(AskReason.init)
    }

    func entitlement(_ entry: StreamEntry, _ outlook: Outlook?) -> [UInt8] {
        self.encoded(self.entitlementRow(entry, outlook))
    }

    /// nil for what no check asks about.
    private func entitlementRow(_ entry: StreamEntry, _ outlook: Outlook?) -> EntitlementRow? {
        guard entry.state.key.kind.givesAccess else { return nil }
        return EntitlementRow(outlook, version: entry.version.rawValue, from: self.now)
    }

    private func encoded(_ row: EntitlementRow?) -> [UInt8] { row?.encoded(under: self.fingerprint) ?? [] }

    /// Transitions up to here need no announcement any more: they are past. One that is due and not announced yet stays
    /// due, if it still comes at all.
    func announcedUntil(_ entry: StreamEntry) -> Moment {
        min(self.now, (entry.nextDue ?? .distantFuture) - Milliseconds(rawValue: 1))
    }

    // MARK: The result

    /// nil when no command needs a commit.
    func commit(under standing: ShardStanding, head: LogSequence) -> (Commit, ShardBatch)? {
        guard !self.decided.isEmpty else { return nil }
        let commit = Commit(
            decided: self.decided, changes: self.changes, deliveries: self.deliveries, lookups: self.lookups,
            head: self.head, at: self.at)
        let batch = ShardBatch(
            shard: self.shard, epoch: standing.epoch, incarnation: standing.incarnation, head: head,
            events: self.events, streams: self.changes.values.map(\.row), lookups: self.lookups, outbox: self.outbox)
        return (commit, batch)
    }
}

extension LogSequence {
    fileprivate var next: Self { Self(rawValue: self.rawValue + 1) }
}
