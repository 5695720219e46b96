import AppStore
import EventLog
import Ownership
import Reconciliation
import ServiceContract
import Shards
import Subscriptions
import Waiting

/// Finds the transaction that consumption information is about. Apple asks about single charges: of a subscription often
/// not about the newest.
struct ConsumptionTarget: Sendable {
    let view: SubscriptionView
    let shard: ShardID
    let store: any EventStore
    let recorder: AnswerRecorder
    let client: ServerAPIClient

    /// - Parameter id: by which the caller names it; nil for what Apple asked about last, else the newest charge.
    /// - Throws: `.transactionElsewhere` for one that is not of this stream; `.invalidRequest` where none is known.
    func transactionID(named id: String?) async throws -> String {
        if let id {
            if try await self.isInLog(id) { return id }
            guard try await self.isKnownToApple(id) else {
                throw ServiceError(
                    .transactionElsewhere,
                    "this transactionId is not of the purchase in the path: name the one that Apple asked about, or none"
                )
            }
            return id
        }
        guard let id = try await self.requestedID() ?? self.view.snapshot?.transactionID else {
            throw ServiceError(.invalidRequest, "no transaction of it is known: name the one that Apple asked about")
        }
        return id.rawValue
    }

    /// Of the CONSUMPTION_REQUEST that Apple signed last; nil where there was none.
    private func requestedID() async throws -> TransactionID? {
        var newest: (id: TransactionID, signedDate: Moment)?
        try await self.store.walkBack(through: self.view.key, in: self.shard, from: self.view.version) { at, event in
            // What was recorded longer ago was signed before, too.
            if let newest, at + .clockSkew < newest.signedDate { return false }
            guard event.notification?.type == "CONSUMPTION_REQUEST",
                let id = event.facts.transactions.first?.transactionID,
                let signedDate = event.signedDate, newest.map({ $0.signedDate < signedDate }) ?? true
            else { return true }
            newest = (id, signedDate)
            return true
        }
        return newest?.id
    }

    private func isInLog(_ id: String) async throws -> Bool {
        var isFound = false
        try await self.store.walkBack(through: self.view.key, in: self.shard, from: self.view.version) { _, event in
            isFound = event.facts.transactions.contains { $0.transactionID.rawValue == id }
            return !isFound
        }
        return isFound
    }

    /// It may be a charge that has not been heard of. Then it is recorded.
    private func isKnownToApple(_ id: String) async throws -> Bool {
        let transaction: SignedString
        do throws(ServerAPIError) {
            transaction = try await self.client.transactionInfo(id, urgency: .urgent)
        } catch {
            guard error.appleCode == SubscriptionService.unknownToApple else { throw error }
            return false
        }
        return try await self.recorder.record([transaction], of: self.client.account).named.contains(self.view.key)
    }
}

extension Milliseconds {
    /// By how much a date of Apple's may be ahead of the clock by which it was recorded.
    fileprivate static let clockSkew = Milliseconds.minutes(5)
}
