import Reconciliation
import Shards
import SubscriptionService

extension Node {
    /// The same node, which asks `apple` where there is reason to, and sweeps as good as never.
    func asking(_ apple: ScriptedApple) throws -> Node {
        var node = self
        node.configuration.serverAPI = [try apple.client()]
        node.configuration.sweepPause = .seconds(3_600)
        return node
    }
}

extension SubscriptionService {
    /// Nothing is missing of the history of its only account.
    var isCovered: Bool { (try? self.reconciliationReport().accounts.first?.state) == .covered }
}
