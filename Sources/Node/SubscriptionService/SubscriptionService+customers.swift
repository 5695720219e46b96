package import Customers
import EventLog
package import Mirroring
package import Queries
package import ServiceContract
import Shards
package import Subscriptions
import Synchronization
import Waiting
import WireProtocol

extension SubscriptionService {
    /// What leads to a customer, and what that comes to.
    /// - Parameters:
    ///   - past: as of then; what was said of the customer as it had been recorded.
    ///   - token: of an earlier answer, than which this one is not older.
    /// - Throws: also `.futureMoment`; `.overloaded` while as many questions about the past are answered as may be at once.
    package func customer(
        _ customer: CustomerID, in environment: AppStoreEnvironment, asOf past: PastMoment? = nil,
        atLeast token: String?, withHistory: Bool = false
    ) async throws(ServiceError) -> CustomerView {
        if let past { try past.check(notAfter: self.now) }
        return try await ServiceError.translating {
            let positions = self.node.router.positions
            try await positions.check(atLeast: token)
            return try await self.customers.view(
                of: customer, in: environment, asOf: past, notBefore: try positions.bounds(token),
                withHistory: withHistory)
        }
    }

    /// What a customer is entitled to by this node's knowledge, as a `local` check says.
    /// - Parameter token: of an earlier answer, than which this one is not older.
    package func entitlements(
        of customer: CustomerID, in environment: AppStoreEnvironment, atLeast token: String?
    ) async throws(ServiceError) -> CustomerEntitlements {
        try await ServiceError.translating {
            let bounds = try self.node.router.positions.bounds(token)
            if let known = self.customers.entitlements(of: customer, in: environment, atLeast: bounds) {
                return known
            }
            return try await self.customers.readEntitlements(of: customer, in: environment, atLeast: bounds)
        }
    }

    /// Part of a list of subscriptions and purchases, with whose they are.
    /// - Parameter cursor: `next` of the page before.
    package func list(
        _ filter: CustomerFilter, after cursor: String?, limit: Int
    ) async throws(ServiceError) -> CustomerPage {
        try await ServiceError.translating { try await self.customerLister.page(filter, after: cursor, limit: limit) }
    }

    /// What an identifier of any kind leads to: an original transaction id, a token, an appTransactionId or a customer's id.
    package func find(_ text: String) async throws(ServiceError) -> Finding {
        try await ServiceError.translating {
            var finding = Finding(streams: try await self.finder.streams(of: text), customer: nil)
            if let customer = CustomerID(text) {
                finding.customer = try await self.customers.holdings.isKnown(customer) ? customer : nil
            }
            for kind in [StreamKind.token, .account] where finding.customer == nil {
                guard let identifier = RegistrableIdentifier(kind, text) else { continue }
                finding.customer = try await self.customers.holdings.holder(of: identifier)
            }
            return finding
        }
    }

    /// Answers questions about customers: `local` by what this node knows, any other from what is committed.
    /// - Parameter response: to the other questions of a request.
    /// - Returns: the results in the order of the questions, and `response` with a token for all that they rest on as well.
    package func check(
        _ questions: [CustomerQuestion], besides response: CheckResponse, consistency: Consistency,
        atLeast token: String?
    ) async throws(ServiceError) -> (results: [CustomerResult], response: CheckResponse) {
        let start = ContinuousClock.now
        let answers = try await ServiceError.translating {
            try await self.customers.answer(
                questions, atLeast: try self.node.router.positions.bounds(token),
                memoryCounts: self.counts(consistency))
        }
        self.record(questions, answers.results, consistency, since: start)
        return (answers.results, try self.response(response, and: answers, atLeast: token))
    }

    /// The same, when all of it is in memory: the store is not asked, and nothing is waited for.
    /// - Returns: nil when it is not, and `check` has to be asked.
    package func checkFromMemory(
        _ questions: [CustomerQuestion], besides response: CheckResponse, consistency: Consistency,
        atLeast token: String?
    ) throws(ServiceError) -> (results: [CustomerResult], response: CheckResponse)? {
        let start = ContinuousClock.now
        guard self.counts(consistency),
            let answers = self.customers.answerFromMemory(
                questions, atLeast: try self.node.router.positions.bounds(token))
        else { return nil }
        self.record(questions, answers.results, consistency, since: start)
        return (answers.results, try self.response(response, and: answers, atLeast: token))
    }

    /// Whether memory is enough: that of a node alone is as new as what the owner says.
    private func counts(_ consistency: Consistency) -> Bool {
        consistency == .local || consistency == .owner && self.isAlone
    }

    /// The token does not go back.
    private func response(
        _ response: CheckResponse, and answers: CustomerReader.Answers, atLeast token: String?
    ) throws(ServiceError) -> CheckResponse {
        let positions = self.node.router.positions
        let others = response.results.isEmpty ? [] : try positions.positions(response.token)
        var response = response
        if response.results.isEmpty { response.asOf = answers.asOf }
        response.token = positions.token(try positions.bounds(token) + others + answers.positions)
        response.stale = response.stale || answers.isStale
        return response
    }

    /// What this node's mirror is followed for: once it has begun, it has to be told of all commits to the store.
    package func following(_ mirror: EntitlementMirror) -> FollowingSink {
        FollowingSink(mirror, self.customerTable)
    }

    /// Links a stream to a customer, or takes that back; durable when it returns.
    /// - Throws: `.linkedElsewhere` or `.tooManySharers` where the app's policy does not let it, `.unknownSubscription` or
    ///   `.unknownPurchase`, `.ambiguous`; `.olderNodes` while the store is at a level at which nodes could not read it.
    package func link(_ stream: StreamReference, _ request: LinkRequest) async throws(ServiceError) {
        try await self.require(.customers)
        try self.refuseDeleted(request.customer)
        let key = try await self.subscription(SubscriptionQuery(stream: stream, consistency: .local)).key
        var bundle = self.bundleOfRequest
        bundle.link = request
        _ = try await self.record(Submission(key: key, bundle: bundle, evidence: nil))
        try await self.followLink(of: key, request)
    }

    /// What `link` would come to.
    /// - Throws: as `link`, but for what the policy refuses.
    package func preview(
        _ stream: StreamReference, _ request: LinkRequest
    ) async throws(ServiceError) -> ChangePreview {
        try await self.require(.customers)
        let key = try await self.subscription(SubscriptionQuery(stream: stream, consistency: .local)).key
        return try await ServiceError.translating { try await self.customers.preview(request, of: key) }
    }

    /// Closes a customer's conflicts about streams of one original transaction id, if there are any; durable when it returns.
    /// - Parameter named: of any kind.
    package func dismiss(
        _ named: StreamReference, _ customer: CustomerID, actor: String?
    ) async throws(ServiceError) {
        // Nodes that do not know of it would link.
        try await self.require(.customerMoves)
        try self.refuseDeleted(customer)
        let customer = try await self.end(of: customer)
        let view = try await self.customer(customer, in: named.environment, atLeast: nil)
        for key in view.conflicts
        where key.id == named.id && key.environment == named.environment
            && (named.bundleID ?? key.bundleID) == key.bundleID
        {
            var bundle = self.bundleOfRequest
            bundle.link = LinkRequest(customer, origin: .backend, action: .dismiss, actor: actor)
            _ = try await self.record(Submission(key: key, bundle: bundle, evidence: nil))
        }
    }

    /// Changes what is kept of a customer, whom nothing else needs to name; durable when it returns.
    /// - Returns: whether anything had to be changed.
    /// - Throws: `.grantExists`, `.invalidGrant`, `.tooManyGrants`, `.unknownGrant` or `.invalidAttributes`; `.ambiguous` where others
    ///   have brought several grants of the id along;
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
        try self.refuseDeleted(request.customer)
        var moved = request
        var (hasMadeRoom, attempts) = (false, 0)
        while true {
            attempts += 1
            let (end, record) = try await self.followed(request.customer)
            moved.customer = end
            moved.origins = try await self.origins(of: request.customer, end)
            try await self.settleArrivals(at: end, record)
            do throws(ServiceError) {
                guard case .recorded = try await self.submit(moved) else { return false }
                return true
            } catch {
                switch error.code {
                // Moved since: what was asked of the customer is asked of the other one.
                case .customerMoved: continue
                // Itself again since.
                case .customerMoving where !moved.origins.isEmpty && attempts < Self.attempts: continue
                case .tooManyGrants where !hasMadeRoom && !record.state.takes.isEmpty:
                    hasMadeRoom = true
                    for take in record.state.takes { try await self.finish(take, at: end) }
                default: throw error
                }
            }
        }
    }

    /// Under which what was said under this id is found at the one to whom it has been moved; none where it has not.
    private func origins(of customer: CustomerID, _ end: CustomerID) async throws(ServiceError) -> [UInt64] {
        guard customer != end else { return [] }
        let record = try await self.customerRecord(of: customer)
        return [self.customers.holdings.hash(customer).half] + record.state.arrived
    }

    func submit(_ request: CustomerRequest) async throws(ServiceError) -> IngestOutcome {
        var bundle = self.bundleOfRequest
        bundle.customer = request
        return try await self.record(
            Submission(key: self.customers.holdings.key(of: request.customer), bundle: bundle, evidence: nil))
    }

    /// The customer whose everything is a customer's by now: itself, where it has not been moved.
    package func end(of customer: CustomerID) async throws(ServiceError) -> CustomerID {
        try await self.followed(customer).0
    }

    func followed(_ customer: CustomerID) async throws(ServiceError) -> (CustomerID, HoldingsReader.Record) {
        try await ServiceError.translating { try await self.customers.holdings.end(of: customer) }
    }

    /// The grant that an id of a customer means, or of the one to whom the customer has been moved, and a token for it.
    package func grant(
        _ id: String, of customer: CustomerID
    ) async throws(ServiceError) -> (grant: Grant?, token: String) {
        let (end, record) = try await self.followed(customer)
        let named = record.state.grants(id, under: try await self.origins(of: customer, end))
        let live = named.first { $0.isLive(at: self.now) }
        return (live ?? named.first, self.node.router.positions.token(record.positions))
    }

    /// What people have said of a customer, or of the one to whom it has been moved; nothing where nobody has.
    package func kept(of customer: CustomerID) async throws(ServiceError) -> CustomerState {
        try await self.followed(customer).1.state
    }

    func customerRecord(of customer: CustomerID) async throws(ServiceError) -> HoldingsReader.Record {
        try await ServiceError.translating { try await self.customers.holdings.record(of: customer) }
    }

    /// Of a request that somebody makes now. Its dedup key is drawn, so that a repetition inside the cluster is no second one.
    var bundleOfRequest: FactBundle {
        var random = SystemRandomNumberGenerator()
        return FactBundle(
            source: .person, dedupKey: (0..<16).map { _ in UInt8.random(in: 0...255, using: &random) },
            contentDigest: .zero, signedDate: self.now)
    }

    func require(_ level: FeatureLevel) async throws(ServiceError) {
        guard try await !self.has(level) else { return }
        throw ServiceError(
            .olderNodes,
            "the store is at feature level \(self.seenLevel.withLock(\.self)), and this needs \(level): run `perennial cluster finalize` once "
                + "every node is of this version")
    }

    /// Whether the store has reached the level. It never goes back.
    func has(_ level: FeatureLevel) async throws(ServiceError) -> Bool {
        guard self.seenLevel.withLock({ $0 < level }) else { return true }
        let store = self.node.router.store
        let reached = try await ServiceError.translating {
            try await DedicatedThread.run(named: "level") { () throws(StoreError) in try store.featureLevel() }
        }
        return self.seenLevel.withLock { seen in
            seen = max(seen, reached)
            return seen >= level
        }
    }
}
