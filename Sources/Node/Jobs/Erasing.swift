import EventLog
import Ownership
import Queries
import ServiceContract
import Shards
import Subscriptions
import WireProtocol

/// The work of an `erase` job: removes a deleted customer from everything that names it. The job repeats passes until one that began after
/// all nodes had read the tombstones changes nothing.
struct Erasing: Sendable {
    let store: any EventStore
    let notes: ErasureNotes
    let tombstones: Tombstones
    let eraser: CustomerEraser
    let hashing: IdentifierKey
    let clock: ClockWatch
    /// After this time every owner has read a tombstone, or has lost its lease.
    let settling: Milliseconds

    private static let pause = Duration.seconds(1)
    private static let page = 64

    /// One pass.
    /// - Returns: how long to rest.
    /// - Throws: retryable codes, after which the pass can be made again.
    func step(_ job: inout Job) async throws(ServiceError) -> Duration {
        do throws(ServiceError) {
            return try await self.attempt(&job)
        } catch {
            // The id is not to be refused for ever, and nothing is to stay in clear text.
            if !error.retryable { try await self.finish(job.id) }
            throw error
        }
    }

    private func attempt(_ job: inout Job) async throws(ServiceError) -> Duration {
        try await ServiceError.translating { try await self.tombstones.refresh() }
        let known = try await ServiceError.translating { [id = job.id] in try await self.notes.read(id) }
        guard let known, !self.tombstones.isFinished(job.id) else {
            // Another node has ended it, and stopped before it said so.
            try await self.end(&job)
            return .zero
        }
        let (erased, pass) = try await self.pass(known, job.id)
        (job.examined, job.changed, job.skipped) = (pass.examined, job.changed + pass.changed, pass.skipped)
        guard let burial = self.tombstones.burial(of: erased, by: job.id), burial + self.settling < self.clock.present,
            pass.changed == 0, try await !self.isInInbox(erased)
        else { return pass.changed == 0 ? Self.pause * 2 : Self.pause }
        try await self.clear(erased, &job)
        try await self.end(&job)
        return .zero
    }

    /// Buries the customers first, so that no command can add an identifier after these are read.
    /// - Returns: whom, by all that is known now.
    func pass(
        _ known: ErasedIdentifiers, _ job: String
    ) async throws(ServiceError) -> (ErasedIdentifiers, CustomerEraser.Pass) {
        var erased = known
        var (isUnreadable, isComplete) = (false, false)
        while !isComplete {
            // The notes come before the identifiers are erased, and show whose they were.
            try await self.say(erased, job)
            var next = erased
            do throws(ServiceError) {
                next.customers.formUnion(try await self.eraser.names(of: erased.customers))
                next.identifiers.formUnion(try await self.eraser.identifiers(of: next.customers))
            } catch {
                guard error.code == .corrupt else { throw error }
                isUnreadable = true
            }
            (isComplete, erased) = (next == erased, next)
        }
        var pass = try await self.eraser.erase(erased, andOwn: !isUnreadable)
        if isUnreadable { pass.skipped += 1 }
        return (erased, pass)
    }

    private func say(_ erased: ErasedIdentifiers, _ job: String) async throws(ServiceError) {
        try await ServiceError.translating {
            try await self.notes.add(erased, of: job)
            try await self.tombstones.bury(erased, by: job, at: self.clock.present)
            // Whoever is late with a job that has ended leaves nothing behind.
            if self.tombstones.isFinished(job) { try await self.notes.remove(job) }
        }
    }

    private func clear(_ erased: ErasedIdentifiers, _ job: inout Job) async throws(ServiceError) {
        try await ServiceError.translating { [skipped = job.skipped] in
            try await self.eraseQuarantined(erased)
            guard skipped == 0 else { return }
            try await self.store.removeLookups(of: self.hashing.sought(erased))
        }
    }

    private func end(_ job: inout Job) async throws(ServiceError) {
        try await self.finish(job.id)
        let parked = try await ServiceError.translating { try await self.store.inboxDepth().parked }
        (job.state, job.ended) = (.done, self.clock.present)
        if job.skipped > 0 {
            job.state = .failed
            job.message = "\(job.skipped) streams could not be erased: repair them, then delete the customer again"
        } else if parked > 0 {
            job.message = "\(parked) parked rows of the inbox were not read, and may name the customer"
        }
    }

    /// The notes go last: where the node stops here, the next pass reads them and ends the job.
    private func finish(_ job: String) async throws(ServiceError) {
        try await ServiceError.translating {
            try await self.tombstones.finish(job, at: self.clock.present)
            try await self.notes.remove(job)
        }
    }

    /// Whether a row of the inbox names the customer. Parked rows are not read.
    private func isInInbox(_ erased: ErasedIdentifiers) async throws(ServiceError) -> Bool {
        try await ServiceError.translating {
            var last: InboxRow?
            while true {
                let page = try await self.store.inbox(of: self.store.identity.shards, after: last, limit: Self.page)
                if page.contains(where: { (try? Submission(wireBytes: $0.raw))?.bundle.mentions(erased) ?? false }) {
                    return true
                }
                guard page.count == Self.page else { return false }
                last = page.last
            }
        }
    }

    /// Payloads that were set aside and name the customer go.
    private func eraseQuarantined(_ erased: ErasedIdentifiers) async throws {
        var last: Int64 = 0
        while true {
            let page = try await self.store.quarantined(after: last, limit: Self.page)
            for payload in page where SignedText(payload.raw).names(erased) {
                try await self.store.removeQuarantined(payload.id)
            }
            guard let next = page.last?.id, page.count == Self.page else { return }
            last = next
        }
    }
}

extension FactBundle {
    fileprivate func mentions(_ erased: ErasedIdentifiers) -> Bool {
        self.facts.erasing(erased) != self.facts || self.record?.erasing(erased) != self.record
            || erased.contains(self.link?.customer) || erased.contains(self.customer?.customer)
            || self.review?.customers.contains(where: erased.contains) ?? false
            || self.review?.identifiers.contains(where: erased.identifiers.contains) ?? false
    }
}
