package import EventLog
package import Logging
import ServiceContract
package import Subscriptions
import Synchronization
import Waiting
import WireProtocol

/// The tombstones of deleted customers: keyed hashes of the identifiers that queues remove from payloads, and of the customers and
/// identifiers that commands may not name yet. Every node of the store reads them four times a second.
///
/// They are a log of notes, `tombstone/000000000000` and so on, to which any node appends. When two nodes append at once, one gets the
/// number and the other tries the next.
package final class Tombstones: Sendable {
    private let store: any EventStore
    private let hashing: IdentifierKey
    private let logger: Logger
    private let state = Mutex(TombstoneState())
    /// How many customers and identifiers are being deleted, and how many identifiers are buried: most stores have none.
    private let running = Atomic(0)
    private let buried = Atomic(0)

    package init(store: any EventStore, hashing: IdentifierKey, logger: Logger) {
        self.store = store
        self.hashing = hashing
        self.logger = logger
    }

    // MARK: Asking

    /// True if no command names a deleted customer: nothing is being deleted, and no identifier is buried.
    var isEmpty: Bool { self.isIdle && self.buried.load(ordering: .acquiring) == 0 }
    private var isIdle: Bool { self.running.load(ordering: .acquiring) == 0 }

    /// The job that deletes the customer; nil where none does.
    package func job(deleting customer: CustomerID) -> String? {
        guard !self.isIdle else { return nil }
        let hash = self.hashing.hash(.customer, customer.rawValue)
        return self.state.withLock { $0.deletions[hash]?.keys.min() }
    }

    /// Whether a running deletion erases this identifier.
    package func isBeingDeleted(_ identifier: RegistrableIdentifier) -> Bool {
        guard !self.isIdle else { return false }
        let hash = self.hashing.hash(identifier)
        return self.state.withLock { $0.deletions[hash] != nil }
    }

    package func isFinished(_ job: String) -> Bool { self.state.withLock { $0.finished.contains(job) } }

    /// When the job wrote the last of these tombstones; nil if one is missing.
    package func burial(of erased: ErasedIdentifiers, by job: String) -> Moment? {
        let hashes = self.hashes(of: erased)
        return self.state.withLock { state in
            let burials = (hashes.customers + hashes.identifiers).map { state.deletions[$0]?[job] }
            return burials.contains(nil) ? nil : burials.compactMap(\.self).max()
        }
    }

    /// Of a command that names a customer, or registers an identifier, that is being deleted; nil of any other.
    func refusal(of submission: Submission) -> SubmissionOutcome? {
        guard !self.isIdle else { return nil }
        let registered = submission.bundle.registration?.registration.identifier
            .flatMap { RegistrableIdentifier(submission.key.kind, $0) }
        guard
            submission.bundle.namedCustomers.contains(where: { self.job(deleting: $0) != nil })
                || registered.map(self.isBeingDeleted) ?? false
        else { return nil }
        return .refused(.customerDeleted, message: ServiceError.customerDeleted.message)
    }

    /// Without the identifiers of deleted customers. The digests and the dedup key stay those of what was signed; the signed originals,
    /// which have the identifiers, do not.
    func strip(_ submission: Submission) -> Submission {
        guard self.buried.load(ordering: .acquiring) > 0, !submission.bundle.isEmpty else { return submission }
        var bundle = submission.bundle
        var isStripped = false
        var newest: Moment?
        for place in bundle.facts.transactions.indices {
            let transaction = bundle.facts.transactions[place]
            let bought = transaction.purchaseDate ?? .distantPast
            newest = max(newest ?? bought, bought)
            let buried = self.buried(transaction.appAccountToken, transaction.appTransactionID, bought: bought)
            guard !buried.isEmpty else { continue }
            bundle.facts.transactions[place].erase(buried)
            isStripped = true
        }
        if let renewal = bundle.facts.renewal {
            let bought = newest ?? renewal.recentSubscriptionStartDate ?? .distantPast
            let buried = self.buried(renewal.appAccountToken, renewal.appTransactionID, bought: bought)
            if !buried.isEmpty {
                bundle.facts.renewal?.erase(buried)
                isStripped = true
            }
        }
        if case .consentRescinded(let consent) = bundle.record {
            let bought = consent.originalPurchaseDate ?? .distantPast
            let buried = self.buried(nil, consent.appTransactionID, bought: bought)
            if !buried.isEmpty {
                bundle.record = bundle.record?.erasing(buried)
                isStripped = true
            }
        }
        guard isStripped else { return submission }
        return Submission(key: submission.key, bundle: bundle, evidence: nil)
    }

    private func buried(_ token: String?, _ account: String?, bought: Moment) -> ErasedIdentifiers {
        let carried =
            [token.flatMap(AccountToken.init).map(RegistrableIdentifier.token)].compactMap(\.self)
            + [account.map(RegistrableIdentifier.account)].compactMap(\.self)
        let hashes = carried.map(self.hashing.hash)
        let moments = self.state.withLock { state in hashes.map { state.identifiers[$0] } }
        let buried = zip(carried, moments).filter { _, moment in moment.map { bought < $0 } ?? false }.map(\.0)
        return ErasedIdentifiers(identifiers: Set(buried))
    }

    // MARK: Changing

    /// Begins a deletion, durable when it returns. What the job has buried already, or a job that has ended, adds nothing.
    /// - Parameter moment: now.
    package func bury(_ erased: ErasedIdentifiers, by job: String, at moment: Moment) async throws {
        try await self.refresh()
        let (customers, identifiers) = self.hashes(of: erased)
        let lines = self.state.withLock { state -> [TombstoneNote.Line] in
            guard !state.finished.contains(job) else { return [] }
            return (customers.map(TombstoneNote.Line.customer) + identifiers.map(TombstoneNote.Line.identifier)).filter
            {
                state.deletions[$0.hash]?[job] == nil
            }
        }
        for start in stride(from: 0, to: lines.count, by: TombstoneNote.limit) {
            let part = Array(lines[start..<min(start + TombstoneNote.limit, lines.count)])
            try await self.append(TombstoneNote(.bury, job: job, at: moment, lines: part))
        }
    }

    /// A deletion is over: what its customers are called may be used again.
    package func finish(_ job: String, at moment: Moment) async throws {
        guard !self.isFinished(job) else { return }
        try await self.append(TombstoneNote(.finish, job: job, at: moment))
    }

    /// Lifts the tombstones of identifiers that a customer has registered. Purchases before `moment` stay without them.
    /// - Parameter moment: now.
    package func lift(_ identifiers: [RegistrableIdentifier], at moment: Moment) async throws {
        guard self.buried.load(ordering: .acquiring) > 0 else { return }
        let hashes = identifiers.map(self.hashing.hash)
        let buried = self.state.withLock { state in
            hashes.filter { state.identifiers[$0] == .distantFuture && state.deletions[$0] == nil }
        }
        guard !buried.isEmpty else { return }
        try await self.append(TombstoneNote(.lift, at: moment, lines: buried.map(TombstoneNote.Line.identifier)))
    }

    private func hashes(
        of erased: ErasedIdentifiers
    ) -> (customers: [IdentifierHash], identifiers: [IdentifierHash]) {
        (
            erased.customers.map { self.hashing.hash(.customer, $0.rawValue) }.sorted(),
            erased.identifiers.map(self.hashing.hash).sorted()
        )
    }

    private func append(_ note: TombstoneNote) async throws {
        let value = note.bytes
        while true {
            try await self.refresh()
            let name = TombstoneNote.name(self.state.withLock(\.read))
            let kept = try await DedicatedThread.run(named: "tombstones") { [store] () throws(StoreError) in
                try store.keepBookmark(name, value)
            }
            if kept == value { return try await self.refresh() }
        }
    }

    // MARK: Reading

    /// Reads all tombstones. Call it before the node decides anything. It retries until the store answers.
    package func prepare() async {
        var attempt = 0
        while !Task.isCancelled {
            do {
                return try await self.refresh()
            } catch {
                guard !Task.isCancelled else { return }
                if attempt % 60 == 0 {
                    self.logger.warning(
                        "The tombstones of deleted customers cannot be read: the node does not begin before",
                        metadata: .runtime([.error: "\(ServiceError(error).message)"]))
                }
                attempt += 1
                try? await Task.sleep(for: .seconds(1))
            }
        }
    }

    /// Until it is cancelled.
    /// - Parameter isNeeded: whether the store may have any.
    package func run(while isNeeded: @Sendable () -> Bool) async {
        while !Task.isCancelled {
            // Where the store is away, who else needs it says so.
            if isNeeded() { try? await self.refresh() }
            try? await Task.sleep(for: .milliseconds(250))
        }
    }

    private static let page = 256

    package func refresh() async throws {
        while true {
            let read = self.state.withLock(\.read)
            let notes = try await self.store.bookmarks(
                startingWith: TombstoneNote.prefix, after: read == 0 ? nil : TombstoneNote.name(read - 1),
                limit: Self.page)
            for (place, note) in notes.enumerated() {
                let note = try TombstoneNote(note)
                // Unless somebody else has read it meanwhile.
                self.state.withLock { if $0.read == read + place { $0.apply(note) } }
            }
            let counts = self.state.withLock { ($0.deletions.count, $0.identifiers.count) }
            self.running.store(counts.0, ordering: .releasing)
            self.buried.store(counts.1, ordering: .releasing)
            guard notes.count == Self.page else { return }
        }
    }
}

/// What the log of tombstones comes to.
private struct TombstoneState {
    /// How many notes have been read.
    var read = 0
    /// What was bought before this moment loses the identifier.
    var identifiers: [IdentifierHash: Moment] = [:]
    /// Of customers and identifiers: the jobs that delete them, and since when.
    var deletions: [IdentifierHash: [String: Moment]] = [:]
    var finished: Set<String> = []

    mutating func apply(_ note: TombstoneNote) {
        self.read += 1
        for line in note.lines {
            switch note.action {
            // A pass that is late may bury for a job that has ended.
            case .bury where self.finished.contains(note.job): break
            case .bury:
                self.deletions[line.hash, default: [:]][note.job] = note.at
                if case .identifier(let hash) = line { self.identifiers[hash] = .distantFuture }
            case .lift: self.identifiers[line.hash] = note.at
            case .finish: break
            }
        }
        guard note.action == .finish else { return }
        self.finished.insert(note.job)
        self.deletions = self.deletions.compactMapValues { jobs in
            let others = jobs.filter { $0.key != note.job }
            return others.isEmpty ? nil : others
        }
    }
}

extension FactBundle {
    /// The customers whom a request names.
    fileprivate var namedCustomers: [CustomerID] {
        var names = [self.link?.customer, self.customer?.customer, self.registration?.registration.customer]
        switch self.customer?.content {
        case .take(let other, _, _, _), .drop(let other, _), .settle(let other, _, _), .move(let other, _),
            .comeBack(let other, _):
            names.append(other)
        case .giveBack(let leaving): names.append(leaving.customer)
        case .grant, .revoke, .restore, .set, .stay, .leave, .tell, nil: break
        }
        return names.compactMap(\.self)
    }
}
