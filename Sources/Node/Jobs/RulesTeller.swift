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

    /// Takes over what has been noted since.
    func refresh() async throws(ServiceError) {
        guard let reevaluator = self.rulebook.reevaluator else { return try await self.begin() }
        try await ServiceError.translating {
            guard let standing = try await self.book.standing(),
                standing.history?.fingerprint != reevaluator.mark.history
            else { return }
            try await self.tell(standing)
        }
    }

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
