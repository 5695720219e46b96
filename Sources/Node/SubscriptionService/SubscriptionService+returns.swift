import Customers
import EventLog
import Queries
import ServiceContract
import Shards
import Subscriptions

/// Moves of customers that are taken back.
extension SubscriptionService {
    /// Makes a customer who has been moved itself again, with all that is still where the move put it; durable when it returns.
    ///
    /// Four steps, each in one stream: the source forgets what is not to come back, the target lets go what has come, the source is itself again,
    /// which is what counts, and the target drops it.
    /// - Parameter move: the event of either side that tells of it.
    /// - Returns: what has changed since, and stays.
    /// - Throws: `.nothingToUndo` where the source has not been moved to the target, or the target has been moved on; `.customerMoving`
    ///   while other moves and changes get in the way; `.olderNodes`.
    func takeBack(
        _ move: CustomerEvent, of source: CustomerID, to target: CustomerID, actor: String?, reason: String
    ) async throws(ServiceError) -> [NotUndone] {
        try await self.require(.moveUndo)
        try self.refuseDeleted(source, target)
        let kept = try await self.patiently { _ throws(ServiceError) in
            try await self.attempt(move, toReturn: source, from: target, actor: actor, reason: reason)
        }
        // It is done by now: who asks again is told that nothing is left to undo.
        let changed = try await OwnerRetry.ask(for: PositionGuard.patience) { () async throws(ServiceError) in
            try await ServiceError.translating {
                try await self.customers.holdings.changed(since: move.at, of: source)
            }
        }
        return kept + changed
    }

    private func attempt(
        _ move: CustomerEvent, toReturn source: CustomerID, from target: CustomerID, actor: String?, reason: String
    ) async throws(ServiceError) -> [NotUndone] {
        let record = try await self.customerRecord(of: source)
        let other = try await self.customerRecord(of: target)
        // Read after the source: whoever takes this move back meanwhile gives its stream another version.
        let isUndone = try await ServiceError.translating { try await self.customers.holdings.undo(move) == nil }
        guard record.state.movedTo == target, other.state.movedTo == nil, !isUndone else { throw .nothingToUndo }
        let plan = try await ServiceError.translating {
            try await self.customers.holdings.moveReturn(of: source, record, at: target, other, now: self.now)
        }
        var giveBack = plan.request
        if !plan.keptGrants.isEmpty {
            let leaving = CustomerRequest.Content.leave(grants: plan.keptGrants, at: giveBack.version)
            try await self.step(CustomerRequest(source, leaving, actor: actor, reason: reason))
            giveBack.version += 1
        }
        try await self.step(CustomerRequest(target, .giveBack(giveBack), actor: actor, reason: reason))
        do throws(ServiceError) {
            try await self.step(
                CustomerRequest(
                    source, .comeBack(from: target, at: giveBack.version), actor: actor, reason: reason
                )
            )
        } catch {
            // Where it cannot be done now, whoever is in its way does it.
            try? await self.finish(
                CustomerState.Take(source, at: giveBack.version, returns: true), at: target)
            throw error
        }
        _ = try? await self.submit(CustomerRequest(target, .drop(source, before: giveBack.version + 1)))
        return plan.changedGrants.map(NotUndone.grant) + plan.changedAttributes.map(NotUndone.attribute)
    }
}
