import Synchronization

/// The calls that this node has taken and not yet answered: bounded in count and bytes, and cancelled when their callers
/// give up.
final class ServedCalls: Sendable {
    private struct Call {
        var size: Int
        var deadline: ContinuousClock.Instant
        var isCancelled = false
        var running: RunningTask?
    }

    private struct State {
        var calls: [ServedCall.ID: Call] = [:]
        var bytes = 0
    }

    private let limits: CallTable<Association.Waiter>.Limits
    private let state = Mutex(State())

    init(limits: CallTable<Association.Waiter>.Limits) { self.limits = limits }

    var count: Int { self.state.withLock { $0.calls.count } }

    /// false when there is no room.
    func admit(_ call: ServedCall) -> Bool {
        self.state.withLock { state in
            guard state.calls.count < self.limits.calls,
                state.calls.isEmpty || state.bytes + call.size <= self.limits.bytes
            else { return false }
            state.calls[call.id] = Call(size: call.size, deadline: call.deadline)
            state.bytes += call.size
            return true
        }
    }

    /// Its caller is told what became of it, or has given up.
    func finish(_ id: ServedCall.ID) {
        self.state.withLock { state in
            guard let call = state.calls.removeValue(forKey: id) else { return }
            state.bytes -= call.size
        }
    }

    func cancel(_ id: ServedCall.ID) {
        let running = self.state.withLock { state in
            state.calls[id]?.isCancelled = true
            return state.calls[id]?.running
        }
        // What this sets off may finish calls.
        running?.cancel()
    }

    /// Cancels those that nobody waits for any more: a caller whose connection broke does not say so.
    /// - Parameter callers: the runs that there are.
    func cancelUnheard(but callers: Set<Int64>, at now: ContinuousClock.Instant) {
        let running = self.state.withLock { state in
            let unheard = state.calls.filter { $1.deadline <= now || !callers.contains($0.route.caller) }.keys
            for id in unheard { state.calls[id]?.isCancelled = true }
            return unheard.compactMap { state.calls[$0]?.running }
        }
        for task in running { task.cancel() }
    }

    func isCancelled(_ id: ServedCall.ID) -> Bool { self.state.withLock { $0.calls[id]?.isCancelled ?? true } }

    /// Runs `body` in a task that `cancel(_:)` cancels.
    func run(_ id: ServedCall.ID, _ body: () async -> Void) async {
        let task = RunningTask()
        let isCancelled = self.state.withLock { state in
            state.calls[id]?.running = task
            return state.calls[id]?.isCancelled ?? true
        }
        if isCancelled { task.cancel() }
        await body()
        task.end()
    }
}
