package import AppStore
package import Entitlements
package import EventLog
import Ingestion
import Jobs
package import Logging
package import Queries
import Reconciliation
package import ServiceContract
import ServiceLifecycle
package import Shards
package import Subscriptions
import Synchronization
package import WireProtocol

/// Perennial's one door: notifications in, answers out. HTTP, the command line and the demo see nothing else of the
/// runtime. Callable from any task at any time; before `run()` has taken the shards, and once it is stopping, what
/// cannot be done is refused as `stopping`.
package final class SubscriptionService: Service, Sendable {
    private let store: any EventStore
    private let clock: any WallClock
    /// By the node's clock.
    package var now: Moment { self.clock.now }
    private let transactions: TransactionReader
    private let verification: VerificationPool

    let node: ShardNode
    /// nil where Apple cannot be asked.
    let reconciler: Reconciler?
    let ingestion: Ingestion
    let jobs: JobRunner
    private let metrics: RuntimeMetrics
    private let checkMetrics = CheckMetrics()
    private let streams: StreamReader
    private let changes: ChangeReader
    /// For those who follow.
    private let followedChanges: ChangeSource
    private let records: RecordReader
    private let checker: EntitlementChecker
    private let superseded: SupersededStreams
    let customers: CustomerReader
    let customerLister: CustomerLister
    private let reviewer: CustomerReviewer
    let eraser: CustomerEraser
    let tombstones: Tombstones
    private let rulebook: Rulebook
    let finder: IdentifierFinder
    /// The newest feature level that the store was seen at.
    let seenLevel = Mutex(FeatureLevel.first)
    private let quarantine: Quarantine
    /// What subscribers of the stream may be told of this node's shards.
    package let servedLog: ServedLog
    let customerTable: CustomerTable?
    /// This node makes all commits to the store.
    let isAlone: Bool
    /// Where the nodes of the store publish it.
    package let streamDirectory: StreamDirectory

    /// Starts nothing. The service starts and stops `verification`, and closes neither `store` nor anything else.
    /// Blocks.
    /// - Precondition: the store's shard count is one that a `ShardHash` takes.
    /// - Throws: when the store is at a feature level that the node does not support, or cannot be read; when the
    ///   system has no descriptor left for the cluster; when an app has two Server API clients in one environment.
    package init(
        store: any EventStore, configuration: RuntimeConfiguration, clock: any WallClock,
        notifications: NotificationReader, transactions: TransactionReader, verification: VerificationPool,
        catalog: Catalog, logger: Logger
    ) throws(ServiceError) {
        self.store = store
        self.clock = clock
        self.transactions = transactions
        self.verification = verification
        self.metrics = RuntimeMetrics()
        let asks = configuration.serverAPI.isEmpty ? nil : RecheckQueue(clock: clock)
        let comparisons = ComparisonRegistry()
        let accounts: AccountDirectory
        let hashing: IdentifierKey
        do {
            accounts = try AccountDirectory(configuration.serverAPI)
            try configuration.featureLevel.check(supports: try store.featureLevel())
            hashing = try IdentifierKey(of: store)
            let rulebook = Rulebook(rules: configuration.rules, catalog: catalog)
            let shards = try ShardSet(
                store: store, hashing: hashing, rulebook: rulebook, configuration: configuration, clock: clock,
                doubts: asks,
                comparing: comparisons,
                metrics: self.metrics, logger: logger)
            let holdings = HoldingsReader(
                store: store, map: shards.map, positions: shards.positions, hashing: hashing,
                policies: configuration.customers, rules: configuration.rules)
            self.superseded = SupersededStreams(holdings, recorded: shards.successions)
            self.checker = EntitlementChecker(
                store: store, superseded: self.superseded, map: shards.map, positions: shards.positions,
                names: shards.names, catalog: catalog,
                rules: configuration.rules, mirror: configuration.mirror, clock: clock, watch: shards.watch,
                waitingClock: configuration.waitingClock, storePatience: configuration.storePatience)
            self.customers = CustomerReader(
                holdings, table: shards.customers, mirror: shards.isAlone ? nil : configuration.mirror,
                rules: configuration.rules, catalog: catalog, clock: clock,
                storePatience: configuration.storePatience)
            self.customerLister = CustomerLister(holdings, shards: store.identity.shards, clock: clock)
            self.customerTable = shards.customers
            self.isAlone = shards.isAlone
            self.finder = IdentifierFinder(store: store, map: shards.map, hashing: hashing)
            self.node = ShardNode(
                shards, answers: self.checker, store: store, configuration: configuration, clock: clock,
                metrics: self.metrics, logger: logger)
            self.reviewer = CustomerReviewer(
                self.customers, rulebook, router: self.node.router, logger: logger)
            self.rulebook = rulebook
            self.tombstones = shards.tombstones
            self.eraser = CustomerEraser(holdings, router: self.node.router)
            self.jobs = JobRunner(
                router: self.node.router, rulebook: rulebook, reviewer: self.reviewer, eraser: self.eraser,
                tombstones: self.tombstones, hashing: hashing, lease: configuration.lease,
                node: configuration.node.rawValue, logger: logger)
        } catch {
            throw ServiceError(error)
        }
        let positions = self.node.router.positions
        self.streams = StreamReader(
            store: store, map: self.node.router.map, positions: positions, rules: configuration.rules, clock: clock)
        self.changes = ChangeReader(store: store, positions: positions)
        self.followedChanges = ChangeSource(
            ChangeReader(store: store, positions: positions, sharedHeads: SharedHeads(store: store)),
            patience: configuration.followingPatience)
        self.records = RecordReader(store: store, positions: positions)
        self.servedLog = ServedLog(
            store: store, positions: positions,
            renewer: ImageRenewer(
                store: store, rules: configuration.rules, hashing: hashing, watch: self.node.router.watch),
            rules: ToldRules(catalog, configuration.rules, configuration.customers, hashing: hashing),
            node: configuration.node)
        self.streamDirectory = StreamDirectory(store: store, node: configuration.node)
        self.quarantine = Quarantine(store: store, clock: clock, metrics: self.metrics)
        let ingestion = Ingestion(
            reader: notifications, verification: verification, router: self.node.router, quarantine: self.quarantine,
            clock: clock, metrics: self.metrics, logger: logger)
        self.ingestion = ingestion
        self.reconciler = asks.map { asks in
            Reconciler(
                configuration, accounts: accounts, asks: asks, comparisons: comparisons, answers: transactions.answers,
                ingestion: ingestion,
                logger: logger)
        }
    }

    /// Takes every shard, catches up on timers, and serves until a graceful shutdown or cancellation; then returns when
    /// all that was accepted is committed and answered.
    /// - Throws: `ServiceError` when the shards cannot be taken, at the start or again after a commit of unknown
    ///   outcome: the store has to be opened anew. Also when others have taken the node for dead (`saysRunIsDeposed`).
    package func run() async throws {
        self.verification.start()
        try? await self.quarantine.measure()
        await cancelWhenGracefulShutdown {
            await self.jobs.prepare()
            await self.tombstones.prepare()
            try? await self.superseded.read(all: true)
        }
        let failure = await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.ingestion.learnChains() }
            group.addTask { await self.jobs.run() }
            group.addTask { await self.superseded.run() }
            group.addTask { await self.tombstones.run { self.rulebook.level >= .erasure } }
            if let reconciler = self.reconciler { group.addTask { await reconciler.run() } }
            let failure = await withTaskCancellationOrGracefulShutdownHandler {
                await self.node.run(self.reviewer)
            } onCancelOrGracefulShutdown: {
                self.node.stop()
            }
            group.cancelAll()
            return failure
        }
        await self.verification.stop()
        if let failure { throw ServiceError(failure) }
    }

    // MARK: In

    /// Verifies and records one notification, as the App Store posts it; durable when it returns.
    /// - Throws: Apple's failure classes for what is forged or malformed; otherwise retryable codes.
    package func ingest(body: [UInt8]) async throws(ServiceError) -> IngestOutcome {
        try await self.ingestion.ingest(body: body)
    }

    /// The same, of the compact JWS in it.
    /// - Throws: Apple's failure classes for what is forged or malformed; otherwise retryable codes.
    package func ingest(signedPayload: [UInt8]) async throws(ServiceError) -> IngestOutcome {
        try await self.ingestion.ingest(signedPayload: signedPayload)
    }

    /// Records what has been verified; durable when it returns.
    /// - Throws: retryable codes.
    package func record(_ submission: Submission) async throws(ServiceError) -> IngestOutcome {
        try await self.node.router.submit(submission).outcome
    }

    /// Verifies and records what a backend got from a device, and then links it; durable when it returns.
    /// - Throws: `.linkedElsewhere` or `.tooManySharers` when the facts are recorded, and the link is refused.
    package func record(
        signedTransaction: [UInt8], signedRenewalInfo: [UInt8]?, link: LinkRequest? = nil
    ) async throws(ServiceError) -> SubscriptionView {
        if let link { try self.refuseDeleted(link.customer) }
        let verified = try await self.verify(
            signedTransaction: signedTransaction, signedRenewalInfo: signedRenewalInfo, link: link)
        try await self.record(verified, link)
        let key = verified.key
        return try await self.subscription(
            SubscriptionQuery(
                stream: StreamReference(
                    kind: key.kind, id: key.id, environment: key.environment, bundleID: key.bundleID)))
    }

    /// What a backend got from a device, ready to be recorded.
    struct VerifiedTransaction: Sendable {
        let key: StreamKey
        let bundle: FactBundle
        let evidence: EncodedEvidence
    }

    func verify(
        signedTransaction: [UInt8], signedRenewalInfo: [UInt8]?, link: LinkRequest?
    ) async throws(ServiceError) -> VerifiedTransaction {
        let originals =
            [EvidencePart(name: .signedTransactionInfo, jws: signedTransaction)]
            + (signedRenewalInfo.map { [EvidencePart(name: .signedRenewalInfo, jws: $0)] } ?? [])
        let standing = self.transactions.standing(of: signedTransaction)
        let ((key, bundle), evidence) = try await self.ingestion.verify(standing) { () async throws(ReadingFailure) in
            let reading = try await self.transactions.read(
                signedTransaction: signedTransaction, signedRenewalInfo: signedRenewalInfo, link: link,
                now: self.clock.now, latest: self.node.router.watch.latest)
            return (reading, self.ingestion.pack(originals))
        }
        return VerifiedTransaction(key: key, bundle: bundle, evidence: try evidence.get())
    }

    func record(_ verified: VerifiedTransaction, _ link: LinkRequest?) async throws(ServiceError) {
        let outcome = try await self.record(
            Submission(key: verified.key, bundle: verified.bundle, evidence: verified.evidence))
        // A device posts the same at every launch.
        if let link, case .recorded = outcome { try await self.followLink(of: verified.key, link) }
    }

    /// - Returns: the `appTransactionId`; nil where Apple names none.
    func verify(appTransaction jws: [UInt8]) async throws(ServiceError) -> String? {
        try await self.ingestion.verify(self.transactions.standing(of: jws)) { () async throws(ReadingFailure) in
            try await self.transactions.readAppTransaction(jws, now: self.clock.now)
        }
    }

    // MARK: Out

    /// What is true of a subscription or purchase, now or at a moment of the past.
    package func subscription(_ query: SubscriptionQuery) async throws(ServiceError) -> SubscriptionView {
        try await OwnerRetry.ask(for: PositionGuard.patience) { () async throws(ServiceError) in
            try await ServiceError.translating { try await self.streams.view(query) }
        }
    }

    /// Why it is so, rule by rule, by all we know now.
    package func explain(_ query: SubscriptionQuery) async throws(ServiceError) -> Explanation {
        try await OwnerRetry.ask(for: PositionGuard.patience) { () async throws(ServiceError) in
            try await ServiceError.translating { try await self.streams.explain(query) }
        }
    }

    /// The events of one stream, oldest first. `limit` 1…1000.
    package func events(
        of stream: StreamReference, after cursor: String?, limit: Int, evidence: Bool
    ) async throws(ServiceError) -> EventPage {
        try Self.check(limit: limit)
        return try await ServiceError.translating {
            try await self.streams.events(of: stream, after: cursor, limit: limit, evidence: evidence)
        }
    }

    /// The change stream: all events, in order within each shard, from the oldest on when there is no cursor. `limit`
    /// 1…1000.
    package func changes(after cursor: String?, limit: Int) async throws(ServiceError) -> EventPage {
        try Self.check(limit: limit)
        return try await ServiceError.translating { try await self.changes.page(after: cursor, limit: limit) }
    }

    /// The same stream for a listener who stays: from what stands now on when there is no cursor.
    /// - Throws: `.invalidCursor`, `.storeRewound`.
    package func feed(after cursor: String?) async throws(ServiceError) -> ChangeFeed {
        try await ServiceError.translating {
            try await ChangeFeed(
                self.followedChanges, renewer: self.servedLog.renewer, watch: self.node.router.watch, after: cursor)
        }
    }

    /// What is recorded beside subscriptions: `kind` is one of `.massExtension`, `.externalPurchase`, `.appTransaction`
    /// and `.test`, or nil for all of them. `limit` 1…1000.
    package func records(
        kind: StreamKind?, after cursor: String?, limit: Int
    ) async throws(ServiceError) -> EventPage {
        try Self.check(limit: limit)
        return try await ServiceError.translating {
            try await self.records.page(kind: kind, after: cursor, limit: limit)
        }
    }

    /// Who is entitled, now: one result per request, in order, at most 1000. What cannot be answered is refused item by item.
    /// - Throws: when nothing of it could be answered.
    package func check(
        _ requests: [CheckRequest], consistency: Consistency, atLeast: String?
    ) async throws(ServiceError) -> CheckResponse {
        if consistency == .local, let known = try self.checkFromMemory(requests, atLeast: atLeast) { return known }
        try Self.check(requests)
        let start = ContinuousClock.now
        let response = try await ServiceError.translating {
            try await self.checker.answer(requests, consistency, atLeast: atLeast)
        }
        self.record(requests, response, consistency, since: start)
        return response
    }

    /// The `local` answer of this moment, when all of it is in memory: no store and no other node is asked, nothing is waited for.
    /// - Returns: nil when it is not, and `check` has to be asked.
    package func checkFromMemory(
        _ requests: [CheckRequest], atLeast: String?
    ) throws(ServiceError) -> CheckResponse? {
        try Self.check(requests)
        let start = ContinuousClock.now
        guard let response = try self.checker.answerFromMemory(requests, atLeast: atLeast) else { return nil }
        self.record(requests, response, .local, since: start)
        return response
    }

    private func record(
        _ requests: [CheckRequest], _ response: CheckResponse, _ consistency: Consistency,
        since start: ContinuousClock.Instant
    ) {
        // The check may be about customers alone.
        guard !requests.isEmpty else { return }
        self.metrics.recordCheck(took: .now - start)
        self.checkMetrics.record(requests, response.results, consistency)
    }

    func record(
        _ questions: [CustomerQuestion], _ results: [CustomerResult], _ consistency: Consistency,
        since start: ContinuousClock.Instant
    ) {
        self.metrics.recordCheck(took: .now - start)
        self.checkMetrics.record(questions, results, consistency)
    }

    private static func check(_ requests: [CheckRequest]) throws(ServiceError) {
        guard requests.count <= Self.pageLimit else {
            throw ServiceError(.invalidRequest, "at most \(Self.pageLimit) checks at a time")
        }
    }

    private static let pageLimit = 1_000

    private static func check(limit: Int) throws(ServiceError) {
        guard (1...Self.pageLimit).contains(limit) else {
            throw ServiceError(.invalidRequest, "limit is 1 to \(Self.pageLimit)")
        }
    }

    // MARK: Operation

    /// Rows in the order in which they came, with `id` greater than this one.
    package func quarantined(after id: Int64, limit: Int) async throws(ServiceError) -> [QuarantinedPayload] {
        try Self.check(limit: limit)
        return try await ServiceError.translating { try await self.store.quarantined(after: id, limit: limit) }
    }

    /// Reads every row anew and records what now fits; a part of the rows when the node stops meanwhile.
    package func replayQuarantine() async throws(ServiceError) -> QuarantineReplay {
        try await ServiceError.translating {
            try await self.quarantine.replay { raw in
                if case .quarantined = try await self.ingestion.replay(raw) { return false }
                return true
            }
        }
    }

    package func readiness(for purpose: Readiness.Purpose) -> Readiness {
        let reasons = self.node.obstacles(to: purpose)
        return Readiness(ready: reasons.isEmpty, reasons: reasons)
    }

    /// How far this node's clock is ahead: of the store's, or of an even run since the start where the store has none.
    package var clockOffset: Milliseconds { self.node.router.watch.offset }

    package func statistics() async throws(ServiceError) -> ServiceStatistics {
        try await ServiceError.translating {
            let statistics = try await self.store.statistics()
            return ServiceStatistics(
                streams: statistics.streams, events: statistics.events,
                quarantined: try await self.store.quarantineDepth(), shardsOwned: self.metrics.ownedCount,
                timersOverdue: self.metrics.overdueCount)
        }
    }
}
