package import Customers
import EventLog
import Queries
package import ServiceContract
import Shards
package import Subscriptions
import Synchronization
import Waiting
import WireProtocol

extension SubscriptionService {
    /// What leads to a customer, and what that comes to.
    /// - Parameter token: of an earlier answer, than which this one is not older.
    package func customer(
        _ customer: CustomerID, in environment: AppStoreEnvironment, atLeast token: String?
    ) async throws(ServiceError) -> CustomerView {
        try await ServiceError.translating {
            let positions = self.node.router.positions
            try await positions.check(atLeast: token)
            return try await self.customers.view(of: customer, in: environment, notBefore: try positions.bounds(token))
        }
    }

    /// What an identifier of any kind leads to: an original transaction id, a token, an appTransactionId or a customer's id.
    package func find(_ text: String) async throws(ServiceError) -> Finding {
        try await ServiceError.translating {
            var finding = Finding(streams: try await self.finder.streams(of: text), customer: nil)
            if let customer = CustomerID(text) {
                let view = try await self.customers.view(of: customer, in: .production, notBefore: [])
                finding.customer = view.isKnown ? customer : nil
            }
            return finding
        }
    }

    /// Answers questions about customers from what is committed, whichever consistency was asked for.
    /// - Returns: the results in the order of the questions, and a token for all that they rest on and that `response` rests on.
    package func check(
        _ questions: [CustomerQuestion], besides response: CheckResponse, atLeast token: String?
    ) async throws(ServiceError) -> (results: [CustomerResult], token: String) {
        try await ServiceError.translating {
            let positions = self.node.router.positions
            try await positions.check(atLeast: token)
            let answers = try await self.customers.answer(questions)
            // Tokens do not go back.
            let bounds = try positions.bounds(token) + positions.positions(response.token)
            return (answers.results, positions.token(bounds + answers.positions))
        }
    }

    /// Links a stream to a customer, or takes that back; durable when it returns.
    /// - Throws: `.linkedElsewhere` or `.tooManySharers` where the app's policy does not let it, `.unknownSubscription` or
    ///   `.unknownPurchase`, `.ambiguous`; `.olderNodes` while the store is at a level at which nodes could not read it.
    package func link(_ stream: StreamReference, _ request: LinkRequest) async throws(ServiceError) {
        try await self.require(.customers)
        let key = try await self.subscription(SubscriptionQuery(stream: stream, consistency: .local)).key
        var bundle = self.bundleOfRequest
        bundle.link = request
        _ = try await self.record(Submission(key: key, bundle: bundle, evidence: nil))
    }

    /// Changes what is kept of a customer, whom nothing else needs to name; durable when it returns.
    /// - Returns: whether anything had to be changed.
    /// - Throws: `.grantExists`, `.invalidGrant`, `.tooManyGrants`, `.unknownGrant` or `.invalidAttributes`;
    ///   `.unknownEntitlement` for a grant of a name that the catalog does not have; `.olderNodes` while the store is at a level
    ///   at which nodes could not read it.
    @discardableResult
    package func change(_ request: CustomerRequest) async throws(ServiceError) -> Bool {
        if case .grant(let grant, _, _) = request.content, !self.customers.isEntitlement(grant.entitlement) {
            throw ServiceError(
                .unknownEntitlement,
                "the catalog has no entitlement of this name: grant one of entitlements.catalog of the configuration")
        }
        try await self.require(.customerStreams)
        var bundle = self.bundleOfRequest
        bundle.customer = request
        let outcome = try await self.record(
            Submission(key: self.customers.key(of: request.customer), bundle: bundle, evidence: nil))
        guard case .recorded = outcome else { return false }
        return true
    }

    /// What people have said of a customer, and a token for it; nothing where nobody has.
    package func record(of customer: CustomerID) async throws(ServiceError) -> (state: CustomerState, token: String) {
        try await ServiceError.translating {
            let (state, positions) = try await self.customers.state(of: customer)
            return (state, self.node.router.positions.token(positions))
        }
    }

    /// Of a request that somebody makes now. Its dedup key is drawn, so that a repetition inside the cluster is no second one.
    private var bundleOfRequest: FactBundle {
        var random = SystemRandomNumberGenerator()
        return FactBundle(
            source: .person, dedupKey: (0..<16).map { _ in UInt8.random(in: 0...255, using: &random) },
            contentDigest: .zero, signedDate: self.now)
    }

    private func require(_ level: FeatureLevel) async throws(ServiceError) {
        // It never goes back.
        guard self.seenLevel.withLock({ $0 < level }) else { return }
        let store = self.node.router.store
        let reached = try await ServiceError.translating {
            try await DedicatedThread.run(named: "level") { () throws(StoreError) in try store.featureLevel() }
        }
        guard reached >= level else {
            throw ServiceError(
                .olderNodes,
                "the store is at feature level \(reached), and this needs \(level): run `perennial cluster finalize` once "
                    + "every node is of this version")
        }
        self.seenLevel.withLock { $0 = max($0, reached) }
    }
}
