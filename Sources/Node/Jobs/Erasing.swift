import EventLog
import Ownership
import Queries
import ServiceContract
import Shards
import Subscriptions
import WireProtocol

/// The work of an `erase` job: takes a deleted customer out of everything that names it, until a pass finds nothing any more that began
/// when every node knew what to take out of what comes.
struct Erasing: Sendable {
    let store: any EventStore
    let notes: ErasureNotes
    let tombstones: Tombstones
    let eraser: CustomerEraser
    let hashing: IdentifierKey
    let clock: ClockWatch

    /// Nodes read the tombstones four times a second; one that cannot is no owner any more after this.
    private static let settling = Milliseconds(rawValue: 10_000)
    /// So long the request that begins one may take until it has said whom.
    private static let beginning = Milliseconds(rawValue: 60_000)
    private static let pause = Duration.seconds(1)
    private static let page = 64

    /// One pass.
    /// - Returns: how long to rest.
    /// - Throws: retryable codes, after which the pass can be made again.
    func step(_ job: inout Job) async throws(ServiceError) -> Duration {
        do throws(ServiceError) {
            return try await self.attempt(&job)
        } catch {
            // The id is not to be refused for ever.
            if !error.retryable {
                try await ServiceError.translating { [id = job.id] in
                    try await self.tombstones.finish(id, at: self.clock.present)
                }
            }
            throw error
        }
    }

    private func attempt(_ job: inout Job) async throws(ServiceError) -> Duration {
        try await ServiceError.translating { try await self.tombstones.refresh() }
        guard !self.tombstones.isFinished(job.id) else {
            // Somebody has ended it, and stopped before that was said.
            try await self.leave(&job)
            return .zero
        }
        guard let known = try await ServiceError.translating({ [id = job.id] in try await self.notes.read(id) }) else {
            guard job.started + Self.beginning < self.clock.present else { return Self.pause }
            (job.state, job.ended) = (.failed, self.clock.present)
            job.message = "the request that began it has not said whom to delete: send it again"
            return .zero
        }
        let (erased, pass) = try await self.pass(known, job.id)
        (job.examined, job.changed, job.skipped) = (pass.examined, job.changed + pass.changed, pass.skipped)
        guard let burial = self.tombstones.burial(of: erased, by: job.id), burial + Self.settling < self.clock.present,
            pass.changed == 0, try await !self.waits(erased)
        else { return Self.pause }
        try await self.end(erased, &job)
        return .zero
    }

    /// Refuses the customers first: what is said of them later is not overlooked when their identifiers are read.
    /// - Returns: whom, by all that is known now.
    func pass(
        _ known: ErasedIdentifiers, _ job: String
    ) async throws(ServiceError) -> (ErasedIdentifiers, CustomerEraser.Pass) {
        try await self.bury(known, job)
        var erased = known
        erased.identifiers.formUnion(try await self.eraser.identifiers(of: known.customers))
        if erased != known {
            // First: once they are erased, nothing shows whose they were.
            try await ServiceError.translating { [erased] in try await self.notes.write(erased, of: job) }
            try await self.bury(erased, job)
        }
        return (erased, try await self.eraser.erase(erased))
    }

    private func bury(_ erased: ErasedIdentifiers, _ job: String) async throws(ServiceError) {
        try await ServiceError.translating {
            try await self.tombstones.bury(erased, by: job, at: self.clock.present)
        }
    }

    private func end(_ erased: ErasedIdentifiers, _ job: inout Job) async throws(ServiceError) {
        try await ServiceError.translating { [skipped = job.skipped] in
            try await self.eraseQuarantined(erased)
            // By these another deletion finds what this one could not read.
            guard skipped == 0 else { return }
            try await self.store.removeLookups(
                of: erased.customers.map(self.hashing.sought) + erased.identifiers.map(self.hashing.sought))
        }
        try await self.leave(&job)
    }

    /// Until the tombstones say that it is over the id is refused, and a repetition knows whom to delete.
    private func leave(_ job: inout Job) async throws(ServiceError) {
        let parked = try await ServiceError.translating { [id = job.id] in
            try await self.tombstones.finish(id, at: self.clock.present)
            try await self.notes.remove(id)
            return try await self.store.inboxDepth().parked
        }
        (job.state, job.ended) = (.done, self.clock.present)
        if job.skipped > 0 {
            job.state = .failed
            job.message = "\(job.skipped) streams cannot be read or added to: delete the customer again when they can"
        } else if parked > 0 {
            job.message = "\(parked) parked rows of the inbox cannot be read, and may name the customer"
        }
    }

    /// What waits in the inbox names the customer.
    private func waits(_ erased: ErasedIdentifiers) async throws(ServiceError) -> Bool {
        try await ServiceError.translating {
            var last: InboxRow?
            while true {
                let page = try await self.store.inbox(of: self.store.identity.shards, after: last, limit: Self.page)
                if page.contains(where: { (try? Submission(wireBytes: $0.raw))?.bundle.names(erased) ?? false }) {
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
    fileprivate func names(_ erased: ErasedIdentifiers) -> Bool {
        self.facts.erasing(erased) != self.facts || self.record?.erasing(erased) != self.record
            || erased.contains(self.link?.customer) || self.review?.customers.contains(where: erased.contains) ?? false
            || self.review?.identifiers.contains(where: erased.identifiers.contains) ?? false
    }
}
