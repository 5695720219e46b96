import Foundation
package import NIOCore
package import Subscriptions

/// Everything a simulation is made from. `simulate` and `demo` set it from flags of the same names.
package struct SimulatorConfiguration: Sendable {
    /// `--port`: of the simulator's own server on loopback; 0 takes a free one.
    package var port = 0
    /// `--subscribers`: customers who arrive within the simulated past.
    package var subscribers = 100
    /// `--history`: how long ago the simulation starts; 170 days unless set.
    package var past = SimulatedTime.past
    /// `--speed`: simulated seconds in a real one.
    package var speed: Double = 20_000
    /// `--seed`: the same seed gives the same customers with the same lives.
    package var seed: UInt64 = 1
    /// `--deliver-to`: where notifications are posted; of several, to whichever takes them. Empty posts none.
    package var deliverTo: [String] = []
    /// `--backend`: the nodes to which the publisher's backend makes its requests; nil makes none.
    package var backend: Backend?
    /// `--lose`, `--repeat`, `--delay`, `--reorder`.
    package var disturbances = Disturbances()
    /// `--environment` and the app.
    package var store = StoreIdentity()
    /// `--keys`: the directory that is written for clients, and in which the simulation can be resumed.
    package var keysDirectory: String
    /// `--scenario`: what is sold, to whom, and what they do with it.
    package var scenario = Scenario.default
    /// Whether the clock becomes the real one when it has caught up with the present.
    package var horizon = SimulatedTime.Horizon.present

    /// Where purchases are posted and customers are changed.
    package struct Backend: Hashable, Sendable {
        /// One, or several that will do alike, as behind a balancer.
        package let urls: [String]
        /// An API token of the scope `write`; nil where the nodes ask for none.
        package let token: String?

        package init(urls: [String], token: String? = nil) {
            self.urls = urls
            self.token = token
        }
    }

    package enum Outages: Sendable {
        /// Customers live on, and attempts fail and are given up on by the schedule.
        case livedThrough
        /// The same, but while the clock runs fast everything waits until somebody listens: a node that lives by the real
        /// clock could not make out later what it has missed.
        case livedThroughInRealTime
    }

    /// How many deliveries may be under way at once.
    package var maximumInFlight = 32
    /// How long a receiver has to take a notification and to answer.
    package var patience = TimeAmount.seconds(10)
    /// What becomes of customers and deliveries while nobody listens at the address of delivery.
    package var outages = Outages.livedThrough
    /// `--limits`: how much of Apple's limits the API allows its clients; nil: it does not count.
    package var limits: Double?

    package init(keysDirectory: String) { self.keysDirectory = keysDirectory }

    /// - Throws: `SimulatorError` naming the first setting that cannot be.
    package func validate() throws(SimulatorError) {
        guard (0...65_535).contains(self.port) else { throw .invalidSetting("port", "must be 0…65535") }
        guard (1...1_000_000).contains(self.subscribers) else {
            throw .invalidSetting("subscribers", "must be 1…1000000")
        }
        let certified = SimulatedTime.realNow().milliseconds - LifecycleFactory.earliest.milliseconds
        let mostDays = certified / Milliseconds.days(1).rawValue
        guard (.days(1) ... .days(mostDays)).contains(self.past) else {
            throw .invalidSetting(
                "history",
                "must be 1…\(mostDays) days: the simulated store's certificates begin on "
                    + "\(LifecycleFactory.earliest.description.prefix(10)), and nodes refuse what was signed before")
        }
        guard self.speed > 0, self.speed <= 1e9 else { throw .invalidSetting("speed", "must be above 0, up to 1e9") }
        guard self.maximumInFlight > 0 else { throw .invalidSetting("maximumInFlight", "must be above 0") }
        if let limits, !(limits > 0 && limits <= 1e6) {
            throw .invalidSetting("limits", "must be above 0, up to 1e6")
        }
        guard self.deliverTo.allSatisfy(Self.isAddress) else {
            throw .invalidSetting("deliver-to", "must be an http or https URL")
        }
        guard self.backend.map({ $0.urls.allSatisfy(Self.isAddress) }) ?? true else {
            throw .invalidSetting("backend", "must be an http or https URL")
        }
        guard [.production, .sandbox].contains(self.store.environment) else {
            throw .invalidSetting("environment", "must be Production or Sandbox")
        }
        for (name, probability) in [
            ("lose", self.disturbances.lose), ("repeat", self.disturbances.repeat), ("delay", self.disturbances.delay),
            ("reorder", self.disturbances.reorder),
        ] where !(0...1).contains(probability) {
            throw .invalidSetting(name, "must be a probability, 0…1")
        }
    }

    private static func isAddress(_ text: String) -> Bool {
        guard let url = URL(string: text), let host = url.host() else { return false }
        return ["http", "https"].contains(url.scheme) && !host.isEmpty
    }
}
