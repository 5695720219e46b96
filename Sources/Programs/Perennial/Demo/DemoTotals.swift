package import AppStoreSimulator

/// What a demo has seen since its folder was made, over all its runs.
package struct DemoTotals: Codable, Hashable, Sendable {
    package var received = 0
    package var checks = 0
    package var lost = 0
    package var repeated = 0
    package var givenUp = 0

    package init() {}

    /// With what the present run adds.
    package func adding(_ run: SimulatorStatistics, checks: Int) -> DemoTotals {
        var totals = self
        totals.received += run.delivered
        totals.checks += checks
        totals.lost += run.lost
        totals.repeated += run.repeated
        totals.givenUp += run.givenUp
        return totals
    }
}
