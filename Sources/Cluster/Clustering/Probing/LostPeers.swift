import EventLog
import Foundation
import Synchronization
import Waiting

/// Probes the addresses of peers to which there has been a connection and is none any more, and tells what it finds.
/// Who has never been connected to is left alone: his address may be one that does not lead to him.
///
/// On one thread, which there is while somebody is lost. Who stops does not wait for it: names are looked up.
final class LostPeers: Sendable {
    /// Hears of every probe. On any thread; it must not wait.
    typealias Listener = @Sendable (_ run: ShardRecord.Owner, _ isRefused: Bool) -> Void

    private struct Lost {
        let association: Association
        let knock: ConnectionProbe
    }

    private struct State {
        var listener: Listener?
        var watched = WatchedRuns()
        /// Those on the agenda.
        var lost: [ShardRecord.Owner: Lost] = [:]
        var agenda = ProbeAgenda()
        var hasThread = false
        var isStopped = false
    }

    private enum Step {
        case knock(Lost)
        case rest(Duration)
        case end
    }

    private let state = Mutex(State())

    func onProbe(_ listener: @escaping Listener) { self.state.withLock { $0.listener = listener } }

    /// - Parameter runs: those that live. No other run is probed.
    /// - Returns: those to be connected to.
    func watch(_ runs: Set<ShardRecord.Owner>, at now: ContinuousClock.Instant) -> Set<ShardRecord.Owner> {
        self.state.withLock { state in
            state.watched.update(to: runs, at: now)
            return state.watched.acquainted(at: now)
        }
    }

    /// The connection has just been lost.
    func add(_ association: Association) {
        guard let knock = ConnectionProbe(association.peer.endpoint) else { return }
        let needsThread = self.state.withLock { state in
            guard state.listener != nil, !state.isStopped else { return false }
            state.lost[association.peer.run] = Lost(association: association, knock: knock)
            state.agenda.add(association.peer.run, at: .now)
            defer { state.hasThread = true }
            return !state.hasThread
        }
        guard needsThread else { return }
        DedicatedThread.start(named: "knocks") {
            self.knock()
        }
    }

    /// No peer is probed any more.
    func stop() { self.state.withLock { $0.isStopped = true } }

    // MARK: The thread

    private func knock() {
        while true {
            switch self.next() {
            case .knock(let lost): self.note(lost.knock.isRefused(), by: lost.association)
            case .rest(let pause): Thread.sleep(forTimeInterval: pause / .seconds(1))
            case .end: return
            }
        }
    }

    private func next() -> Step {
        let (listener, over, step) = self.state.withLock { state in
            let over = Self.removeOver(from: &state, at: .now)
            return (state.listener, over, Self.step(&state, at: .now))
        }
        for run in over { listener?(run, false) }
        return step
    }

    /// - Returns: those that need not be probed any longer.
    private static func removeOver(
        from state: inout State, at now: ContinuousClock.Instant
    ) -> Set<ShardRecord.Owner> {
        let over = state.lost.filter { run, lost in
            state.isStopped || !lost.association.isLost || !state.watched.contains(run)
        }
        for run in over.keys { state.agenda.remove(run) }
        let all = Set(over.keys).union(state.agenda.expire(at: now))
        for run in all { state.lost[run] = nil }
        return all
    }

    private static func step(_ state: inout State, at now: ContinuousClock.Instant) -> Step {
        switch state.agenda.next(at: now) {
        case .knock(let run):
            guard let lost = state.lost[run] else { preconditionFailure("who is on the agenda is lost") }
            return .knock(lost)
        case .rest(let pause): return .rest(pause)
        case .end:
            state.hasThread = false
            return .end
        }
    }

    private func note(_ isRefused: Bool, by association: Association) {
        let run = association.peer.run
        let listener = self.state.withLock { state in
            state.agenda.note(run, isRefused: isRefused, at: .now)
            return state.isStopped ? nil : state.listener
        }
        // It may have come back meanwhile.
        if association.isLost { listener?(run, isRefused) }
    }
}
