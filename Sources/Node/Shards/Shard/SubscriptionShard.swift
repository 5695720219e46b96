package import Clustering
package import Distributed
import EventLog
import Logging
import ServiceContract
import Subscriptions
package import WireProtocol

/// The owner of one shard's streams. Commands are taken in the order of the queue, batch by batch: loaded first, then
/// decided without a pause on top of what is in flight, then submitted to the journal. Only what is durable is
/// believed, answered and published, in the order of the log.
package distributed actor SubscriptionShard {
    package typealias ActorSystem = ClusterSystem

    private let parts: ShardParts
    private let answers: any ShardAnswers
    private var ledger: ShardLedger

    init(_ parts: ShardParts, answers: any ShardAnswers, actorSystem: ClusterSystem) {
        self.parts = parts
        self.answers = answers
        self.ledger = ShardLedger(stateLimit: parts.configuration.statesPerShard)
        self.actorSystem = actorSystem
    }

    // MARK: Calls from other nodes

    /// Takes `Submission`s in their order. The outcome of each is there once it is durable, or refused. The callers may
    /// give up waiting; the commands go on.
    package distributed func submit(_ batch: CommandBatch) -> EventualOutcomes {
        self.parts.queue.enqueue(batch)
    }

    /// Who is entitled, now.
    /// - Throws: `ServiceError` while the shard must not answer.
    package distributed func check(_ checks: ShardChecks) async throws -> ShardVerdicts {
        try await self.answers.answer(checks.requests, of: self.parts.shard)
    }

    /// The newest durable event.
    /// - Throws: `ServiceError` while the shard must not answer.
    package distributed func head() async throws -> ShardHead {
        ShardHead(try await self.answers.ownHead(of: self.parts.shard))
    }

    /// Makes another node the owner of the shard.
    /// - Throws: `ServiceError` when that node does not live, or shards are assigned.
    package distributed func move(_ move: ShardMove) async throws {
        try await self.parts.moves.request(self.parts.shard, to: move.node)
    }

    /// Holds subscriptions of the shard against Apple's answers, for a few seconds.
    /// - Throws: `ServiceError` while the shard is not served here, or Apple is not asked.
    package distributed func compare(_ comparison: ShardComparison) async throws -> ShardComparisonResult {
        try await self.parts.comparing.compare(comparison, of: self.parts.shard)
    }

    // MARK: Draining

    /// Works until the queue is closed and everything in it is answered.
    func drain(into journal: Journal) async {
        while let batch = await self.parts.queue.next() { await self.process(batch, journal) }
    }

    private func process(_ batch: [Command], _ journal: Journal) async {
        var commands = batch
        while true {
            commands = commands.filter { !self.join($0) }
            guard !commands.isEmpty else { return self.parts.queue.batchEnded() }
            let lineage = self.ledger.lineage
            let loaded: LoadedBatch
            do {
                loaded = try await self.load(commands)
            } catch {
                guard commands.count > 1, ServiceError(error).code == .corrupt, self.ledger.ownership != nil else {
                    return self.end(commands, with: error)
                }
                return self.divide(commands)
            }
            // What was discarded while we loaded may be what we loaded.
            guard lineage == self.ledger.lineage else { continue }
            return self.decide(commands, loaded, journal)
        }
    }

    /// What is stored of one of them cannot be read, which is nothing to the others: smaller batches find out whose it is.
    private func divide(_ commands: [Command]) {
        self.parts.queue.narrow(after: commands.count)
        self.parts.queue.putBack(commands)
        self.parts.queue.batchEnded()
    }

    private struct LoadedBatch {
        var entries: [[UInt8]: StreamEntry]
        var known: [[UInt8]: Delivery]
    }

    /// A repetition of something in flight waits for that commit. true when it is taken care of.
    private func join(_ command: Command) -> Bool {
        guard case .submission(let submission) = command.content else { return false }
        let bundle = submission.bundle
        for dedupKey in bundle.joinKeys {
            guard let delivery = self.ledger.delivery(of: dedupKey), delivery.contentDigest == bundle.contentDigest
            else { continue }
            self.ledger.join(command, to: dedupKey, outcome: .duplicate(delivery.place))
            return true
        }
        return false
    }

    private func load(_ commands: [Command]) async throws -> LoadedBatch {
        var inMemory = LoadedBatch(entries: [:], known: [:])
        var missing: [[UInt8]: StreamKey] = [:]
        var unknown = Set<[UInt8]>()
        for command in commands {
            if let entry = self.ledger.entry(of: command.keyBytes) {
                inMemory.entries[command.keyBytes] = entry
            } else {
                missing[command.keyBytes] = command.key
            }
            guard case .submission(let submission) = command.content else { continue }
            for dedupKey in submission.bundle.storedKeys {
                if let delivery = self.ledger.delivery(of: dedupKey) {
                    inMemory.known[dedupKey] = delivery
                } else {
                    unknown.insert(dedupKey)
                }
            }
        }
        let shard = self.parts.shard
        let answer = try await self.parts.loads.load(
            LoadRequest(shard: shard, keys: Array(missing.keys), dedupKeys: Array(unknown)))
        let entries = try await self.parts.store.entries(missing, of: answer.streams, in: shard)
        var loaded = LoadedBatch(
            entries: inMemory.entries.merging(entries) { inMemory, _ in inMemory },
            known: inMemory.known.merging(try answer.deliveries()) { inMemory, _ in inMemory })
        let more = try await self.parts.loads.load(
            LoadRequest(shard: shard, dedupKeys: self.keysThatFollow(commands, &loaded)))
        loaded.known.merge(try more.deliveries()) { inMemory, _ in inMemory }
        return loaded
    }

    /// What has to be looked for because of what was found: of timers the announcement that is due, and of a UUID that
    /// had come with other content the key that its next content has.
    private func keysThatFollow(_ commands: [Command], _ loaded: inout LoadedBatch) -> [[UInt8]] {
        var keys: [[UInt8]] = []
        for command in commands {
            switch command.content {
            case .timer:
                let next = loaded.entries[command.keyBytes]?.nextTransition(rules: self.parts.configuration.rules)
                if let next { keys.append(next.dedupKey(of: command.keyBytes)) }
            case .submission(let submission):
                let bundle = submission.bundle
                guard let earlier = loaded.known[bundle.dedupKey], earlier.contentDigest != bundle.contentDigest else {
                    continue
                }
                let key = bundle.variantKey
                if let delivery = self.ledger.delivery(of: key) {
                    loaded.known[key] = delivery
                } else {
                    keys.append(key)
                }
            }
        }
        return keys
    }

    private func decide(_ commands: [Command], _ loaded: LoadedBatch, _ journal: Journal) {
        guard let ownership = self.ledger.ownership else { return self.end(commands, with: Self.elsewhere) }
        let head = self.ledger.head
        let now = self.parts.watch.present
        var decider = BatchDecider(
            rules: self.parts.configuration.rules, now: now, at: max(now, self.ledger.lastRecordedAt), head: head,
            entries: loaded.entries, known: loaded.known,
            inFlight: Set(commands.map(\.keyBytes).filter { self.ledger.isChanging($0) }))
        for command in commands { decider.decide(command) }
        for answered in decider.answered { self.answer(answered.command, answered.outcome) }
        for joining in decider.joining { self.ledger.joinStream(joining) }
        guard let (decided, batch) = decider.commit(ownership: ownership, head: head) else {
            return self.parts.queue.batchEnded()
        }
        var commit = decided
        if self.parts.configuration.listener != nil { commit.images = batch.events.map(SubscriptionImage.init) }
        let bytes = commit.decided.reduce(0) { $0 + $1.command.size }
        guard journal.submit(batch, lineage: self.ledger.lineage, bytes: bytes) else {
            return self.end(
                commit.decided.map(\.command), with: ServiceError(.overloaded, "too much waits for the store"))
        }
        self.ledger.add(commit)
    }

    private func end(_ commands: [Command], with error: any Error) {
        let outcome = SubmissionOutcome(ServiceError(error))
        for command in commands { self.answer(command, outcome) }
        self.parts.queue.batchEnded()
    }

    private func answer(_ command: Command, _ outcome: SubmissionOutcome) {
        self.parts.queue.answer(command, with: outcome)
    }

    // MARK: Settling

    /// Hears the journal until it is done.
    func settle(_ mailbox: JournalMailbox) async {
        var isLost = false
        while let event = await mailbox.next() {
            // Another thread of the journal may still settle what it had begun: everybody has been told by then.
            guard !isLost else { continue }
            switch event {
            case .owned(let ownership, let soleFrom): self.own(ownership, soleFrom: soleFrom)
            case .committed(let epoch):
                if epoch == self.ledger.ownership?.epoch { self.settleOldest(under: epoch) }
            case .conflict(let error, let epoch):
                if epoch == self.ledger.ownership?.epoch { self.isolate(error) }
            case .failed(let error, let epoch):
                if epoch == self.ledger.ownership?.epoch { self.refuse(ServiceError(error)) }
            case .frozen(let epoch):
                self.parts.queue.pause()
                self.parts.gate.freeze(under: epoch)
            case .fenced(let epoch):
                self.parts.gate.letGo(under: epoch)
                self.letGo(Self.elsewhere)
                self.parts.arm.rest()
                self.parts.queue.refuse(with: SubmissionOutcome(Self.elsewhere))
            case .lost(let error):
                isLost = true
                self.parts.gate.lose()
                self.letGo(ServiceError(error))
                self.parts.arm.close()
                self.parts.queue.abandon(with: SubmissionOutcome(ServiceError(error)))
            }
        }
    }

    /// The first time, or after a commit of unknown outcome: then what is in flight is tried again, and the dedup keys
    /// in the store say what had happened.
    private func own(_ ownership: ShardOwnership, soleFrom: Duration?) {
        let discarded = self.ledger.discard()
        // What of it has happened will not be told of.
        if !discarded.isEmpty { self.parts.census.forget() }
        self.putBack(discarded)
        self.parts.entitlements.removeAll()
        self.ledger.own(ownership)
        self.parts.gate.open(ownership, soleFrom: soleFrom)
        self.actorSystem.serve(self.parts.shard, under: ownership.epoch) { [queue = self.parts.queue] batch in
            queue.enqueue(batch)
        }
        self.parts.arm.forget()
        self.parts.queue.resume()
        self.parts.totals.recordOwned(self.parts.shard, under: ownership.epoch)
        self.parts.uncounted.yield(self.parts.shard)
    }

    private func settleOldest(under epoch: Epoch) {
        let head = self.ledger.settledHead
        let commit = self.ledger.settle()
        for change in commit.changes.values {
            self.parts.entitlements.update(change.key, row: change.row)
            if let doubt = change.doubt { self.parts.doubts?.raise(change.key, doubt) }
        }
        self.parts.census.record(commit, after: head)
        // First: a head that others see has been published.
        self.publish(commit)
        self.parts.gate.advance(to: commit.head, under: epoch)
        if let due = commit.changes.values.compactMap(\.after.nextDue).min() { self.parts.arm.lower(to: due) }
        let now = self.parts.clock.now
        for decided in commit.waiting {
            if case .submission(let submission) = decided.command.content, case .recorded = decided.outcome {
                self.parts.metrics.recordVisible(submission, at: now)
            }
            self.answer(decided.command, decided.outcome)
        }
        self.parts.queue.batchEnded()
        self.parts.queue.widen()
    }

    private func publish(_ commit: Commit) {
        guard let listener = self.parts.configuration.listener, let ownership = self.ledger.ownership,
            !commit.images.isEmpty
        else { return }
        let origin = StreamOrigin(self.parts.store.identity)
        listener.hear(commit.deltas(origin, ownership, tagBefore: self.parts.gate.tag(of:)), of: self.parts.shard)
    }

    /// One command of the oldest batch cannot be stored. What we believed may be why, so everything is loaded anew; a
    /// batch of one is parked, larger ones are tried in halves.
    private func isolate(_ error: StoreError) {
        var commits = self.ledger.discard()
        var joined: [Command] = []
        self.parts.entitlements.removeAll()
        if let first = commits.first {
            self.parts.queue.narrow(after: first.decided.count)
            if first.decided.count == 1 {
                self.parts.logger.error(
                    "A command is parked: it cannot be stored",
                    metadata: .runtime([.shard: "\(self.parts.shard.rawValue)", .reason: "\(error.message)"]))
                self.parts.totals.recordParked()
                self.end(commits.removeFirst().decided.map(\.command), with: ServiceError(.parked, error.message))
                joined = first.joined.map(\.command)
            }
        }
        self.putBack(commits)
        self.parts.queue.putBack(joined)
    }

    private func refuse(_ error: ServiceError) {
        for commit in self.ledger.discard() { self.end(commit.waiting.map(\.command), with: error) }
    }

    private static var elsewhere: ServiceError { ServiceError(.notOwner, "another node owns the shard") }

    private func letGo(_ error: ServiceError) {
        self.actorSystem.serve(self.parts.shard, under: nil)
        self.parts.totals.recordLost(self.parts.shard)
        self.refuse(error)
        self.ledger.disown()
        self.parts.entitlements.removeAll()
        self.parts.census.forget()
    }

    private func putBack(_ commits: [Commit]) {
        self.parts.queue.putBack(commits.flatMap { $0.waiting.map(\.command) })
        for _ in commits { self.parts.queue.batchEnded() }
    }
}
