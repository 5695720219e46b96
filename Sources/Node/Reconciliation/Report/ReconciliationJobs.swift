package import ServiceContract
import Shards
import Subscriptions
import Synchronization

/// The jobs of this node: those under way and the last ones that ended.
package final class ReconciliationJobs: Sendable {
    private static let limit = 100

    package typealias Work =
        @Sendable (_ report: @escaping @Sendable (ReconciliationProgress) -> Void) async throws -> Void

    private struct Contents {
        /// The oldest first.
        var jobs: [ReconciliationJob] = []
        var last = 0
    }

    private let contents = Mutex(Contents())
    private let work: AsyncStream<(id: String, work: Work)>
    private let entrance: AsyncStream<(id: String, work: Work)>.Continuation
    private let clock: any WallClock

    init(clock: any WallClock) {
        self.clock = clock
        (self.work, self.entrance) = AsyncStream.makeStream(of: (id: String, work: Work).self)
    }

    /// Begins at once, beside others.
    /// - Throws: `.overloaded` when too many are under way, `.stopping`.
    package func start(_ kind: ReconciliationJob.Kind, _ work: @escaping Work) throws(ServiceError) -> ReconciliationJob
    {
        let job: ReconciliationJob? = self.contents.withLock { contents in
            if contents.jobs.count == Self.limit {
                guard let ended = contents.jobs.firstIndex(where: { $0.state != .running }) else { return nil }
                contents.jobs.remove(at: ended)
            }
            contents.last += 1
            let job = ReconciliationJob(id: "\(contents.last)", kind: kind, started: self.clock.now)
            contents.jobs.append(job)
            return job
        }
        guard let job else { throw ServiceError(.overloaded, "too many jobs are under way") }
        guard case .enqueued = self.entrance.yield((job.id, work)) else {
            throw ServiceError(.stopping, "the node is shutting down")
        }
        return job
    }

    package func job(_ id: String) throws(ServiceError) -> ReconciliationJob {
        guard let job = self.contents.withLock({ $0.jobs.first { $0.id == id } }) else {
            throw ServiceError(.unknownJob, "this node has no job of this id: it may have been started anew")
        }
        return job
    }

    package func update(_ id: String, _ change: (inout sending ReconciliationJob) -> Void) {
        self.contents.withLock { contents in
            guard let place = contents.jobs.firstIndex(where: { $0.id == id }) else { return }
            change(&contents.jobs[place])
        }
    }

    /// Does the work until it is cancelled.
    func run() async {
        await withDiscardingTaskGroup { group in
            for await (id, work) in self.work { group.addTask { await self.perform(id, work) } }
        }
    }

    private func perform(_ id: String, _ work: Work) async {
        do {
            try await work { progress in self.update(id) { $0.progress += progress } }
            self.end(id, nil)
        } catch {
            self.end(id, ServiceError(error).message)
        }
    }

    private func end(_ id: String, _ error: String?) {
        let now = self.clock.now
        self.update(id) { job in
            job.state = error == nil ? .done : .failed
            job.error = error
            job.ended = now
        }
    }
}
