package import EventLog
package import WireProtocol

/// All shards of one store as a subscriber follows them, from any number of nodes: takes messages as they come, and says
/// what to ask whom. It knows no sockets.
package struct StreamFollower {
    private struct Question {
        /// nil for a probe.
        var shard: ShardID?
        var content: StreamRequest.Content
        var source: SourceID
        var asked: ContinuousClock.Instant
    }

    /// Answers may be lost.
    private static let patience = Duration.seconds(3)
    private static let pauseAfterNothing = Duration.milliseconds(100)
    private static let pauseAfterMistake = Duration.seconds(5)
    /// How many pages of one node are under way at a time; a node gives all its subscribers together not many more.
    private static let pagesPerSource = 4

    private let sink: any StreamSink
    private let onGap: () -> Void
    private let withCustomers: Bool
    private(set) var origin: StreamOrigin
    private var shards: [ShardFollower]
    private var questions: [UInt64: Question] = [:]
    private var lastID: UInt64 = 0
    /// Shards that have something to ask and no question under way, with the moment before which they do not.
    private var curious: [ShardID: ContinuousClock.Instant] = [:]
    private var pages: [SourceID: Int] = [:]
    private var rules = FollowedRules()

    /// - Parameters:
    ///   - withCustomers: what answers by customer need comes along.
    ///   - onGap: changes were missing, and are asked for: once, however often and in however many pages.
    package init(
        _ origin: StreamOrigin, shardCount: Int, from start: FollowingStart = .everything, withCustomers: Bool = false,
        sink: any StreamSink, onGap: @escaping () -> Void
    ) {
        self.sink = sink
        self.withCustomers = withCustomers
        self.onGap = onGap
        self.origin = origin
        self.shards = (0..<shardCount).map {
            ShardFollower(shard: ShardID(rawValue: UInt16($0)), from: start, withCustomers: withCustomers)
        }
    }

    /// Whether all shards have been copied.
    package var hasAll: Bool { self.shards.allSatisfy(\.isFollowing) }

    // MARK: What comes

    package mutating func hear(_ beat: StreamBeat, from source: SourceID, at now: ContinuousClock.Instant) {
        guard self.admits(beat.origin) else { return }
        if self.withCustomers { self.seeRules(of: beat, from: source) }
        for head in beat.heads where Int(head.shard.rawValue) < self.shards.count {
            self.shards[Int(head.shard.rawValue)].see(head, from: source, isPublished: true, self.sink)
            self.wonder(head.shard, from: now)
        }
    }

    package mutating func hear(
        _ delta: StreamDelta, of shard: ShardID, from source: SourceID, at now: ContinuousClock.Instant
    ) throws(MirrorError) {
        guard self.admits(delta.origin), Int(shard.rawValue) < self.shards.count else { return }
        try self.trying(shard, at: now) { shard, sink throws(MirrorError) in
            try shard.hear(delta, from: source, sink)
        }
        self.wonder(shard, from: now)
    }

    /// - Throws: when it held what cannot be read; it is asked for again after a while.
    package mutating func take(_ answer: StreamAnswer, at now: ContinuousClock.Instant) throws(MirrorError) {
        // One that came too late was asked again.
        guard let question = self.end(answer.id) else { return }
        if case .heads(let beat) = answer.content { return self.take(beat, to: question, at: now) }
        if case .rules = question.content { return try self.take(answer.content, of: question.source, at: now) }
        guard let shard = question.shard else { return }
        var pause = Duration.zero
        switch answer.content {
        case .heads, .rules: break
        case .snapshot(let page):
            guard self.admits(page.origin) else { break }
            try self.trying(shard, at: now) { shard, sink throws(MirrorError) in
                try shard.take(page, to: question.content, sink)
            }
        case .changes(let page):
            guard self.admits(page.origin) else { break }
            var wasOfUse = false
            try self.trying(shard, at: now) { shard, sink throws(MirrorError) in
                wasOfUse = try shard.take(page, sink)
            }
            if !wasOfUse { pause = Self.pauseAfterNothing }
        case .failure(let failure): pause = self.take(failure, to: question, about: shard)
        }
        self.wonder(shard, from: now + pause)
    }

    private mutating func seeRules(of beat: StreamBeat, from source: SourceID) {
        self.rules.see(beat, from: source)
        // They were taken before, so they can be.
        guard let next = self.rules.next, (try? self.sink.setRules(next.rules)) != nil else { return }
        self.rules.take(next)
    }

    private mutating func take(
        _ answer: StreamAnswer.Content, of source: SourceID, at now: ContinuousClock.Instant
    ) throws(MirrorError) {
        switch answer {
        case .rules(let rules):
            self.rules.pause(source, until: now + Self.pauseAfterMistake)
            try self.sink.setRules(rules.rules)
            self.rules.take(rules, from: source)
        case .failure(let failure):
            let isBusy = failure.code == .busy
            self.rules.pause(
                source, until: now + (isBusy ? .milliseconds(Int64(failure.retryAfter)) : Self.pauseAfterMistake))
        case .heads, .snapshot, .changes: break
        }
    }

    /// What a probe found holds of the moment at which it was sent.
    private mutating func take(_ beat: StreamBeat, to probe: Question, at now: ContinuousClock.Instant) {
        guard self.admits(beat.origin) else { return }
        for head in beat.heads where Int(head.shard.rawValue) < self.shards.count {
            self.shards[Int(head.shard.rawValue)].see(head, from: probe.source, isPublished: false, self.sink)
            self.shards[Int(head.shard.rawValue)].mark(head, at: probe.asked, self.sink)
            self.wonder(head.shard, from: now)
        }
    }

    private mutating func take(
        _ failure: StreamFailure, to question: Question, about shard: ShardID
    ) -> Duration {
        switch failure.code {
        case .rewound:
            self.shards[Int(shard.rawValue)].restart(self.sink)
            return Self.pauseAfterNothing
        case .notOwner:
            if self.shards[Int(shard.rawValue)].owner == question.source {
                self.shards[Int(shard.rawValue)].forgetOwner()
            }
            return .zero
        case .busy, .unavailable: return .milliseconds(Int64(failure.retryAfter))
        case .malformed: return Self.pauseAfterMistake
        }
    }

    /// What cannot be taken is not passed over, and asked for again after a while.
    private mutating func trying(
        _ shard: ShardID, at now: ContinuousClock.Instant,
        _ body: (inout ShardFollower, any StreamSink) throws(MirrorError) -> Void
    ) throws(MirrorError) {
        do throws(MirrorError) {
            try body(&self.shards[Int(shard.rawValue)], self.sink)
        } catch {
            self.shards[Int(shard.rawValue)].fail(self.sink)
            self.curious[shard] = now + Self.pauseAfterMistake
            throw error
        }
    }

    /// Another store is another world; of this one, what was before it was restored is over.
    private mutating func admits(_ origin: StreamOrigin) -> Bool {
        guard origin.storeID == self.origin.storeID else { return false }
        if origin.restoreGeneration > self.origin.restoreGeneration {
            self.origin = origin
            self.sink.setOrigin(origin)
            for index in self.shards.indices { self.shards[index].restartWithoutEpoch(self.sink) }
        }
        return origin.restoreGeneration == self.origin.restoreGeneration
    }

    // MARK: What to ask

    /// What is to be asked now.
    package mutating func ask(at now: ContinuousClock.Instant) -> [(source: SourceID, request: StreamRequest)] {
        for (id, question) in self.questions where question.asked + Self.patience <= now {
            self.giveUp(id, until: now)
        }
        var requests: [(source: SourceID, request: StreamRequest)] = []
        for source in self.rules.unknown(at: now) where !self.asksForRules(of: source) {
            requests.append((source, self.request(.rules, about: nil, of: source, at: now)))
        }
        for (shard, moment) in self.curious where moment <= now {
            let follower = self.shards[Int(shard.rawValue)]
            guard let source = follower.owner, let content = follower.question else {
                // A beat or a delta makes it curious again.
                self.curious[shard] = nil
                continue
            }
            guard self.pages[source, default: 0] < Self.pagesPerSource else { continue }
            if case .changes = content, self.shards[Int(shard.rawValue)].noticeGap() { self.onGap() }
            self.curious[shard] = nil
            self.pages[source, default: 0] += 1
            requests.append((source, self.request(content, about: shard, of: source, at: now)))
        }
        return requests
    }

    /// A question for the heads of all that a node owns.
    package mutating func probe(_ source: SourceID, at now: ContinuousClock.Instant) -> StreamRequest {
        self.request(.probe, about: nil, of: source, at: now)
    }

    /// A question could not be sent, or will not be answered.
    package mutating func giveUp(_ id: UInt64, until moment: ContinuousClock.Instant) {
        guard let question = self.end(id) else { return }
        guard let shard = question.shard else { return self.rules.pause(question.source, until: moment) }
        self.wonder(shard, from: moment)
    }

    private func asksForRules(of source: SourceID) -> Bool {
        self.questions.values.contains { $0.content == .rules && $0.source == source }
    }

    /// Its connection is gone, and what was asked on it.
    package mutating func lose(_ source: SourceID, at now: ContinuousClock.Instant) {
        self.rules.forget(source)
        for (id, question) in self.questions where question.source == source { self.giveUp(id, until: now) }
    }

    /// When there is something to do although nothing comes.
    package var nextDeadline: ContinuousClock.Instant? {
        let waiting = self.curious.filter { shard, _ in
            let owner = self.shards[Int(shard.rawValue)].owner
            return owner.map { self.pages[$0, default: 0] < Self.pagesPerSource } ?? false
        }
        let patience = self.questions.values.lazy.map { $0.asked + Self.patience }
        return [waiting.values.min(), patience.min()].compactMap { $0 }.min()
    }

    private mutating func request(
        _ content: StreamRequest.Content, about shard: ShardID?, of source: SourceID, at now: ContinuousClock.Instant
    ) -> StreamRequest {
        self.lastID += 1
        self.questions[self.lastID] = Question(shard: shard, content: content, source: source, asked: now)
        return StreamRequest(id: self.lastID, content, withCustomers: self.withCustomers)
    }

    private mutating func end(_ id: UInt64) -> Question? {
        guard let question = self.questions.removeValue(forKey: id) else { return nil }
        if question.shard != nil { self.pages[question.source, default: 0] -= 1 }
        return question
    }

    private mutating func wonder(_ shard: ShardID, from moment: ContinuousClock.Instant) {
        guard self.shards[Int(shard.rawValue)].question != nil else { return }
        guard !self.questions.values.contains(where: { $0.shard == shard }) else { return }
        self.curious[shard] = max(moment, self.curious[shard] ?? moment)
    }
}
