import Subscriptions
import Synchronization
import Waiting

/// When a shard's next timer is due, as far as is known: its timer sleeps until then, and is woken when a commit brings
/// an earlier one.
final class TimerArm: Sendable {
    private struct State {
        var due: Moment?
        /// The store has to be asked.
        var isUnknown = false
        /// Another node sees to it.
        var isIdle = false
        var isClosed = false
    }

    private let state = Mutex(State())
    private let wake = Wake()

    enum Reading {
        case due(Moment), nothing, unknown, closed
    }

    var reading: Reading {
        self.state.withLock { state in
            if state.isClosed { return .closed }
            if state.isIdle { return .nothing }
            if state.isUnknown { return .unknown }
            return state.due.map(Reading.due) ?? .nothing
        }
    }

    /// A commit left a stream with this due moment.
    func lower(to due: Moment) {
        let isEarlier = self.state.withLock { state in
            guard due < state.due ?? .distantFuture else { return false }
            state.due = due
            return true
        }
        if isEarlier { self.wake.signal() }
    }

    /// What is armed may be wrong: ask the store.
    func forget() {
        self.state.withLock { state in
            state.isUnknown = true
            state.isIdle = false
        }
        self.wake.signal()
    }

    /// Nothing is due here until `forget()`.
    func rest() { self.state.withLock { $0.isIdle = true } }

    /// Takes what `read` gives; an earlier moment that comes meanwhile is kept.
    func reload<Failure: Error>(_ read: () async throws(Failure) -> Moment?) async throws(Failure) {
        self.state.withLock { state in
            state.isUnknown = false
            state.due = nil
        }
        do {
            if let due = try await read() { self.state.withLock { $0.due = min($0.due ?? due, due) } }
        } catch {
            self.state.withLock { $0.isUnknown = true }
            throw error
        }
    }

    func close() {
        self.state.withLock { $0.isClosed = true }
        self.wake.signal()
    }

    /// Until something changed here.
    func wait() async { await self.wake.wait() }

    /// Until something changed here, or `clock` has reached `moment`, or earlier.
    func wait(until moment: Moment, on clock: any WallClock) async {
        await self.wait { try await clock.sleep(until: moment) }
    }

    /// Until something changed here, or `duration` has passed.
    func wait(atMost duration: Duration) async {
        await self.wait { try await Task.sleep(for: duration) }
    }

    private func wait(orUntil sleep: @escaping @Sendable () async throws -> Void) async {
        await withTaskGroup { group in
            group.addTask { try? await sleep() }
            group.addTask { await self.wake.waitUnlessCancelled() }
            await group.next()
            group.cancelAll()
        }
    }
}
