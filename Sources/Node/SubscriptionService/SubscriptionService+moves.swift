import Customers
import EventLog
import Queries
package import ServiceContract
import Shards
package import Subscriptions

/// Moves of customers.
extension SubscriptionService {
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
        try self.refuseDeleted(source, wanted)
        let move = Move(source: source, wanted: wanted, actor: actor, reason: reason)
        return try await self.patiently { isLate throws(ServiceError) in
            try await self.attempt(move, isLate: isLate)
        }
    }

    /// Attempts something until no other change of its customers gets in the way, or for long enough.
    /// - Parameter attempt: is told whether others have been in the way for a while.
    func patiently<Outcome>(
        _ attempt: (_ isLate: Bool) async throws(ServiceError) -> Outcome
    ) async throws(ServiceError) -> Outcome {
        let end = ContinuousClock.now + Self.movePatience
        var pause = Self.firstPause
        while true {
            do throws(ServiceError) {
                return try await attempt(pause > .milliseconds(100))
            } catch {
                // However slow the store is: what the first attempt has put in order counts for the next.
                let isOver = ContinuousClock.now >= end && pause > Self.firstPause * 2
                guard error.code == .customerMoving, !isOver else { throw error }
            }
            // Of two that get into each other's way one is first the next time.
            try? await Task.sleep(for: pause * Double.random(in: 0.5...1.5))
            pause *= 2
        }
    }

    private static let movePatience = Duration.seconds(2)
    private static let firstPause = Duration.milliseconds(10)

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
        let (target, record) = try await self.followed(move.wanted)
        guard target != move.source else {
            throw ServiceError(.customerMoved, "the other customer has been moved to this one already")
        }
        if let earlier = source.state.movedTo {
            guard try await self.end(of: earlier) == target else {
                throw ServiceError(.customerMoved, "the customer has been moved to somebody else already")
            }
            try? await self.settle(move, source, at: earlier)
            return target
        }
        guard source.state.takes.isEmpty else {
            for take in source.state.takes { try await self.finish(take, at: move.source) }
            throw ServiceError(.customerMoving, "others are being moved to the customer: send the request again")
        }
        let version = source.version.rawValue
        let origin = self.customers.holdings.hash(move.source).half
        let take = CustomerRequest.Content.take(
            move.source, at: version, source.state.room(at: self.now), origin: origin)
        do throws(ServiceError) {
            try await self.step(move.request(target, take))
        } catch {
            // Others may keep room, or a place, who do not come any more.
            let others = record.state.takes
            guard [.customerMoving, .tooManyGrants, .tooManyIdentifiers].contains(error.code), !others.isEmpty,
                isLate || error.code != .customerMoving
            else { throw error }
            for take in others { try await self.finish(take, at: target) }
            throw ServiceError(.customerMoving, "room was kept for others who do not come: send the request again")
        }
        do throws(ServiceError) {
            try await self.step(move.request(move.source, .move(to: target, at: version)))
        } catch {
            // Where it cannot be done now, whoever is in its way does it.
            try? await self.finish(CustomerState.Take(move.source, at: version), at: target)
            throw error
        }
        // Where it cannot be done now, readers look in both places.
        var moved = source
        moved.version = StreamVersion(rawValue: version + 1)
        try? await self.settle(move, moved, at: target)
        return target
    }

    /// What has changed since it was read is read again.
    @discardableResult
    func step(_ request: CustomerRequest) async throws(ServiceError) -> IngestOutcome {
        do throws(ServiceError) {
            return try await self.submit(request)
        } catch {
            throw error.code == .customerMoved ? ServiceError(.customerMoving, error.message) : error
        }
    }

    /// What the source has brought along is the target's own from then on.
    /// - Parameter source: once it has moved.
    private func settle(
        _ move: Move, _ source: HoldingsReader.Record, at target: CustomerID
    ) async throws(ServiceError) {
        let belongings = source.state.belongings(of: self.customers.holdings.hash(move.source).half)
        let settlement = CustomerRequest.Content.settle(move.source, belongings, at: source.version.rawValue)
        _ = try await self.submit(move.request(target, settlement))
    }

    /// Settles moves that somebody has made and left so, and forgets those that do not come any more.
    func settleArrivals(at target: CustomerID, _ record: HoldingsReader.Record) async throws(ServiceError) {
        for take in record.state.takes {
            let source = try await self.customerRecord(of: take.customer)
            // It may still come.
            guard source.state.movedTo != nil || source.version.rawValue != take.version else { continue }
            try await self.finish(take, at: target)
        }
    }

    /// Settles a move that had begun, or puts an end to it.
    func finish(_ take: CustomerState.Take, at target: CustomerID) async throws(ServiceError) {
        var source = try await self.customerRecord(of: take.customer)
        // At the version for which it was taken it may still move, or take that back. At any other one it does not any more.
        let isSettled = source.state.movedTo == target && !take.returns
        if !isSettled, source.version.rawValue <= take.version {
            try await self.step(CustomerRequest(take.customer, .stay))
            source = try await self.customerRecord(of: take.customer)
        }
        if source.state.movedTo == target {
            return try await self.settle(Move(source: take.customer, wanted: target), source, at: target)
        }
        _ = try await self.submit(
            CustomerRequest(target, .drop(take.customer, before: source.version.rawValue)))
    }

    /// What `move` would come to.
    package func preview(
        moving source: CustomerID, to wanted: CustomerID
    ) async throws(ServiceError) -> ChangePreview {
        guard source != wanted else {
            throw ServiceError(.invalidRequest, "a customer cannot be moved to itself")
        }
        try await self.require(.customerMoves)
        return try await ServiceError.translating {
            try await self.customers.preview(moving: source, to: wanted)
        }
    }
}
