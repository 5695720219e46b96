import Clustering
import EventLog
import Logging
import Ownership
import ServiceContract
import Subscriptions
import Waiting
import WireProtocol

/// Decides and settles the commands of one shard. Two loops interleave only at awaits: one takes commands batch by batch in
/// the order of the queue, loads what they are about, decides them without a pause on top of what is in flight, and submits
/// them to the group committer; the other applies what the store has said. Only what is durable is believed, answered and
/// published, in the order of the log.
actor ShardWriter {
    nonisolated let shard: ShardID
    private nonisolated let counts: StateCounts
    private nonisolated let parts: ShardParts
    private nonisolated let node: WriterResources
    private var ledger: ShardLedger

    init(_ parts: ShardParts, _ node: WriterResources) {
        self.shard = parts.shard
        self.counts = StateCounts(rules: node.configuration.rules, metrics: node.metrics)
        self.parts = parts
        self.node = node
        self.ledger = ShardLedger(stateLimit: node.configuration.statesPerShard)
    }

    /// Takes commands in their order, without waiting; the outcome of each is put in once it is durable, or refused.
    nonisolated func enqueue(_ batch: CommandBatch) -> EventualOutcomes { self.parts.queue.enqueue(batch) }

    nonisolated var timer: ShardTimer {
        ShardTimer(
            shard: self.shard, status: self.parts.status, watch: self.node.watch, queue: self.parts.queue,
            store: self.node.store, clock: self.node.clock, batchLimit: self.node.configuration.timersPerBatch,
            metrics: self.node.metrics, logger: self.node.logger)
    }

    /// Fills the gauges with the shard's subscriptions.
    nonisolated func count() async throws {
        try await self.counts.count(self.shard, in: self.node.store, clock: self.node.clock)
    }

    private func isApplied(_ epoch: Epoch) -> Bool { self.parts.status.lifecycle.applied.epoch == epoch }

    // MARK: Deciding

    /// Until the queue ends, and everything in it is answered.
    func decide(into committer: GroupCommitter) async {
        while let batch = await self.parts.queue.next() { await self.process(batch, committer) }
    }

    private func process(_ batch: [Command], _ committer: GroupCommitter) async {
        var commands = batch
        while true {
            commands = commands.filter { !self.join($0) }
            guard !commands.isEmpty else { return self.parts.queue.batchEnded() }
            let lineage = self.ledger.lineage
            let loaded: LoadedBatch
            do {
                loaded = try await self.load(commands)
            } catch {
                let failure = ServiceError(error)
                // What cannot be read may be another owner's to read by now.
                guard failure.code != .corrupt || self.parts.status.isOwned else {
                    return self.end(commands, with: .elsewhere)
                }
                guard commands.count > 1, failure.code == .corrupt else { return self.end(commands, with: failure) }
                return self.divide(commands)
            }
            // What was discarded while we loaded may be what we loaded.
            guard lineage == self.ledger.lineage else { continue }
            return self.decide(commands, loaded, committer)
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
        /// Of what requests to link depend on; nil where what is stored of a customer or an identifier cannot be read.
        var directory: CustomerDirectory?
    }

    /// A repetition of something in flight waits for that commit. true when it is taken care of.
    private func join(_ command: Command) -> Bool {
        guard case .submission(let submission) = command.content else { return false }
        let bundle = submission.bundle
        // Whose a stream is said to be has to be decided, whoever has said the facts before.
        guard bundle.link == nil else { return false }
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
        let shard = self.shard
        let answer = try await self.node.loads.load(
            LoadRequest(shard: shard, keys: Array(missing.keys), dedupKeys: Array(unknown)))
        let entries = try await self.node.store.entries(missing, of: answer.streams, in: shard)
        var loaded = LoadedBatch(
            entries: inMemory.entries.merging(entries) { inMemory, _ in inMemory },
            known: inMemory.known.merging(try answer.deliveries()) { inMemory, _ in inMemory })
        let more = try await self.node.loads.load(
            LoadRequest(shard: shard, dedupKeys: self.keysThatFollow(commands, &loaded)))
        loaded.known.merge(try more.deliveries()) { inMemory, _ in inMemory }
        do {
            loaded.directory = try await self.node.loads.directory(
                self.needs(of: commands, loaded), by: self.node.links)
        } catch {
            // Facts count all the same; which request it is about smaller batches find out.
            guard ServiceError(error).code == .corrupt, commands.count == 1 else { throw error }
        }
        return loaded
    }

    /// On which requests to link depend.
    private func needs(of commands: [Command], _ loaded: LoadedBatch) -> CustomerDirectory.Needs {
        // Notifications name none.
        guard commands.contains(where: { $0.submission?.bundle.link != nil }) else { return CustomerDirectory.Needs() }
        let submissions = commands.compactMap(\.submission)
        var needs = CustomerDirectory.Needs()
        for link in submissions.compactMap(\.bundle.link) { needs.merge(self.node.links.need(of: link.customer)) }
        // The facts of the batch count before the links that come with them or after them.
        for (bytes, group) in Dictionary(grouping: submissions, by: \.key.bytes)
        where group.contains(where: { $0.bundle.link != nil }) {
            var state = loaded.entries[bytes]?.state ?? StreamState(key: group[0].key)
            for submission in group {
                needs.merge(self.node.links.needs(of: state))
                state = state.merging(submission.bundle.facts, source: submission.bundle.source)
            }
            needs.merge(self.node.links.needs(of: state))
        }
        return needs
    }

    /// What has to be looked for because of what was found: of timers the announcement that is due, and of a UUID that
    /// had come with other content the key that its next content has.
    private func keysThatFollow(_ commands: [Command], _ loaded: inout LoadedBatch) -> [[UInt8]] {
        var keys: [[UInt8]] = []
        for command in commands {
            switch command.content {
            case .timer:
                let next = loaded.entries[command.keyBytes]?.nextTransition(rules: self.node.configuration.rules)
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

    private func decide(_ commands: [Command], _ loaded: LoadedBatch, _ committer: GroupCommitter) {
        guard let standing = self.parts.status.ownedStanding else { return self.end(commands, with: .elsewhere) }
        let head = self.ledger.head
        let now = self.node.watch.present
        var decider = BatchDecider(
            shard: self.shard, rules: self.node.configuration.rules, reevaluator: self.node.rulebook.reevaluator,
            level: self.node.rulebook.level, links: self.node.links, map: self.node.map,
            directory: loaded.directory, now: now,
            at: max(now, self.ledger.lastRecordedAt), head: head,
            entries: loaded.entries, known: loaded.known,
            inFlight: Set(commands.map(\.keyBytes).filter { self.ledger.isChanging($0) }))
        for command in commands { decider.decide(command) }
        for answered in decider.answered { self.answer(answered.command, answered.outcome) }
        for joining in decider.joining { self.ledger.joinStream(joining) }
        guard let (decided, batch) = decider.commit(under: standing, head: head) else {
            return self.parts.queue.batchEnded()
        }
        var commit = decided
        commit.hasOutbox = !batch.outbox.isEmpty
        if let listener = self.node.configuration.listener {
            commit.images = batch.images
            if listener.wantsCustomers {
                commit.addCustomers(
                    CustomerImages(rules: self.node.configuration.rules, hashing: self.node.links.hashing))
            }
        }
        let bytes = commit.decided.reduce(0) { $0 + $1.command.size }
        guard committer.submit(batch, lineage: self.ledger.lineage, bytes: bytes) else {
            return self.end(
                commit.decided.map(\.command), with: ServiceError(.overloaded, "too much waits for the store"))
        }
        self.ledger.add(commit)
    }

    private func end(_ commands: [Command], with error: ServiceError) {
        let outcome = SubmissionOutcome(error)
        for command in commands { self.answer(command, outcome) }
        self.parts.queue.batchEnded()
    }

    private func answer(_ command: Command, _ outcome: SubmissionOutcome) {
        self.parts.queue.answer(command, with: outcome)
    }

    // MARK: Settling

    /// Applies what the store has said, until the mailbox is closed.
    func settle() async {
        var isLost = false
        while let event = await self.parts.status.news.next() {
            // Another thread of the committer may still settle what it had begun: everyone has been told by then.
            guard !isLost else { continue }
            switch event {
            case .news(let news): self.apply(news)
            case .conflict(let error, let epoch): if self.isApplied(epoch) { self.isolate(error) }
            case .failed(let error, let epoch): if self.isApplied(epoch) { self.refuse(ServiceError(error)) }
            case .lost(let error):
                isLost = true
                self.release(ServiceError(error))
            }
        }
    }

    private func apply(_ news: ShardNews) {
        switch news {
        case .owned(let ownership, _): self.own(ownership, news)
        case .appended(_, let epoch): if self.isApplied(epoch) { self.settleOldest(news) }
        case .frozen, .lost: self.parts.status.handle(.applied(news))
        case .released:
            // First: nothing of what is refused now is answered for any more.
            self.parts.status.handle(.applied(news))
            self.release(.elsewhere)
        }
    }

    /// The first time, or after a commit of unknown outcome: then what is in flight is tried again, and the dedup keys
    /// in the store say what had happened.
    private func own(_ ownership: ShardOwnership, _ news: ShardNews) {
        let discarded = self.ledger.discard()
        // What of it has happened will not be told of.
        if !discarded.isEmpty { self.counts.forget() }
        self.putBack(discarded)
        self.parts.entitlements.removeAll()
        self.parts.customers?.removeAll()
        self.ledger.own(ownership)
        self.parts.status.handle(.applied(news))
        self.node.metrics.recordOwned(self.shard, under: ownership.epoch)
        self.node.uncounted.yield(self)
    }

    private func settleOldest(_ news: ShardNews) {
        let head = self.ledger.settledHead
        let commit = self.ledger.settle()
        for change in commit.changes.values {
            self.parts.entitlements.update(change.key, row: change.row)
            if let doubt = change.doubt { self.node.doubts?.raise(change.key, doubt) }
        }
        self.forgetCustomers(commit)
        self.counts.record(commit, after: head)
        // First: a head that others see has been published.
        self.publish(commit)
        if commit.hasOutbox { self.node.leftToDo.signal() }
        let isSuccession = commit.changes.values.contains {
            $0.after.state.leads.predecessor?.value != $0.before.state.leads.predecessor?.value
        }
        if isSuccession { self.node.successions.signal() }
        self.parts.status.handle(.applied(news))
        if let due = commit.changes.values.compactMap(\.after.nextDue).min() {
            self.parts.status.deadline.lower(to: due)
        }
        let now = self.node.clock.now
        for decided in commit.waiting {
            if let submission = decided.command.submission, submission.bundle.customer == nil,
                case .recorded = decided.outcome
            {
                self.parts.metrics.recordVisible(submission, at: now)
            }
            self.answer(decided.command, decided.outcome)
        }
        self.parts.queue.batchEnded()
        self.parts.queue.widen()
    }

    /// Those whose answers the commit may change.
    private func forgetCustomers(_ commit: Commit) {
        guard let customers = self.parts.customers else { return }
        let told = Set(commit.changes.lazy.filter { !$0.value.mayChangeAnswers }.map(\.key))
        guard !told.isEmpty else { return customers.forget(commit.changes.keys, commit.lookups) }
        customers.forget(
            commit.changes.keys.filter { !told.contains($0) }, commit.lookups.filter { !told.contains($0.key) })
    }

    private func publish(_ commit: Commit) {
        guard let listener = self.node.configuration.listener, !commit.images.isEmpty,
            let standing = self.parts.status.lifecycle.applied.standing
        else { return }
        let origin = StreamOrigin(self.node.store.identity)
        listener.hear(commit.deltas(origin, standing, tagBefore: self.parts.status.tag(of:)), of: self.shard)
    }

    /// One command of the oldest batch cannot be stored. What we believed may be why, so everything is loaded anew; a
    /// batch of one is parked, larger ones are tried in halves.
    private func isolate(_ error: StoreError) {
        var commits = self.ledger.discard()
        self.parts.entitlements.removeAll()
        guard let first = commits.first else { return }
        self.parts.queue.narrow(after: first.decided.count)
        guard first.decided.count == 1 else { return self.putBack(commits) }
        self.node.logger.error(
            "A command is parked: it cannot be stored",
            metadata: .runtime([.shard: "\(self.shard.rawValue)", .reason: "\(error.message)"]))
        self.node.metrics.recordParked()
        commits.removeFirst()
        self.putBack(commits)
        self.parts.queue.putBack(first.joined.map(\.command))
        // Last: a queue that ends is over once nothing waits and no batch is in flight.
        self.end(first.decided.map(\.command), with: ServiceError(.parked, error.message))
    }

    private func refuse(_ error: ServiceError) {
        for commit in self.ledger.discard() { self.end(commit.waiting.map(\.command), with: error) }
    }

    private func release(_ error: ServiceError) {
        self.node.metrics.recordLost(self.shard)
        self.refuse(error)
        self.parts.entitlements.removeAll()
        self.counts.forget()
    }

    private func putBack(_ commits: [Commit]) {
        self.parts.queue.putBack(commits.flatMap { $0.waiting.map(\.command) })
        for _ in commits { self.parts.queue.batchEnded() }
    }
}
