import Shards
package import Subscriptions
import Synchronization

/// Stands still until a test moves it.
package final class ManualClock: WallClock {
    private struct State {
        var now: Moment
        var offset = Milliseconds(rawValue: 0)
        var sleepers: [Int: (until: Moment, continuation: CheckedContinuation<Void, Never>)] = [:]
        var count = 0
    }

    private let state: Mutex<State>

    package init(_ now: Moment) { self.state = Mutex(State(now: now)) }

    package var now: Moment { self.state.withLock { $0.now } }

    package var offset: Milliseconds {
        get { self.state.withLock { $0.offset } }
        set { self.state.withLock { $0.offset = newValue } }
    }

    package func sleep(until moment: Moment) async throws {
        let number = self.state.withLock { state in
            state.count += 1
            return state.count
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = self.state.withLock { state in
                    guard state.now < moment, !Task.isCancelled else { return true }
                    state.sleepers[number] = (moment, continuation)
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            self.state.withLock { $0.sleepers.removeValue(forKey: number) }?.continuation.resume()
        }
        try Task.checkCancellation()
    }

    package func advance(to moment: Moment) {
        let awake = self.state.withLock { state in
            state.now = max(state.now, moment)
            let awake = state.sleepers.filter { $0.value.until <= state.now }
            for number in awake.keys { state.sleepers[number] = nil }
            return awake.values.map(\.continuation)
        }
        for continuation in awake { continuation.resume() }
    }
}
