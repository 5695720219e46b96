import AppStore
import Logging
import ServiceContract
import Shards
import Subscriptions
import Synchronization

/// Says once, in one line each, that Apple refuses an account and that it cannot be reached, and once that it answers again.
final class AccountTroubles: Sendable {
    /// What has been said since it answered last; nil before anything was heard.
    private let said = Mutex<[ServerAPIAccount: Set<ReconciliationReport.Account.State>]>([:])
    private let tally: ReconciliationTally
    private let metrics: ReconciliationMetrics
    private let logger: Logger

    init(tally: ReconciliationTally, metrics: ReconciliationMetrics, logger: Logger) {
        self.tally = tally
        self.metrics = metrics
        self.logger = logger
    }

    /// - Returns: whether it was Apple that gave no answer, or refused.
    @discardableResult
    func note(_ error: any Error, of account: ServerAPIAccount) -> Bool {
        guard let refusal = (error as? ServerAPIError) ?? (error as? ServiceError)?.cause as? ServerAPIError else {
            return false
        }
        switch refusal.code {
        case .unauthorized:
            self.begin(
                .unauthorized, of: account,
                "Apple refuses the credentials: check keyId, issuerId, the private key, that it was not revoked, the "
                    + "bundle id, and this machine's clock")
        case .serverTrouble, .notReached, .timedOut, .malformedAnswer, .tooLarge, .rateLimited:
            self.begin(.unreachable, of: account, refusal.message)
        case .refused, .cancelled: break
        }
        return true
    }

    func end(of account: ServerAPIAccount) {
        let before = self.said.withLock { $0.updateValue([], forKey: account) }
        guard before != [] else { return }
        self.metrics.setUsable(true, account)
        guard before != nil else { return }
        self.tally.update(account) { $0.lastError = nil }
        self.logger.notice("Apple's Server API answers again", metadata: self.metadata(of: account))
    }

    private func begin(
        _ state: ReconciliationReport.Account.State, of account: ServerAPIAccount, _ message: String
    ) {
        self.tally.update(account) { entry in
            entry.lastError = message
            entry.state = state
        }
        guard self.said.withLock({ $0[account, default: []].insert(state).inserted }) else { return }
        self.metrics.setUsable(false, account)
        self.logger.error(
            "Apple's Server API cannot be used",
            metadata: self.metadata(of: account).merging(.runtime([.reason: "\(message)"])) { $1 })
    }

    private func metadata(of account: ServerAPIAccount) -> Logger.Metadata {
        .runtime([.app: "\(account.bundleID.rawValue)", .environment: "\(account.environment.rawValue)"])
    }
}
