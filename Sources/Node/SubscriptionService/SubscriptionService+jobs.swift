import EventLog
package import Jobs
package import ServiceContract
import Shards

/// Long work on the whole store, which goes on whichever node stops.
extension SubscriptionService {
    /// Returns the running job of this kind, or begins one; durable when it returns.
    /// - Parameter actor: the name of the API token that asks.
    /// - Throws: `.olderNodes`; `.otherRules` while one runs that was begun with other settings; `.stopping` for a moment at the start.
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
