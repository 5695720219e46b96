import Subscriptions
import Synchronization
import Waiting

/// When a shard's next timer is due, as far as is known: its timer sleeps until then, and is woken when a commit brings
/// an earlier one.
final class TimerDeadline: Sendable {
    private struct State {
        var due: Moment?
        /// The store has to be asked.
        var isUnknown = false
    }

    private let state = Mutex(State())
    private let changed = AsyncEvent()

    enum Reading {
        case due(Moment), nothing, unknown
    }

    var reading: Reading {
        self.state.withLock { state in
            state.isUnknown ? .unknown : state.due.map(Reading.due) ?? .nothing
        }
    }

    /// A commit left a stream with this due moment.
    func lower(to due: Moment) {
        let isEarlier = self.state.withLock { state in
            guard due < state.due ?? .distantFuture else { return false }
            state.due = due
            return true
        }
        if isEarlier { self.changed.signal() }
    }

    /// What is known may be wrong: ask the store.
    func forget() {
        self.state.withLock { $0.isUnknown = true }
        self.changed.signal()
    }

    /// The timer looks again whether it has to run.
    func wake() { self.changed.signal() }

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

    /// Until something changed here.
    func wait() async { await self.changed.wait() }

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
            group.addTask { await self.changed.waitUnlessCancelled() }
            await group.next()
            group.cancelAll()
        }
    }
}
