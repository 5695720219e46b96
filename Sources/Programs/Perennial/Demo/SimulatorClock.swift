import AppStoreSimulator
import Shards
import Subscriptions

/// A node may live by the clock of the simulation that feeds it.
struct SimulatorClock: WallClock {
    let time: SimulatedTime

    var isReal: Bool { false }

    var now: Moment { self.time.now }

    var offset: Milliseconds { Milliseconds(rawValue: 0) }

    func sleep(until moment: Moment) async throws {
        try await Task.sleep(for: min(self.time.realDuration(until: moment), .seconds(30)))
    }
}
