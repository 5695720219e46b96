import EventLog
package import Jobs
import Queries
package import ServiceContract
import Shards
package import Subscriptions

/// Customers who are forgotten.
extension SubscriptionService {
    /// Begins to delete a customer, whom nothing needs to name: grants, links, identifiers and attributes go, and what Apple's payloads
    /// carry of it, now and in future. Purchases stay, and answer by their own ids. Durable when it returns; answers about the customer
    /// have changed then. Where it throws it may have begun, and goes on.
    /// - Parameter actor: the name of the API token that asks.
    /// - Returns: the job that takes the customer out of everything that is stored; the one that does so already, where there is one.
    /// - Throws: `.customerMoved` where the customer is somebody else by now; `.olderNodes`.
    package func delete(_ customer: CustomerID, actor: String?) async throws(ServiceError) -> Job {
        try await self.require(.erasure)
        try await ServiceError.translating { try await self.tombstones.refresh() }
        if let id = self.tombstones.job(deleting: customer), let job = try await self.jobs.running(id) { return job }
        return try await self.jobs.startErasing(try await self.eraser.names(of: customer), actor: actor)
    }

    /// - Throws: `.customerDeleted` while one of them is being deleted.
    func refuseDeleted(_ customers: CustomerID...) throws(ServiceError) {
        guard customers.allSatisfy({ self.tombstones.job(deleting: $0) == nil }) else { throw .customerDeleted }
    }
}
