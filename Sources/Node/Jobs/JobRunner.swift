import Entitlements
package import EventLog
package import Logging
package import Ownership
package import Queries
package import ServiceContract
package import Shards
package import Subscriptions
import Synchronization

/// The store's jobs, as this node begins and drives them. Those whose shard it owns it drives; a step and the row that says so are not
/// one commit, so a step may be done twice.
package final class JobRunner: Sendable {
    package let book: JobBook
    private let router: ShardRouter
    private let rulebook: Rulebook
    private let teller: RulesTeller
    private let reevaluating: Reevaluating
    private let erasing: Erasing
    private let converting: Converting
    private let clock: ClockWatch
    private let logger: Logger
    /// By id: those that this node drives.
    private let driven = Mutex<Set<String>>([])

    /// So many are driven at a time.
    private static let width = 64
    /// Between two looks for jobs, and after what could not be done now.
    private static let pause = Duration.seconds(1)

    /// - Parameters:
    ///   - reviewer: looks at customers whose answers may have changed.
    ///   - lease: by which nodes own shards; nil where shards are assigned.
    package init(
        router: ShardRouter, rulebook: Rulebook, reviewer: any CustomerReviewing, eraser: CustomerEraser,
        tombstones: Tombstones, hashing: IdentifierKey, lease: LeaseTerms?, node: String, logger: Logger
    ) {
        let notes = JSONNotes(store: router.store)
        let catalogs = CatalogBook(notes: notes)
        self.book = JobBook(store: router.store)
        self.router = router
        self.rulebook = rulebook
        self.teller = RulesTeller(
            store: router.store, book: catalogs, rulebook: rulebook, node: node, clock: router.watch,
            logger: logger)
        self.reevaluating = Reevaluating(
            router: router, rulebook: rulebook, teller: self.teller, book: catalogs, clock: router.watch,
            reviewer: reviewer)
        // Nodes read the tombstones four times a second; one that cannot is the owner of nothing once its lease is over.
        let settling = max(.seconds(10), (lease?.length ?? .zero) * 2)
        self.erasing = Erasing(
            store: router.store, notes: ErasureNotes(notes: notes, hashing: hashing), tombstones: tombstones,
            eraser: eraser, hashing: hashing, clock: router.watch,
            settling: Milliseconds(rawValue: settling.components.seconds * 1_000))
        self.converting = Converting(store: router.store, hashing: hashing, clock: router.watch)
        self.clock = router.watch
        self.logger = logger
    }

    /// Returns the running job of this kind, or begins one.
    /// - Parameter isBaseline: it is to note what customers had before they were told; one that does not is cancelled.
    /// - Throws: `.otherRules` while one runs that was begun with other settings; `.stopping` while the node does not know what was told
    ///   before; what the store throws.
    package func start(
        _ kind: Job.Kind, actor: String?, isBaseline: Bool = false
    ) async throws(ServiceError) -> Job {
        try await self.teller.refresh()
        guard let mark = self.rulebook.reevaluator?.mark else {
            throw ServiceError(.stopping, "the node does not know yet what was told before")
        }
        for job in try await self.book.all() where job.state == .running && job.kind == kind {
            guard job.mark.answersLike(mark) else {
                throw ServiceError(
                    .otherRules,
                    "job \(job.id) runs with another configuration or version: `perennial job cancel \(job.id)` ends it"
                )
            }
            if job.isBaseline || !isBaseline { return job }
            _ = try await self.book.cancel(job.id, at: self.clock.present)
        }
        var job = Job(id: Self.newID, kind: kind, actor: actor, started: self.clock.present, mark: mark)
        job.isBaseline = isBaseline
        try await self.book.add(job)
        return job
    }

    private static var newID: String { String(UInt64.random(in: 1 << 60 ... .max), radix: 16) }

    /// Begins to delete a customer, or goes on with that, and makes one pass. Answers have changed when it returns. After an error the job
    /// may have begun, and then goes on.
    /// - Parameter running: the id of a job that deletes the customer already.
    package func erase(
        _ customer: CustomerID, actor: String?, running: String?
    ) async throws(ServiceError) -> Job {
        if let running, let job = try await self.running(running) {
            let known = try await ServiceError.translating { try await self.erasing.notes.read(running) }
            return try await self.erase(known ?? ErasedIdentifiers(customers: [customer]), job)
        }
        let job = Job(id: Self.newID, kind: .erase, actor: actor, started: self.clock.present)
        let erased = ErasedIdentifiers(customers: [customer])
        try await self.book.add(job, beside: self.erasing.notes.notes(erased, of: job.id))
        return try await self.erase(erased, job)
    }

    private func erase(_ erased: ErasedIdentifiers, _ job: Job) async throws(ServiceError) -> Job {
        let pass = try await self.erasing.pass(erased, job.id).1
        guard pass.skipped == 0 else {
            throw ServiceError(
                .corrupt,
                "\(pass.skipped) streams could not be read or added to: repair them, then delete the customer again")
        }
        // Where the job has gone on meanwhile, it counts for itself.
        let (now, note) = try await self.book.row(of: job.id)
        var counted = now
        (counted.examined, counted.changed) = (pass.examined, now.changed + pass.changed)
        return try await self.book.replace(note, with: counted) ? counted : now
    }

    private func running(_ id: String) async throws(ServiceError) -> Job? {
        do throws(ServiceError) {
            let job = try await self.book.job(id)
            return job.state == .running ? job : nil
        } catch {
            guard error.code == .unknownJob else { throw error }
            return nil
        }
    }

    /// To be called before the node decides anything: waits for the store, so that nothing is decided by new rules of which nobody has
    /// been told.
    package func prepare() async {
        var attempt = 0
        while !Task.isCancelled {
            do throws(ServiceError) {
                return try await self.teller.begin()
            } catch {
                // Who is stopped while the store is asked has nothing to say.
                guard !Task.isCancelled else { return }
                let metadata = Logger.Metadata.runtime([.error: "\(error.message)"])
                guard error.retryable else {
                    return self.logger.error(
                        "What was told by earlier rules cannot be read: nothing is told of changed ones",
                        metadata: metadata)
                }
                if attempt % 60 == 0 {
                    self.logger.warning("The store does not say what was told by earlier rules", metadata: metadata)
                }
                attempt += 1
                try? await Task.sleep(for: Self.pause)
            }
        }
    }

    /// Until it is cancelled.
    package func run() async {
        await withDiscardingTaskGroup { group in
            var hasLookedForClearText = false
            while !Task.isCancelled {
                try? await self.teller.refresh()
                if !hasLookedForClearText, (try? await self.startConverting()) != nil { hasLookedForClearText = true }
                let jobs = (try? await self.book.all()) ?? []
                for job in jobs.reversed() where job.state == .running && self.isOurs(job.id) {
                    guard self.driven.withLock({ $0.count < Self.width && $0.insert(job.id).inserted }) else {
                        continue
                    }
                    group.addTask {
                        await self.drive(job.id)
                        _ = self.driven.withLock { $0.remove(job.id) }
                    }
                }
                try? await Task.sleep(for: Self.pause)
            }
        }
    }

    /// Unless nothing has to be converted, or somebody does. No older node writes look-ups in clear text from this level on.
    private func startConverting() async throws(ServiceError) {
        guard self.rulebook.level >= .erasure else { throw ServiceError(.olderNodes, "the store's level is lower") }
        guard try await self.converting.isNeeded(),
            !(try await self.book.all().contains { $0.kind == .convert && $0.state == .running })
        else { return }
        try await self.book.add(Job(id: Self.newID, kind: .convert, actor: nil, started: self.clock.present))
    }

    private func isOurs(_ id: String) -> Bool {
        self.router.parts[Int(self.router.map.shard(of: "job:" + id).rawValue)].isOurs
    }

    /// Until it has ended, or is another node's.
    private func drive(_ id: String) async {
        while !Task.isCancelled, self.isOurs(id) {
            do {
                let (job, note) = try await self.book.row(of: id)
                guard job.state == .running else { return }
                let (next, rest) = await self.step(job)
                if next != job { _ = try await self.book.replace(note, with: next) }
                try? await Task.sleep(for: rest)
            } catch {
                guard error.retryable else { return }
                try? await Task.sleep(for: Self.pause)
            }
        }
    }

    /// - Returns: the job behind it, and how long to rest.
    private func step(_ job: Job) async -> (Job, Duration) {
        var next = job
        do {
            let rest =
                switch job.kind {
                case .reevaluate: try await self.reevaluating.step(&next)
                case .erase: try await self.erasing.step(&next)
                case .convert: try await self.converting.step(&next)
                }
            if next.state == .running { next.message = nil }
            return (next, rest)
        } catch {
            next = job
            next.message = error.message
            if error.retryable { return (next, Self.pause) }
            self.logger.warning("A job has failed", metadata: .runtime([.error: "\(error.message)"]))
            (next.state, next.ended) = (.failed, self.clock.present)
            return (next, .zero)
        }
    }
}
