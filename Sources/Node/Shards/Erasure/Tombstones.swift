package import EventLog
import ServiceContract
package import Subscriptions
import Synchronization
import Waiting
import WireProtocol

/// What is known of deleted customers, by keyed hashes alone: the identifiers that are taken out of what comes before it is recorded,
/// and the customers and identifiers whose deletion is under way. Every node of the store reads it four times a second.
///
/// It is a log of notes, `tombstone/000000000000` and so on, to which any node appends: of several who want the same number one gets it.
package final class Tombstones: Sendable {
    private let store: any EventStore
    private let hashing: IdentifierKey
    private let state = Mutex(TombstoneState())
    private let count = Atomic(0)

    package init(store: any EventStore, hashing: IdentifierKey) {
        self.store = store
        self.hashing = hashing
    }

    // MARK: Asking

    /// Nobody was ever deleted.
    var isEmpty: Bool { self.count.load(ordering: .acquiring) == 0 }

    /// The job that deletes the customer; nil where none does.
    package func job(deleting customer: CustomerID) -> String? {
        guard !self.isEmpty else { return nil }
        let hash = self.hashing.hash(.customer, customer.rawValue)
        return self.state.withLock { $0.deletions[hash]?.keys.min() }
    }

    /// A deletion is under way that takes the identifier from whom it led to.
    package func isBeingDeleted(_ identifier: RegistrableIdentifier) -> Bool {
        guard !self.isEmpty else { return false }
        let hash = self.hashing.hash(identifier)
        return self.state.withLock { $0.deletions[hash] != nil }
    }

    package func isFinished(_ job: String) -> Bool { self.state.withLock { $0.finished.contains(job) } }

    /// When the last of these was buried by a job; nil where one was not.
    package func burial(of erased: ErasedIdentifiers, by job: String) -> Moment? {
        let hashes = self.hashes(of: erased)
        return self.state.withLock { state in
            let burials = (hashes.customers + hashes.identifiers).map { state.deletions[$0]?[job] }
            return burials.contains(nil) ? nil : burials.compactMap(\.self).max()
        }
    }

    /// A request that names somebody whose deletion is under way.
    func refusal(of submission: Submission) -> SubmissionOutcome? {
        guard !self.isEmpty, submission.bundle.names.contains(where: { self.job(deleting: $0) != nil }) else {
            return nil
        }
        return .refused(.customerDeleted, message: ServiceError.customerDeleted.message)
    }

    /// Without the identifiers of deleted customers. The digests and the dedup key stay those of what was signed; the signed originals,
    /// which have the identifiers, do not.
    func strip(_ submission: Submission) -> Submission {
        guard !self.isEmpty else { return submission }
        var bundle = submission.bundle
        var newest: Moment?
        for place in bundle.facts.transactions.indices {
            let transaction = bundle.facts.transactions[place]
            let bought = transaction.purchaseDate ?? .distantPast
            newest = max(newest ?? bought, bought)
            let buried = self.buried(transaction.appAccountToken, transaction.appTransactionID, bought: bought)
            if !buried.isEmpty { bundle.facts.transactions[place].erase(buried) }
        }
        if let renewal = bundle.facts.renewal {
            let bought = newest ?? renewal.recentSubscriptionStartDate ?? .distantPast
            let buried = self.buried(renewal.appAccountToken, renewal.appTransactionID, bought: bought)
            if !buried.isEmpty { bundle.facts.renewal?.erase(buried) }
        }
        if case .consentRescinded(let consent) = bundle.record {
            let bought = consent.originalPurchaseDate ?? .distantPast
            bundle.record = bundle.record?.erasing(self.buried(nil, consent.appTransactionID, bought: bought))
        }
        guard bundle.facts != submission.bundle.facts || bundle.record != submission.bundle.record else {
            return submission
        }
        return Submission(key: submission.key, bundle: bundle, evidence: nil)
    }

    private func buried(_ token: String?, _ account: String?, bought: Moment) -> ErasedIdentifiers {
        let carried =
            [token.flatMap(AccountToken.init).map(RegistrableIdentifier.token)].compactMap(\.self)
            + [account.map(RegistrableIdentifier.account)].compactMap(\.self)
        let buried = carried.filter { identifier in
            let hash = self.hashing.hash(identifier)
            return self.state.withLock { $0.identifiers[hash] }.map { bought < $0 } ?? false
        }
        return ErasedIdentifiers(identifiers: Set(buried))
    }

    // MARK: Changing

    /// Begins a deletion, durable when it returns; nothing is written where it had begun.
    /// - Parameter moment: now.
    package func bury(_ erased: ErasedIdentifiers, by job: String, at moment: Moment) async throws {
        try await self.refresh()
        let (customers, identifiers) = self.hashes(of: erased)
        let lines = self.state.withLock { state in
            (customers.map(TombstoneNote.Line.customer) + identifiers.map(TombstoneNote.Line.identifier)).filter {
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

    /// Somebody has registered these: what is bought from now on may carry them.
    /// - Parameter moment: now.
    package func lift(_ identifiers: [RegistrableIdentifier], at moment: Moment) async throws {
        let hashes = identifiers.map(self.hashing.hash)
        let buried = self.state.withLock { state in hashes.filter { state.identifiers[$0] == .distantFuture } }
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

    /// To be called before the node decides anything: waits for the store.
    package func prepare() async {
        while !Task.isCancelled, (try? await self.refresh()) == nil {
            try? await Task.sleep(for: .seconds(1))
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
            self.count.store(self.state.withLock(\.read), ordering: .releasing)
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
    fileprivate var names: [CustomerID] {
        var names = [self.link?.customer, self.customer?.customer, self.registration?.registration.customer]
        switch self.customer?.content {
        case .take(let other, _, _, _), .drop(let other, _), .settle(let other, _), .move(let other, _):
            names.append(other)
        case .grant, .revoke, .restore, .set, .stay, .tell, nil: break
        }
        return names.compactMap(\.self)
    }
}
