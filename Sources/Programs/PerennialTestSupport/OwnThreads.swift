import Foundation
package import Testing

/// Runs tests on threads of their own: the tasks of all others share as many threads as there are processors, and whatever
/// blocks those, or works without a pause, takes the turns of servers and deadlines.
package struct OwnThreadsTrait: SuiteTrait, TestTrait, TestScoping {
    package let isRecursive = true

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(OwnThreads()) { try await function() }
    }
}

extension Trait where Self == OwnThreadsTrait {
    /// For tests that wait for processes or databases, or search.
    package static var onOwnThreads: Self { Self() }
}

/// A thread for each job.
private final class OwnThreads: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        Thread.detachNewThread { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
