import Entitlements
import EventLog
import Logging
import ServiceContract
import Shards
import Subscriptions
import Waiting

/// Gives the shards what they tell by of changed rules, once the store's feature level lets anything be told: this node's catalog, and
/// those by which streams were told before. Other nodes add to these, and jobs take away from them.
struct RulesTeller: Sendable {
    let store: any EventStore
    let book: CatalogBook
    let rulebook: Rulebook
    let clock: ClockWatch
    let logger: Logger

    /// Takes the node's catalog up, before the node decides anything by it. Does nothing where it has been, or where the store's level
    /// is lower.
    /// - Throws: what the store throws, and `.corrupt`.
    func begin() async throws(ServiceError) {
        guard self.rulebook.reevaluator == nil else { return }
        try await ServiceError.translating {
            guard try await self.isAllowed() else { return }
            let rules = self.rulebook.fingerprint.rawValue
            let standing = try await self.book.adopt(self.rulebook.catalog, rules: rules, at: self.clock.present)
            try await self.tell(standing)
            guard standing.history?.isSettled == false || standing.rules != rules else { return }
            self.logger.notice(
                """
                The catalog or the rules have changed: some subscriptions answer otherwise than they were told. \
                `perennial store reevaluate` tells of each of them
                """)
        }
    }

    /// Takes over what has been noted since. While the newest catalog is another one than this node's, it says so now and then.
    func refresh() async throws(ServiceError) {
        guard let reevaluator = self.rulebook.reevaluator else { return try await self.begin() }
        try await ServiceError.translating {
            guard var standing = try await self.book.standing() else { return }
            let (catalog, now) = (reevaluator.mark.catalog, self.clock.present)
            if standing.history?.newest != catalog, standing.behindUntil ?? 0 < (now + Self.notice).milliseconds {
                standing = try await self.book.stayBehind(catalog, until: now + Self.notice + Self.notice)
            }
            if standing.history?.fingerprint != reevaluator.mark.history { try await self.tell(standing) }
        }
    }

    /// Whether a node has said lately that it answers by another catalog than the newest.
    func someNodeIsBehind() async throws(ServiceError) -> Bool {
        try await ServiceError.translating {
            let standing = try await self.book.standing()
            return self.clock.present.milliseconds < standing?.behindUntil ?? 0
        }
    }

    /// So long before the end of one such word comes the next.
    private static let notice = Milliseconds.seconds(3)

    private func isAllowed() async throws -> Bool {
        try await DedicatedThread.run(named: "level") { () throws(StoreError) in
            try self.store.featureLevel() >= .reevaluations
        }
    }

    private func tell(_ standing: CatalogBook.Standing) async throws {
        guard let history = standing.history else { return }
        self.rulebook.tell(from: history, earlier: try await self.book.catalogs(of: history))
    }
}
