import ServiceContract
import Synchronization

/// Asks the store, and waits no longer than a check may. What is not waited for any more goes on by itself, so that the next
/// check finds in memory what this one went without.
final class StoreQuestions: Sendable {
    /// While so many are under way, those that nobody waits for are withdrawn.
    private static let limit = 64

    private let patience: Duration
    private let underWay = Atomic(0)

    init(patience: Duration) { self.patience = patience }

    /// Until when a check that begins now waits for all its questions.
    var deadline: ContinuousClock.Instant { .now + self.patience }

    /// - Throws: what `question` throws, and `.storeUnavailable` at the deadline.
    func ask<Answer: Sendable>(
        until deadline: ContinuousClock.Instant, _ question: @escaping @Sendable () async throws -> Answer
    ) async throws(ServiceError) -> Answer {
        let (answers, continuation) = AsyncStream.makeStream(of: Result<Answer, ServiceError>.self)
        // A task of its own: the question outlives the check that gives up on it.
        let asking = Task {
            self.underWay.wrappingAdd(1, ordering: .relaxed)
            defer { self.underWay.wrappingSubtract(1, ordering: .relaxed) }
            do {
                continuation.yield(.success(try await question()))
            } catch {
                continuation.yield(.failure(ServiceError(error)))
            }
        }
        let waiting = Task {
            try await Task.sleep(until: deadline, clock: .continuous)
            if self.underWay.load(ordering: .relaxed) > Self.limit { asking.cancel() }
            continuation.yield(.failure(Self.isLate))
        }
        defer { waiting.cancel() }
        for await answer in answers { return try answer.get() }
        // The caller has been cancelled.
        asking.cancel()
        throw ServiceError(.stopping, "the question was withdrawn")
    }

    private static var isLate: ServiceError {
        ServiceError(.storeUnavailable, "the store has not answered for as long as a check waits; ask again")
    }
}
