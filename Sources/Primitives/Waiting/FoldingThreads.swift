import Dispatch
import Foundation
import Synchronization

/// Threads of their own for work that grows with what is stored: folding a long log, deriving what many rows say anew. The
/// cooperative pool, on which all else waits, stays free of it. Who waits in between, for the store, lets others have a
/// turn.
package final class FoldingThreads: TaskExecutor {
    /// Of the process: half as many as there are processors, whatever is asked. They start with the first job, and stay.
    package static let shared = FoldingThreads(count: max(1, ProcessInfo.processInfo.activeProcessorCount / 2))

    private struct State {
        var hasStarted = false
        /// Oldest last; refilled from `incoming` when empty.
        var outgoing: [UnownedJob] = []
        var incoming: [UnownedJob] = []

        mutating func next() -> UnownedJob? {
            if self.outgoing.isEmpty {
                self.outgoing = self.incoming.reversed()
                self.incoming.removeAll(keepingCapacity: true)
            }
            return self.outgoing.popLast()
        }
    }

    package let count: Int
    private let state = Mutex(State())
    /// Counts jobs.
    private let wakeUps = DispatchSemaphore(value: 0)

    private init(count: Int) { self.count = count }

    /// Runs an operation, and what it calls, on these threads.
    package func run<Value: Sendable>(_ operation: () async throws -> Value) async throws -> Value {
        try await withTaskExecutorPreference(self) { try await operation() }
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isFirst = self.state.withLock { state in
            defer { state.hasStarted = true }
            state.incoming.append(job)
            return !state.hasStarted
        }
        if isFirst { self.start() }
        self.wakeUps.signal()
    }

    private func start() {
        for _ in 0..<self.count {
            DedicatedThread.start(named: "folding") {
                while true {
                    self.wakeUps.wait()
                    if let job = self.state.withLock({ $0.next() }) {
                        unsafe job.runSynchronously(on: self.asUnownedTaskExecutor())
                    }
                }
            }
        }
    }
}
