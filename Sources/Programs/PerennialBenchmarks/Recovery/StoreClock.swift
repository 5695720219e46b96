import AppStoreSimulator
import Shards
import Subscriptions

/// Shows what the simulated store's clock does.
struct StoreClock: WallClock {
    let time: SimulatedTime

    var now: Moment { self.time.now }

    var offset: Milliseconds { Milliseconds(rawValue: 0) }

    func sleep(until moment: Moment) async throws {
        try await Task.sleep(for: min(self.time.realDuration(until: moment), .seconds(30)))
    }
}
