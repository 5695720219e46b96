import Customers
import EventLog
package import Jobs
import Queries
package import ServiceContract
import Shards
package import Subscriptions

/// Customers who are deleted.
extension SubscriptionService {
    /// Begins to delete a customer: grants, links, identifiers and attributes go, and what Apple's payloads carry of it, now and in future.
    /// Purchases stay, and answer by their own ids. The id need not exist. When it returns, the deletion is durable and answers have
    /// changed. After an error it may still go on.
    /// - Parameter actor: the name of the API token that asks.
    /// - Returns: the job that erases the customer from everything that is stored.
    /// - Throws: `.customerMoved` where the customer is somebody else by now; `.olderNodes`; retryable codes.
    package func delete(_ customer: CustomerID, actor: String?) async throws(ServiceError) -> Job {
        try await self.require(.erasure)
        try await ServiceError.translating { try await self.tombstones.refresh() }
        let running = self.tombstones.job(deleting: customer)
        if running == nil, try await self.isMoved(customer) {
            throw ServiceError(
                .customerMoved, "everything of the customer is another one's: delete the one to whom it has been moved")
        }
        return try await self.jobs.erase(customer, actor: actor, running: running)
    }

    private func isMoved(_ customer: CustomerID) async throws(ServiceError) -> Bool {
        try await self.customerRecord(of: customer).state.movedTo != nil
    }

    /// - Throws: `.customerDeleted` while one of them is being deleted.
    func refuseDeleted(_ customers: CustomerID...) throws(ServiceError) {
        guard customers.allSatisfy({ self.tombstones.job(deleting: $0) == nil }) else { throw .customerDeleted }
    }
}
