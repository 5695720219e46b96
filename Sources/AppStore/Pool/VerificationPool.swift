import Dispatch
import Foundation
import Synchronization

/// Threads of its own for verification, which is pure computing: the cooperative pool, on which everybody else waits,
/// stays free of it. Work beyond the bound is refused at once.
///
///     let reading = try await pool.run { () async throws(ReadingFailure) in try await reader.read(payload, now: now) }
package final class VerificationPool: TaskExecutor {
    private struct State {
        var isRunning = false
        var inFlight = 0
        var threads = 0
        /// Oldest last; refilled from `incoming` when empty.
        var outgoing: [UnownedJob] = []
        var incoming: [UnownedJob] = []
        /// Resumed when nothing is in flight, or when the last thread has ended.
        var stopping: CheckedContinuation<Void, Never>?

        mutating func next() -> UnownedJob? {
            if self.outgoing.isEmpty {
                self.outgoing = self.incoming.reversed()
                self.incoming.removeAll(keepingCapacity: true)
            }
            return self.outgoing.popLast()
        }
    }

    private let threadCount: Int
    private let limit: Int
    private let state = Mutex(State())
    /// Counts jobs; more signals than jobs end threads.
    private let wakeUps = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - threads: as many as cores unless said.
    ///   - limit: operations under way at most, waiting ones among them.
    package init(threads: Int = ProcessInfo.processInfo.activeProcessorCount, limit: Int = 4_096) {
        self.threadCount = max(1, threads)
        self.limit = limit
    }

    /// Whether it has nothing to do. A test's node lets what must not wait for verification wait for this.
    package var isIdle: Bool { self.state.withLock { $0.inFlight == 0 } }

    /// Starts the threads. Once.
    package func start() {
        self.state.withLock { state in
            state.isRunning = true
            state.threads = self.threadCount
        }
        for _ in 0..<self.threadCount {
            Thread.detachNewThread {
                Thread.current.name = "verification"
                self.work()
            }
        }
    }

    /// Refuses new operations, waits for those under way, and ends the threads.
    package func stop() async {
        await self.wait { state in
            state.isRunning = false
            return state.inFlight > 0
        }
        await self.wait { state in
            for _ in 0..<state.threads { self.wakeUps.signal() }
            return state.threads > 0
        }
    }

    /// Runs an operation on the pool's threads. Cancelling the caller does not drop it.
    /// - Throws: what `operation` throws; `.overloaded` above the limit, and when the pool is not running.
    package func run<Value: Sendable>(
        _ operation: @Sendable () async throws(ReadingFailure) -> Value
    ) async throws(ReadingFailure) -> Value {
        let isAccepted = self.state.withLock { state in
            guard state.isRunning, state.inFlight < self.limit else { return false }
            state.inFlight += 1
            return true
        }
        guard isAccepted else { throw .overloaded }
        defer {
            self.finish {
                $0.inFlight -= 1; return $0.inFlight == 0 && !$0.isRunning
            }
        }
        return try await withTaskExecutorPreference(self) { () async throws(ReadingFailure) in try await operation() }
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        self.state.withLock { $0.incoming.append(job) }
        self.wakeUps.signal()
    }

    private func work() {
        while true {
            self.wakeUps.wait()
            guard let job = self.state.withLock({ $0.next() }) else { break }
            unsafe job.runSynchronously(on: self.asUnownedTaskExecutor())
        }
        self.finish {
            $0.threads -= 1; return $0.threads == 0
        }
    }

    private func wait(unless isDone: (inout State) -> Bool) async {
        await withCheckedContinuation { continuation in
            let mustWait = self.state.withLock { state in
                guard isDone(&state) else { return false }
                state.stopping = continuation
                return true
            }
            if !mustWait { continuation.resume() }
        }
    }

    private func finish(_ isLast: (inout State) -> Bool) {
        let stopping = self.state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard isLast(&state) else { return nil }
            defer { state.stopping = nil }
            return state.stopping
        }
        stopping?.resume()
    }
}
