import Dispatch
import Foundation
import Synchronization
import Waiting

/// Threads that run operations in the order in which they came, and refuse those beyond a bound at once.
final class VerificationThreads: TaskExecutor {
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

    private let name: String
    private let threadCount: Int
    private let limit: Int
    private let yields: Bool
    private let state = Mutex(State())
    /// Counts jobs; more signals than jobs end threads.
    private let wakeUps = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - name: at most 15 bytes, which is what Linux shows.
    ///   - limit: operations under way at most, waiting ones among them.
    ///   - yields: leaves the processors to everybody else.
    init(_ name: String, threads: Int, limit: Int, yields: Bool = false) {
        self.name = name
        self.threadCount = max(1, threads)
        self.limit = limit
        self.yields = yields
    }

    var isIdle: Bool { self.state.withLock { $0.inFlight == 0 } }

    /// Starts the threads. Once.
    func start() {
        self.state.withLock { state in
            state.isRunning = true
            state.threads = self.threadCount
        }
        for _ in 0..<self.threadCount {
            DedicatedThread.start(named: self.name) {
                #if os(Linux)
                // Of this thread alone, whatever POSIX says: setpriority(2), "C library/kernel differences".
                if self.yields { setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10) }
                #endif
                self.work()
            }
        }
    }

    /// Refuses new operations, waits for those under way, and ends the threads.
    func stop() async {
        await self.wait { state in
            state.isRunning = false
            return state.inFlight > 0
        }
        await self.wait { state in
            for _ in 0..<state.threads { self.wakeUps.signal() }
            return state.threads > 0
        }
    }

    /// Runs an operation on these threads. Cancelling the caller does not drop it.
    /// - Throws: what `operation` throws; `.overloaded` above the limit, and when they are not running.
    func run<Value: Sendable>(
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

    func enqueue(_ job: consuming ExecutorJob) {
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
