import EventLog
package import Jobs
package import ServiceContract
import Shards

/// Long work on the whole store, which goes on whichever node stops.
extension SubscriptionService {
    /// Answered when its row is durable. One of the kind that is under way already is it.
    /// - Parameter actor: the name of the API token that asks.
    /// - Throws: `.olderNodes`.
    package func start(_ kind: Job.Kind, actor: String?) async throws(ServiceError) -> Job {
        try await self.require(.reevaluations)
        return try await self.jobs.start(kind, actor: actor)
    }

    /// All that are under way, and the last ones that ended; the newest first.
    package func allJobs() async throws(ServiceError) -> [Job] { try await self.jobs.book.all() }

    /// - Throws: `.unknownJob`.
    package func storedJob(_ id: String) async throws(ServiceError) -> Job { try await self.jobs.book.job(id) }

    /// What it has done stays.
    /// - Throws: `.unknownJob`.
    package func cancelJob(_ id: String) async throws(ServiceError) -> Job {
        try await self.jobs.book.cancel(id, at: self.node.router.watch.present)
    }
}
