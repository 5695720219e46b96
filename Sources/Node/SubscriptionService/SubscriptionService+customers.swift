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
        var random = SystemRandomNumberGenerator()
        let submission = Submission(
            key: key,
            bundle: FactBundle(
                source: .person, dedupKey: (0..<16).map { _ in UInt8.random(in: 0...255, using: &random) },
                contentDigest: .zero, signedDate: self.now, link: request),
            evidence: nil)
        _ = try await self.record(submission)
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
