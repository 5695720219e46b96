import Dispatch
import EventLog
import Foundation
import Synchronization
import Waiting

/// Sessions for those who must not block: each has a thread of its own, and takes what was asked for first.
final class SessionThreads: Sendable {
    private struct Job: Sendable {
        var run: @Sendable (inout Session) -> Void
        var refuse: @Sendable (StoreError) -> Void
    }

    private struct State {
        /// By number, so that one that is not wanted any more can leave from the middle.
        var waiting: [Int: Job] = [:]
        var first = 0
        var next = 0
        var isClosed = false
    }

    private let state = Mutex(State())
    private let wakeUp = DispatchSemaphore(value: 0)
    private let ended = DispatchGroup()
    private let count: Int

    init(count: Int, _ makeSession: () -> sending Session) {
        self.count = count
        for _ in 0..<count {
            let session = Mutex<Session>(makeSession())
            self.start(SessionHolder(session))
        }
    }

    /// What a thread takes along.
    private final class SessionHolder: Sendable {
        let session: Mutex<Session>

        init(_ session: consuming sending Mutex<Session>) { self.session = session }
    }

    private func start(_ holder: SessionHolder) {
        self.ended.enter()
        DedicatedThread.start(named: "postgres") {
            holder.session.withLock { session in
                while let job = self.next() { job.run(&session) }
                session.close()
            }
            self.ended.leave()
        }
    }

    /// Blocks. nil once there is nothing more to come.
    private func next() -> Job? {
        while true {
            self.wakeUp.wait()
            let (job, isClosed) = self.state.withLock { state in (Self.takeFirst(of: &state), state.isClosed) }
            if let job { return job }
            if isClosed { return nil }
        }
    }

    private static func takeFirst(of state: inout State) -> Job? {
        while state.first < state.next {
            defer { state.first += 1 }
            if let job = state.waiting.removeValue(forKey: state.first) { return job }
        }
        return nil
    }

    // MARK: Asking

    /// Runs `body` with a session that is connected, on one of the threads.
    /// - Parameter isCancellable: a caller that is cancelled while it waits for its turn gives it up. What has begun is
    ///   not stopped: it ends by itself, within the limits of a statement.
    func use<Result: Sendable>(
        isCancellable: Bool, _ body: @escaping @Sendable (inout Session) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        let number = self.state.withLock { state in
            defer { state.next += 1 }
            return state.next
        }
        return try await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                self.put(Self.job(body, continuation), under: number, isCancellable: isCancellable)
            }
        } onCancel: {
            if isCancellable { self.cancel(number) }
        }.get()
    }

    private static func job<Result: Sendable>(
        _ body: @escaping @Sendable (inout Session) throws(StoreError) -> Result,
        _ continuation: CheckedContinuation<Swift.Result<Result, StoreError>, Never>
    ) -> Job {
        Job(
            run: { session in
                do throws(StoreError) {
                    try session.connect()
                    continuation.resume(returning: .success(try body(&session)))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            },
            refuse: { continuation.resume(returning: .failure($0)) })
    }

    private func put(_ job: Job, under number: Int, isCancellable: Bool) {
        // The cancellation may have come before there was anything to cancel.
        let isCancelled = isCancellable && Task.isCancelled
        let isClosed = self.state.withLock { state in
            if !state.isClosed, !isCancelled {
                state.waiting[number] = job
                // A number drawn earlier may come later than one that has passed it by.
                state.first = min(state.first, number)
            }
            return state.isClosed
        }
        if isClosed || isCancelled { return job.refuse(isClosed ? Self.closed : Self.cancelled) }
        self.wakeUp.signal()
        // Between the two looks it may have come as well.
        if isCancellable, Task.isCancelled { self.cancel(number) }
    }

    private func cancel(_ number: Int) {
        self.state.withLock { $0.waiting.removeValue(forKey: number) }?.refuse(Self.cancelled)
    }

    private static var closed: StoreError { StoreError(.unavailable, "the store is closed") }
    private static var cancelled: StoreError { StoreError(.unavailable, "the caller gave up") }

    /// Refuses what waits, and returns when the threads have ended.
    func close() {
        let waiting = self.state.withLock { state in
            state.isClosed = true
            defer { state.waiting = [:] }
            return state.waiting.values
        }
        for job in waiting { job.refuse(Self.closed) }
        for _ in 0..<self.count { self.wakeUp.signal() }
        self.ended.wait()
    }
}
