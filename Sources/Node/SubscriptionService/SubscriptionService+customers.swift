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
        var moved = request
        while true {
            let (end, record) = try await self.end(of: request.customer)
            moved.customer = end
            moved.origin = end == request.customer ? nil : self.customers.hash(request.customer).half
            try await self.settleArrivals(at: end, record)
            do throws(ServiceError) {
                guard case .recorded = try await self.submit(moved) else { return false }
                return true
            } catch {
                // Moved since: what was asked of the customer is asked of the other one.
                guard error.code == .customerMoved else { throw error }
            }
        }
    }

    private func submit(_ request: CustomerRequest) async throws(ServiceError) -> IngestOutcome {
        var bundle = self.bundleOfRequest
        bundle.customer = request
        return try await self.record(
            Submission(key: self.customers.key(of: request.customer), bundle: bundle, evidence: nil))
    }

    /// The customer whose everything is a customer's by now: itself, where it has not been moved.
    package func end(of customer: CustomerID) async throws(ServiceError) -> CustomerID {
        try await self.end(of: customer).0
    }

    private func end(of customer: CustomerID) async throws(ServiceError) -> (CustomerID, CustomerReader.Record) {
        try await ServiceError.translating { try await self.customers.end(of: customer) }
    }

    /// What people have said of a customer, or of the one to whom it has been moved; nothing where nobody has.
    /// - Returns: also under which origin its own grants are there, and a token for it.
    package func kept(
        of customer: CustomerID
    ) async throws(ServiceError) -> (state: CustomerState, origin: UInt64?, token: String) {
        let (end, record) = try await self.end(of: customer)
        return (
            record.state, end == customer ? nil : self.customers.hash(customer).half,
            self.node.router.positions.token(record.positions)
        )
    }

    private func customerRecord(of customer: CustomerID) async throws(ServiceError) -> CustomerReader.Record {
        try await ServiceError.translating { try await self.customers.record(of: customer) }
    }

    // MARK: Moves

    /// Makes everything that is a customer's, now and in future, another one's; durable when it returns. A repetition changes nothing
    /// but what an earlier request had left undone.
    ///
    /// Four steps, each in one stream: the target takes the source, the source moves, which is what counts, the target has it; and where
    /// the source does not move, the target drops it. How they keep moves from closing a circle: `CustomerDecision`.
    /// - Returns: whose everything is now: `wanted`, or the customer to whom that one has been moved.
    /// - Throws: `.customerMoved` where the source has been moved to somebody else, or the target to the source; `.customerMoving`
    ///   while other moves and changes get in the way; `.tooManyIdentifiers`, `.tooManyGrants` where one customer would have more than
    ///   there may be; `.invalidRequest` for a move to oneself; `.olderNodes`.
    package func move(
        _ source: CustomerID, to wanted: CustomerID, actor: String?, reason: String? = nil
    ) async throws(ServiceError) -> CustomerID {
        guard source != wanted else {
            throw ServiceError(.invalidRequest, "a customer cannot be moved to itself")
        }
        try await self.require(.customerMoves)
        let end = ContinuousClock.now + Self.movePatience
        var pause = Duration.milliseconds(10)
        while true {
            do throws(ServiceError) {
                let move = Move(source: source, wanted: wanted, actor: actor, reason: reason)
                return try await self.attempt(move, isLate: pause > .milliseconds(100))
            } catch {
                guard error.code == .customerMoving, ContinuousClock.now < end else { throw error }
            }
            // Of two that get into each other's way one is first the next time.
            try? await Task.sleep(for: pause * Double.random(in: 0.5...1.5))
            pause *= 2
        }
    }

    private static let movePatience = Duration.seconds(2)

    private struct Move {
        var source: CustomerID
        var wanted: CustomerID
        var actor: String?
        var reason: String?

        func request(_ customer: CustomerID, _ content: CustomerRequest.Content) -> CustomerRequest {
            CustomerRequest(customer, content, actor: self.actor, reason: self.reason)
        }
    }

    /// - Parameter isLate: others have been in the way for a while; they may have ended half way.
    private func attempt(_ move: Move, isLate: Bool) async throws(ServiceError) -> CustomerID {
        let source = try await self.customerRecord(of: move.source)
        let (target, record) = try await self.end(of: move.wanted)
        guard target != move.source else {
            throw ServiceError(.customerMoved, "the other customer has been moved to this one already")
        }
        if let earlier = source.state.movedTo {
            guard try await self.end(of: earlier) == target else {
                throw ServiceError(.customerMoved, "the customer has been moved to somebody else already")
            }
            await self.settle(move, source.state, at: earlier)
            return target
        }
        guard source.state.takes.isEmpty else {
            for take in source.state.takes { try await self.finish(take, at: move.source) }
            throw ServiceError(.customerMoving, "others are being moved to the customer: send the request again")
        }
        if isLate, record.state.takes.count >= CustomerState.takeLimit {
            for take in record.state.takes { try await self.finish(take, at: target) }
        }
        let version = source.version.rawValue
        let origin = self.customers.hash(move.source).half
        try await self.step(
            move.request(target, .take(move.source, at: version, source.state.room(at: self.now), origin: origin)))
        do throws(ServiceError) {
            try await self.step(move.request(move.source, .move(to: target, at: version)))
        } catch {
            // Where it cannot be done now, whoever is in its way does it.
            try? await self.finish(CustomerState.Take(move.source, at: version), at: target)
            throw error
        }
        await self.settle(move, source.state, at: target)
        return target
    }

    /// What has changed since it was read is read again.
    private func step(_ request: CustomerRequest) async throws(ServiceError) {
        do throws(ServiceError) {
            _ = try await self.submit(request)
        } catch {
            throw error.code == .customerMoved ? ServiceError(.customerMoving, error.message) : error
        }
    }

    /// What the source has brought along is the target's own from then on. Where it cannot be done now, readers look in both places.
    /// - Parameter state: of the source, at the version at which it has moved.
    private func settle(_ move: Move, _ state: CustomerState, at target: CustomerID) async {
        let belongings = state.belongings(of: self.customers.hash(move.source).half)
        _ = try? await self.submit(move.request(target, .settle(move.source, belongings)))
    }

    /// Settles moves that somebody has made and left so.
    private func settleArrivals(at target: CustomerID, _ record: CustomerReader.Record) async throws(ServiceError) {
        for take in record.state.takes {
            let source = try await self.customerRecord(of: take.customer)
            guard source.state.movedTo == target else { continue }
            await self.settle(Move(source: take.customer, wanted: target), source.state, at: target)
        }
    }

    /// Settles a move that had begun, or puts an end to it.
    private func finish(_ take: CustomerState.Take, at target: CustomerID) async throws(ServiceError) {
        let source = try await self.customerRecord(of: take.customer)
        if source.state.movedTo == target {
            return await self.settle(Move(source: take.customer, wanted: target), source.state, at: target)
        }
        var version = source.version.rawValue + 1
        if source.state.movedTo == nil {
            var outcome = IngestOutcome.kept
            do throws(ServiceError) {
                outcome = try await self.submit(CustomerRequest(take.customer, .stay))
            } catch {
                throw error.code == .customerMoved ? ServiceError(.customerMoving, error.message) : error
            }
            switch outcome {
            case .recorded(let recorded), .duplicate(let recorded): version = recorded.rawValue
            case .kept, .quarantined: return
            }
        }
        _ = try await self.submit(CustomerRequest(target, .drop(take.customer, before: version)))
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
