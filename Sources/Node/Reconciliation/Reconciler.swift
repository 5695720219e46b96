package import AppStore
import EventLog
package import Ingestion
package import Logging
package import Shards
import Subscriptions

/// Notices what is missing or doubtful, and asks Apple: by the history of notifications where many may be missing, by the
/// statuses of single subscriptions where one is. Work belongs to the owner of the shard concerned, and may be repeated.
package final class Reconciler: Sendable {
    private static let budgetInterval = Duration.seconds(10)

    package let accounts: AccountDirectory
    package let asks: RecheckQueue
    package let jobs: ReconciliationJobs
    package let tally: ReconciliationTally
    package let history: HistoryReader
    let sweeper: Sweeper
    package let past: PastReader
    package let comparison: StatusComparison
    let troubles: AccountTroubles
    private let comparisons: ComparisonRegistry
    private let router: ShardRouter
    private let rules: DerivationRules
    package let clock: any WallClock
    private let metrics = ReconciliationMetrics()
    private let logger: Logger

    package init(
        _ configuration: RuntimeConfiguration, accounts: AccountDirectory, asks: RecheckQueue,
        comparisons: ComparisonRegistry,
        answers: AnswerReader, ingestion: Ingestion, logger: Logger
    ) {
        let router = ingestion.router
        let clock = ingestion.clock
        let tally = ReconciliationTally(
            node: configuration.node.rawValue, accounts: accounts.clients.map(\.account), since: clock.now)
        let inspector = StreamInspector(router: router)
        let recorder = AnswerRecorder(reader: answers, ingestion: ingestion, logger: logger)
        let troubles = AccountTroubles(tally: tally, metrics: self.metrics, logger: logger)
        let comparison = StatusComparison(
            inspector: inspector, recorder: recorder, rules: configuration.rules, clock: clock, tally: tally,
            metrics: self.metrics)
        self.accounts = accounts
        self.asks = asks
        self.jobs = ReconciliationJobs(clock: clock)
        self.tally = tally
        self.history = HistoryReader(ingestion: ingestion, metrics: self.metrics, logger: logger)
        self.past = PastReader(recorder: recorder, store: router.store)
        self.comparison = comparison
        self.troubles = troubles
        self.sweeper = Sweeper(
            pause: configuration.sweepPause, accounts: accounts, router: router, inspector: inspector,
            comparison: comparison, tally: tally, troubles: troubles, rules: configuration.rules, clock: clock)
        self.comparisons = comparisons
        self.router = router
        self.rules = configuration.rules
        self.clock = clock
        self.logger = logger
    }

    /// Until it is cancelled.
    package func run() async {
        guard !self.accounts.clients.isEmpty else { return }
        self.comparisons.open(self.sweeper.compare)
        defer { self.comparisons.close() }
        await withDiscardingTaskGroup { group in
            for client in self.accounts.clients { group.addTask { await self.keeper(of: client).run() } }
            group.addTask { await self.worker.run() }
            group.addTask { await self.scan.run() }
            group.addTask { await self.sweeper.run() }
            group.addTask { await self.jobs.run() }
            group.addTask { await self.divideBudgets() }
        }
    }

    private func keeper(of client: ServerAPIClient) -> CoverageKeeper {
        CoverageKeeper(
            client: client, router: self.router, history: self.history, tally: self.tally, troubles: self.troubles,
            metrics: self.metrics, clock: self.clock, logger: self.logger)
    }

    private var worker: AskWorker {
        AskWorker(
            queue: self.asks, accounts: self.accounts, router: self.router, inspector: self.comparison.inspector,
            comparison: self.comparison, past: self.past, tally: self.tally, troubles: self.troubles,
            rules: self.rules, clock: self.clock)
    }

    private var scan: RecheckScan {
        RecheckScan(
            queue: self.asks, accounts: self.accounts, router: self.router, rules: self.rules, clock: self.clock,
            logger: self.logger)
    }

    /// Apple's limits are for the app, however many nodes ask.
    private func divideBudgets() async {
        while !Task.isCancelled {
            if let nodes = try? await self.router.livingNodes() {
                for client in self.accounts.clients { client.budget.divide(by: nodes) }
            }
            for client in self.accounts.clients {
                let budget = Dictionary(
                    uniqueKeysWithValues: ServerAPIEndpoint.allCases.map { ($0, client.budget.remaining($0)) })
                for (endpoint, remaining) in budget { self.metrics.setBudget(remaining, of: endpoint, client.account) }
                self.tally.update(client.account) { $0.budget = budget }
            }
            try? await Task.sleep(for: Self.budgetInterval)
        }
    }
}
