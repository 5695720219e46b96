import Synchronization

/// Stands still but for those who pause by it: a pause takes no time, and moves the clock on by as much as it asks for.
final class SteppingClock: Clock {
    struct Instant: InstantProtocol {
        var offset: Swift.Duration

        func advanced(by duration: Swift.Duration) -> Instant { Instant(offset: self.offset + duration) }
        func duration(to other: Instant) -> Swift.Duration { other.offset - self.offset }
        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct State {
        var now = Instant(offset: .zero)
        var pauses = 0
        var onPause: (@Sendable (Int) -> Void)?
    }

    private let state = Mutex(State())

    var now: Instant { self.state.withLock(\.now) }
    var minimumResolution: Swift.Duration { .zero }

    /// How long all pauses were together.
    var passed: Swift.Duration { self.now.offset }

    /// What happens in each pause from now on; it is told how many there were.
    func onPause(_ body: @escaping @Sendable (Int) -> Void) { self.state.withLock { $0.onPause = body } }

    func sleep(until deadline: Instant, tolerance: Swift.Duration?) async throws {
        try Task.checkCancellation()
        let (count, body) = self.state.withLock { state in
            state.now = max(state.now, deadline)
            state.pauses += 1
            return (state.pauses, state.onPause)
        }
        body?(count)
        // Whoever would pause forever is to stay cancellable.
        await Task.yield()
    }
}
