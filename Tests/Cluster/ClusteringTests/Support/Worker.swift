import Clustering
import Distributed
import ServiceContextModule
import Synchronization
import WireProtocol

/// What the tests call.
distributed actor Worker {
    typealias ActorSystem = ClusterSystem

    private let journal: Journal

    init(_ journal: Journal, actorSystem: ClusterSystem) {
        self.journal = journal
        self.actorSystem = actorSystem
    }

    /// Unordered.
    distributed func echo(_ bytes: Bytes) -> Bytes {
        self.journal.record(bytes.value)
        return bytes
    }

    /// Ordered, and complete at once.
    distributed func submit(_ batch: CommandBatch) -> EventualOutcomes {
        for item in batch.items { self.journal.record(item) }
        let outcomes = EventualOutcomes(count: batch.items.count)
        for (place, item) in batch.items.enumerated() { outcomes.put(item, at: place) }
        return outcomes
    }

    /// Ordered; answered when `Journal.complete` is called.
    distributed func submitSlowly(_ batch: CommandBatch) -> EventualOutcomes {
        let outcomes = EventualOutcomes(count: batch.items.count)
        self.journal.keep(outcomes)
        return outcomes
    }

    distributed func nothing() { self.journal.record([]) }

    /// Ordered; until the journal has so many entries.
    distributed func hold(_ count: Bytes) async throws {
        try await self.journal.reach(Int(count.value.first ?? 0))
    }

    distributed func fail(_ reason: Bytes) throws {
        if let reason = reason.value.first { throw KnownError(reason) }
        throw UnknownError()
    }

    /// Until it is cancelled.
    distributed func wait() async throws {
        self.journal.record([1])
        defer { self.journal.record([2]) }
        try await Task.sleep(for: .seconds(600))
    }

    /// So many bytes.
    distributed func produce(_ count: Bytes) -> Bytes {
        Bytes([UInt8](repeating: 7, count: count.value.reduce(0) { $0 << 8 | Int($1) }))
    }

    distributed func trace() -> Bytes { Bytes(Array((ServiceContext.current?[TraceKey.self] ?? "none").utf8)) }

    distributed func forbidden() {}
}

enum TraceKey: ServiceContextKey {
    typealias Value = String
}

/// What the workers of one node did.
final class Journal: Sendable {
    private struct State {
        var entries: [[UInt8]] = []
        var kept: [EventualOutcomes] = []
        var waiters: [Int: (count: Int, waiter: CheckedContinuation<Void, any Error>)] = [:]
        var lastWaiter = 0
    }

    private let state = Mutex(State())

    var entries: [[UInt8]] { self.state.withLock { $0.entries } }
    var kept: [EventualOutcomes] { self.state.withLock { $0.kept } }

    func record(_ entry: [UInt8]) { self.change { $0.entries.append(entry) } }

    func keep(_ outcomes: EventualOutcomes) {
        self.change { state in
            state.kept.append(outcomes)
            state.entries.append([])
        }
    }

    private func change(_ body: (inout State) -> Void) {
        let ready = self.state.withLock { state in
            body(&state)
            let ready = state.waiters.filter { $0.value.count <= state.entries.count }
            for id in ready.keys { state.waiters[id] = nil }
            return ready.values
        }
        for (_, waiter) in ready { waiter.resume() }
    }

    /// Returns once there are so many entries.
    /// - Throws: `CancellationError`, as when the time limit of the test is over.
    func reach(_ count: Int) async throws {
        let id = self.state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                let end: Result<Void, any Error>? = self.state.withLock { state in
                    if state.entries.count >= count { return .success(()) }
                    if Task.isCancelled { return .failure(CancellationError()) }
                    state.waiters[id] = (count, waiter)
                    return nil
                }
                if let end { waiter.resume(with: end) }
            }
        } onCancel: {
            let waiter = self.state.withLock { $0.waiters.removeValue(forKey: id)?.waiter }
            waiter?.resume(throwing: CancellationError())
        }
    }
}
