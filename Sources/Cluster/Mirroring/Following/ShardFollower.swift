import Entitlements
import EventLog
import Subscriptions
import WireProtocol

/// One shard as a subscriber follows it: what came, what is missing, and what to ask for next. It knows neither sockets
/// nor time; the rules are those of `stream.proto`.
struct ShardFollower {
    private enum Phase {
        /// Nothing that one could go on from.
        case empty
        /// A snapshot that began at `start` has come up to the key `after`.
        case copying(start: ServedHead, after: [UInt8])
        /// All up to `position` has been taken.
        case following
    }

    /// A moment of the past at which the log was so long.
    private struct Mark {
        var sequence: LogSequence
        var moment: ContinuousClock.Instant
    }

    /// How many deltas wait for those before them; they are asked for when there are more.
    static let heldLimit = 1_024
    /// One comes with each probe that is answered.
    private static let markLimit = 8

    let shard: ShardID
    /// Whether there is a copy to begin with.
    private let copies: Bool
    /// The newest that was heard of.
    private(set) var epoch = Epoch(rawValue: 0)
    /// The source whose node owns the shard; nil while none has said so.
    private(set) var owner: SourceID?
    private var phase = Phase.empty
    private var position = StreamPosition.start
    /// The newest whose owner has told of `position`: a log that ends before it in a later one has lost it.
    private var positionEpoch = Epoch(rawValue: 0)
    /// How long the log is at least.
    private var head = LogSequence.zero
    /// Consecutive, and beyond `position`.
    private var held: [StreamDelta] = []
    private var marks: [Mark] = []
    /// How far the log went, as far as was known, when the newest gap was noticed.
    private var gapEnd = LogSequence.zero
    /// The sink knows of something that would have to be taken back.
    private var hasTold = false
    private var isRestarting = false
    /// Of the owner that the copy is of; nil while there is no copy.
    private var rules: UInt32?
    /// A copy made by other rules is renewed beside following: up to this key it has been.
    private var renewed: [UInt8]?
    /// What answers by customer need is to come along.
    private let withCustomers: Bool
    /// It did not, with some stream, since an owner last began to tell of all.
    private var lacksCustomers = false

    init(shard: ShardID, from start: FollowingStart, withCustomers: Bool) {
        self.shard = shard
        self.withCustomers = withCustomers
        switch start {
        case .everything: self.copies = true
        case .now: self.copies = false
        case .after(let positions):
            self.copies = false
            self.phase = .following
            self.position = positions.first { $0.shard == shard }.map(StreamPosition.init) ?? .start
            self.head = self.position.sequence
        }
    }

    var isFollowing: Bool { if case .following = self.phase { true } else { false } }

    // MARK: What comes

    /// The owner says how long the log is.
    /// - Parameter isPublished: in a beat: what it names has come before it, or is lost. An answer may overtake.
    mutating func see(_ head: ServedHead, from source: SourceID, isPublished: Bool, _ sink: any StreamSink) {
        guard head.epoch >= self.epoch else { return }
        self.raise(to: head.epoch, from: source)
        self.doubt(head.position, in: head.epoch, sink)
        self.owner = source
        if !self.copies, !self.isFollowing { self.begin(at: head, sink) }
        self.heed(head)
        if isPublished { self.head = max(self.head, head.position.sequence) }
    }

    mutating func hear(
        _ delta: StreamDelta, from source: SourceID, _ sink: any StreamSink
    ) throws(MirrorError) {
        guard delta.epoch >= self.epoch else { return }
        self.raise(to: delta.epoch, from: source)
        // A place that is taken already is one that was lost, if the node does not say what it follows.
        self.doubt(delta.previous ?? delta.position.before, in: delta.epoch, sink)
        if self.isFollowing, self.isContradicted(by: delta) { self.restart(sink) }
        if self.isFollowing, self.held.isEmpty, delta.previous == self.position {
            try self.advance(delta, sink)
        } else if !self.isFollowing || delta.position.sequence > self.position.sequence {
            self.hold(delta)
        }
    }

    /// The log was so long at a moment before `moment`, or at it.
    mutating func mark(_ head: ServedHead, at moment: ContinuousClock.Instant, _ sink: any StreamSink) {
        guard self.isFollowing, head.epoch == self.epoch else { return }
        // Whoever is behind for long comes to the first of them some time, and is as current as that.
        if self.marks.count < Self.markLimit {
            self.marks.append(Mark(sequence: head.position.sequence, moment: moment))
        }
        self.reachMarks(sink)
    }

    /// - Parameter question: that the page answers. It may have been asked before a restart.
    mutating func take(
        _ page: SnapshotPage, to question: StreamRequest.Content, _ sink: any StreamSink
    ) throws(MirrorError) {
        if self.isFollowing { return try self.renew(from: page, to: question, sink) }
        guard question == self.question, page.head.epoch >= self.epoch else { return }
        self.raise(to: page.head.epoch, from: self.owner)
        let start: ServedHead
        switch self.phase {
        case .following: return
        case .empty: start = page.head
        case .copying(let first, _):
            // Another owner may have another log.
            guard first.epoch == page.head.epoch else { return self.restart(sink) }
            start = first
        }
        self.hasTold = true
        self.notice(page.head, sink)
        for image in page.images {
            try sink.take(image, in: self.shard)
            self.notice(image, sink)
        }
        guard page.next.isEmpty else {
            self.phase = .copying(start: start, after: page.next)
            return
        }
        self.begin(at: start, sink)
        try self.release(sink)
    }

    /// - Returns: whether it was of any use.
    mutating func take(_ page: ChangesPage, _ sink: any StreamSink) throws(MirrorError) -> Bool {
        guard self.isFollowing, page.head.epoch >= self.epoch else { return false }
        self.raise(to: page.head.epoch, from: self.owner)
        self.doubt(page.head.position, in: page.head.epoch, sink)
        let before = self.position
        for delta in page.deltas where delta.position.sequence > self.position.sequence {
            guard self.isFollowing, delta.previous == self.position else { break }
            try self.advance(delta, sink)
        }
        self.head = max(self.head, page.head.position.sequence)
        try self.release(sink)
        return self.position != before
    }

    mutating func forgetOwner() { self.owner = nil }

    /// What came cannot be taken. A copy with a hole would stand for all, so it begins again; whoever only goes on is given the
    /// same once more.
    mutating func fail(_ sink: any StreamSink) {
        if self.copies { self.restart(sink) }
    }

    /// All of it is to come anew.
    mutating func restart(_ sink: any StreamSink) {
        if self.hasTold || self.isFollowing {
            sink.beginRestart(of: self.shard)
            self.isRestarting = true
        }
        self.hasTold = false
        self.phase = .empty
        self.position = .start
        self.head = .zero
        self.held = []
        self.marks = []
        self.rules = nil
        self.renewed = nil
        self.lacksCustomers = false
        self.gapEnd = .zero
    }

    /// The same of a store that was restored, whose epochs may be smaller.
    mutating func restartWithoutEpoch(_ sink: any StreamSink) {
        self.restart(sink)
        self.epoch = Epoch(rawValue: 0)
        self.owner = nil
    }

    // MARK: What to ask

    /// nil when nothing is missing.
    var question: StreamRequest.Content? {
        switch self.phase {
        case .empty: self.copies ? .snapshot(self.shard, after: [], limit: 0) : nil
        case .copying(_, let after): .snapshot(self.shard, after: after, limit: 0)
        case .following:
            self.head > self.position.sequence || !self.held.isEmpty
                ? .changes(self.shard, after: self.position, limit: 0)
                : self.renewed.map { .snapshot(self.shard, after: $0, limit: 0) }
        }
    }

    /// Changes are being asked for.
    /// - Returns: whether it is the first time: not another page of the same gap, nor the same page once more.
    mutating func noticeGap() -> Bool {
        guard self.position.sequence >= self.gapEnd else { return false }
        self.gapEnd = max(self.head, self.held.last?.position.sequence ?? .zero)
        return true
    }

    // MARK: Inside

    private mutating func begin(at head: ServedHead, _ sink: any StreamSink) {
        self.phase = .following
        if self.isRestarting { sink.endRestart(of: self.shard) }
        self.isRestarting = false
        self.head = max(self.head, head.position.sequence)
        self.position = head.position
        self.positionEpoch = head.epoch
        if self.copies { self.rules = head.rules }
        if !self.lacksCustomers { self.tellOfCustomers(sink) }
        sink.setPosition(head.position.position(in: self.shard))
        self.reachMarks(sink)
    }

    /// The owner answers by other rules, or tells of customers while what it has told before does not.
    private mutating func heed(_ head: ServedHead) {
        guard let present = self.rules else { return }
        let tells = self.lacksCustomers && head.customerRules != 0
        guard present != head.rules || tells else { return }
        if tells { self.lacksCustomers = false }
        self.rules = head.rules
        self.renewed = []
    }

    /// A page of an owner that does not tell of customers lacks rows, and another has some without what answers need.
    private mutating func notice(_ head: ServedHead, _ sink: any StreamSink) {
        if head.customerRules == 0 { self.lack(sink) }
    }

    private mutating func notice(_ image: SubscriptionImage, _ sink: any StreamSink) {
        if image.customer == nil, image.isOfCustomers { self.lack(sink) }
    }

    private mutating func lack(_ sink: any StreamSink) {
        guard self.withCustomers, self.copies else { return }
        if !self.lacksCustomers { sink.setTellsOfCustomers(false, in: self.shard) }
        self.lacksCustomers = true
    }

    private func tellOfCustomers(_ sink: any StreamSink) {
        if self.withCustomers, self.copies { sink.setTellsOfCustomers(true, in: self.shard) }
    }

    private mutating func renew(
        from page: SnapshotPage, to question: StreamRequest.Content, _ sink: any StreamSink
    ) throws(MirrorError) {
        guard let renewed = self.renewed, question == .snapshot(self.shard, after: renewed, limit: 0),
            page.head.epoch >= self.epoch
        else { return }
        self.raise(to: page.head.epoch, from: self.owner)
        self.doubt(page.head.position, in: page.head.epoch, sink)
        guard page.head.rules == self.rules else { return self.heed(page.head) }
        // Another owner begins again.
        guard self.renewed == renewed else { return }
        self.notice(page.head, sink)
        for image in page.images {
            try sink.renew(image, in: self.shard)
            self.notice(image, sink)
        }
        self.renewed = page.next.isEmpty ? nil : page.next
        if self.renewed == nil, !self.lacksCustomers { self.tellOfCustomers(sink) }
        self.reachMarks(sink)
    }

    private mutating func raise(to epoch: Epoch, from source: SourceID?) {
        guard epoch > self.epoch else { return }
        self.epoch = epoch
        self.owner = source
        // What the owners before have said may have been lost with them.
        self.head = self.position.sequence
        self.held = []
        self.gapEnd = .zero
        // The rest would be another owner's, which may tell less.
        if self.renewed != nil { self.renewed = [] }
    }

    /// - Parameter place: where the log stood at some time in this epoch.
    private mutating func doubt(_ place: StreamPosition, in epoch: Epoch, _ sink: any StreamSink) {
        guard self.isFollowing else { return }
        // Within one epoch the log only grows: a place that is shorter is old news there.
        let isShorter = self.positionEpoch < epoch && place.sequence < self.position.sequence
        if isShorter || place.contradicts(self.position) { self.restart(sink) }
    }

    /// One run writes all events of an epoch. A delta of the epoch of `position` that is at it or before it, and of another
    /// run, is of a log that has forgotten the epoch too and gives its number once more.
    private func isContradicted(by delta: StreamDelta) -> Bool {
        delta.epoch == self.positionEpoch && delta.position.sequence <= self.position.sequence
            && delta.position.tag != self.position.tag
    }

    private mutating func hold(_ delta: StreamDelta) {
        if let last = self.held.last {
            guard delta.position.sequence > last.position.sequence else { return }
            // With a hole in it, what is before has to be asked for anyway.
            if delta.previous != last.position || self.held.count == Self.heldLimit { self.held = [] }
        }
        self.held.append(delta)
    }

    /// Goes on with what is held, where it joins.
    private mutating func release(_ sink: any StreamSink) throws(MirrorError) {
        guard let first = self.held.first else { return }
        let place = Int(self.position.sequence.rawValue - first.position.sequence.rawValue) + 1
        // Before it there is still a gap.
        guard place >= 0 else { return }
        let held = self.held
        self.held = []
        for delta in held.dropFirst(place) {
            // Not the same log after all.
            guard delta.previous == self.position else { return }
            try self.advance(delta, sink)
        }
    }

    private mutating func advance(_ delta: StreamDelta, _ sink: any StreamSink) throws(MirrorError) {
        try sink.advance(delta.image, to: delta.position.position(in: self.shard))
        self.notice(delta.image, sink)
        self.position = delta.position
        self.positionEpoch = max(self.positionEpoch, delta.epoch)
        // Events are stored with what their owner made of them then. A node that does not tell its rules has none to compare.
        if let rules = self.rules, rules != 0, delta.image.rules.map({ $0 != rules }) ?? false { self.renewed = [] }
        self.reachMarks(sink)
    }

    private mutating func reachMarks(_ sink: any StreamSink) {
        while self.renewed == nil, let mark = self.marks.first, mark.sequence <= self.position.sequence {
            sink.setCurrent(self.shard, asOf: mark.moment)
            self.marks.removeFirst()
        }
    }
}

extension SubscriptionImage {
    /// By which its entitlement was made; nil where it does not say.
    fileprivate var rules: UInt32? { EntitlementRow.fingerprint(of: self.entitlement)?.rawValue }

    /// Answers by customer may depend on it.
    fileprivate var isOfCustomers: Bool {
        self.key.first.flatMap(StreamKind.init).map { $0.givesAccess || $0.isOfPublisher } ?? false
    }
}

extension StreamPosition {
    /// A log that holds this does not hold `other`; a tag of 0 is not known.
    fileprivate func contradicts(_ other: StreamPosition) -> Bool {
        self.sequence == other.sequence && self.tag != 0 && self.tag != other.tag
    }

    /// The place before, whoever wrote it.
    fileprivate var before: StreamPosition {
        StreamPosition(sequence: LogSequence(rawValue: self.sequence.rawValue - 1), tag: 0)
    }
}
