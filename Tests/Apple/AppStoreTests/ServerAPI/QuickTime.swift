import AppStore
import Subscriptions
import Synchronization

/// Time that jumps to the end of every pause. What is as long as a deadline never ends by itself.
final class QuickTime: Sendable {
    private struct State {
        var elapsed = Duration.zero
        var pauses: [Duration] = []
        var wall: Int64 = 1_700_000_000_000
    }

    private static let deadlines = Duration.seconds(20)...

    private let state = Mutex(State())

    var pauses: [Duration] { self.state.withLock { $0.pauses } }
    var now: Moment { Moment(milliseconds: self.state.withLock { $0.wall }) }

    func advance(by duration: Milliseconds) {
        self.state.withLock { state in
            state.elapsed += .milliseconds(duration.rawValue)
            state.wall += duration.rawValue
        }
    }

    /// Somebody sets the clock on the wall; what measures time goes on.
    func setBack(by duration: Milliseconds) { self.state.withLock { $0.wall -= duration.rawValue } }

    var time: ServerAPITime {
        ServerAPITime(
            elapsed: { self.state.withLock { $0.elapsed } },
            sleep: { duration in
                guard !Self.deadlines.contains(duration) else {
                    try? await Task.sleep(for: .seconds(3_600))
                    return
                }
                guard duration > .zero else { return }
                self.state.withLock { state in
                    state.elapsed += duration
                    state.wall += Int64((duration / .milliseconds(1)).rounded(.up))
                    state.pauses.append(duration)
                }
            },
            chance: { 0 })
    }
}
