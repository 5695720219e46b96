import Shards
import Subscriptions

/// Shows one moment.
struct StandingClock: WallClock {
    let now: Moment

    var offset: Milliseconds { Milliseconds(rawValue: 0) }

    func sleep(until moment: Moment) async throws {
        guard moment > self.now else { return }
        try await Task.sleep(for: .seconds(60))
    }
}
