import Entitlements
import EventLog
import Logging
import Ownership
import ServiceContract
import Shards
import Subscriptions
import Synchronization
import Waiting

/// Keeps the `Rulebook` up to date with the store's feature level, and with the history of catalogs in the store, which all nodes add to
/// and jobs shorten. It does nothing about that while the level is below `.reevaluations`.
final class RulesTeller: Sendable {
    private let store: any EventStore
    private let book: CatalogBook
    private let rulebook: Rulebook
    private let node: String
    private let clock: ClockWatch
    private let logger: Logger
    /// How often in a row no living node answered by the newest catalog.
    private let rounds = Mutex(0)

    init(
        store: any EventStore, book: CatalogBook, rulebook: Rulebook, node: String, clock: ClockWatch, logger: Logger
    ) {
        self.store = store
        self.book = book
        self.rulebook = rulebook
        self.node = node
        self.clock = clock
        self.logger = logger
    }

    /// Takes the node's catalog up, before the node decides anything by it, unless it has.
    /// - Throws: what the store throws, and `.corrupt`.
    func begin() async throws(ServiceError) {
        guard self.rulebook.reevaluator == nil else { return }
        try await ServiceError.translating {
            guard try await self.isAllowed() else { return }
            let standing = try await self.adopt()
            try await self.use(standing)
            let rules = self.rulebook.fingerprint.rawValue
            guard standing.history?.isSettled == false || standing.rules != rules else { return }
            self.logger.notice(
                """
                The catalog or the rules have changed. Some subscriptions may answer otherwise than they were told: \
                `perennial store reevaluate` tells of each of them
                """)
        }
    }

    /// Takes over what other nodes and jobs have noted. While the newest catalog is another one than this node's, the node says so; once
    /// no living node answers by that one any more, it takes its own up again.
    func refresh() async throws(ServiceError) {
        guard let reevaluator = self.rulebook.reevaluator else { return try await self.begin() }
        try await ServiceError.translating {
            if self.rulebook.level < .supported { _ = try await self.isAllowed() }
            guard var standing = try await self.book.standing(), let newest = standing.history?.newest else { return }
            let (catalog, now) = (reevaluator.mark.catalog, self.clock.present)
            if newest != catalog, standing.behindUntil ?? 0 < (now + Self.notice).milliseconds {
                let isHeld = try await self.isHeldByTheLiving(newest)
                let round = self.rounds.withLock { rounds in
                    rounds = isHeld ? 0 : rounds + 1
                    return rounds
                }
                standing =
                    round < Self.patience
                    ? try await self.book.stayBehind(catalog, until: now + Self.notice + Self.notice)
                    : try await self.adopt()
            }
            if standing.history?.fingerprint != reevaluator.mark.history { try await self.use(standing) }
        }
    }

    /// Whether a node has said lately that it answers by another catalog than the newest.
    func someNodeIsBehind() async throws(ServiceError) -> Bool {
        try await ServiceError.translating {
            let standing = try await self.book.standing()
            return self.clock.present.milliseconds < standing?.behindUntil ?? 0
        }
    }

    /// How long before `behindUntil` a node says so once more; each time it holds twice as long.
    private static let notice = Milliseconds.seconds(3)
    /// A node that has just begun may not be seen to live yet.
    private static let patience = 10

    private func adopt() async throws -> CatalogBook.Standing {
        try await self.book.adopt(
            self.rulebook.catalog, of: self.node, rules: self.rulebook.fingerprint.rawValue, at: self.clock.present)
    }

    private func isHeldByTheLiving(_ catalog: UInt64) async throws -> Bool {
        guard let shared = self.store as? any SharedEventStore else { return false }
        let view = try await DedicatedThread.run(named: "view") { () throws(StoreError) in try shared.view() }
        return try await self.book.isHeld(catalog, by: view.living.map(\.node.rawValue))
    }

    private func isAllowed() async throws -> Bool {
        let level = try await DedicatedThread.run(named: "level") { () throws(StoreError) in
            try self.store.featureLevel()
        }
        self.rulebook.noteLevel(level)
        return level >= .reevaluations
    }

    private func use(_ standing: CatalogBook.Standing) async throws {
        guard let history = standing.history else { return }
        self.rulebook.setHistory(history, earlier: try await self.book.catalogs(of: history))
    }
}
